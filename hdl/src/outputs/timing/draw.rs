//! Draws timing diagrams.

use super::{Lane, Panel};
use crate::outputs::svg::{About, Anchor, Rect, Svg};

const WIDTH: f64 = 960.0;
/// Where the first clock begins, right of the names.
const LEFT: f64 = 160.0;
const RIGHT: f64 = 944.0;
/// From one lane to the next.
const LANE: f64 = 32.0;
/// Height of what is drawn in one.
const WAVE: f64 = 20.0;
/// What a lane of more digits than these is higher, since its values take two lines.
const DIGITS: usize = 8;
const HIGHER: f64 = 13.0;
/// Room for clocks that are left out.
const BREAK: f64 = 64.0;

impl Lane {
    fn digits(&self) -> usize {
        self.width.div_ceil(4)
    }
    /// What it is higher than the least.
    fn extra(&self) -> f64 {
        if self.digits() > DIGITS { HIGHER } else { 0.0 }
    }
}

/// Where the clocks of a panel stand.
struct Scale {
    cell: f64,
    gap: Option<usize>,
}

impl Scale {
    fn of(panel: &Panel) -> Self {
        let clocks = panel.lanes.iter().map(|lane| lane.values.len()).max().unwrap_or(1);
        let gap = panel.gap.map(|gap| gap.behind);
        let room = RIGHT - LEFT - if gap.is_some() { BREAK } else { 0.0 };
        Self { cell: (room / clocks as f64).floor().min(96.0), gap }
    }
    fn start(&self, clock: usize) -> f64 {
        let behind = self.gap.is_some_and(|gap| clock > gap);
        LEFT + self.cell * clock as f64 + if behind { BREAK } else { 0.0 }
    }
    fn end(&self, clock: usize) -> f64 {
        self.start(clock) + self.cell
    }
}

pub(super) fn picture(top: &str, panels: &[Panel], header: &str) -> String {
    let mut svg = Svg::new();
    let title = format!("{top}: timing at its ports");
    svg.text("head", (24.0, 34.0), Anchor::Start, &title);
    let note = "Computed from the configuration and the promised latencies; values in hexadecimal, valid before the rising edge.";
    svg.text("fact", (24.0, 54.0), Anchor::Start, note);
    let mut y = 84.0;
    for panel in panels {
        y = draw(&mut svg, panel, y) + 34.0;
    }
    let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
    let about = About { title: &title, description: &titles.join("; "), header, style: STYLE };
    svg.finish(&about, (WIDTH, y - 14.0))
}

/// One panel from this height on; gives the height of its end.
fn draw(svg: &mut Svg, panel: &Panel, top: f64) -> f64 {
    let scale = Scale::of(panel);
    svg.text("title", (24.0, top), Anchor::Start, &panel.title);
    let clocks = panel.lanes.iter().map(|lane| lane.values.len()).max().unwrap_or(0);
    let mut y = top + 14.0;
    let bottom = y + LANE + panel.lanes.iter().map(|lane| LANE + lane.extra()).sum::<f64>();
    for clock in 0..clocks {
        svg.path("edge", &[(scale.end(clock), y), (scale.end(clock), bottom - 6.0)]);
    }
    svg.text("name", (LEFT - 10.0, y + 15.0), Anchor::End, panel.clock);
    for clock in 0..clocks {
        clock_wave(svg, (scale.start(clock), scale.cell), y);
    }
    y += LANE;
    for lane in &panel.lanes {
        svg.text("name", (LEFT - 10.0, y + 15.0 + lane.extra() / 2.0), Anchor::End, lane.port);
        if lane.width == 1 {
            bit_wave(svg, lane, &scale, y)
        } else {
            word_wave(svg, lane, &scale, y)
        }
        y += LANE + lane.extra();
    }
    for (clock, caption) in panel.captions.iter().enumerate() {
        let middle = scale.start(clock) + scale.cell / 2.0;
        for (n, line) in caption.lines().enumerate() {
            svg.text("caption", (middle, y + 8.0 + 12.0 * n as f64), Anchor::Middle, line);
        }
    }
    if let Some(gap) = panel.gap {
        let x = scale.end(gap.behind);
        svg.rect("break", Rect { x, y: top + 10.0, w: BREAK, h: bottom - top - 12.0 }, 0.0);
        let middle = x + BREAK / 2.0;
        svg.text(
            "caption",
            (middle, (top + bottom) / 2.0),
            Anchor::Middle,
            &format!("{} clocks", gap.clocks),
        );
    }
    let lines = panel.captions.iter().map(|caption| caption.lines().count()).max().unwrap_or(0);
    y + 12.0 * lines as f64
}

/// One clock that ends with its rising edge.
fn clock_wave(svg: &mut Svg, (x, cell): (f64, f64), y: f64) {
    let (low, half) = (y + WAVE, x + cell / 2.0);
    svg.path("wave", &[(x, low), (x, y), (half, y), (half, low), (x + cell, low)]);
}

fn bit_wave(svg: &mut Svg, lane: &Lane, scale: &Scale, y: f64) {
    let mut way = Vec::new();
    for (clock, value) in lane.values.iter().enumerate() {
        let height = match value {
            Some(0) => y + WAVE,
            Some(_) => y,
            None => {
                nothing(svg, scale, clock, (y, WAVE));
                svg.path("wave", &std::mem::take(&mut way));
                continue;
            }
        };
        way.extend([(scale.start(clock), height), (scale.end(clock), height)]);
    }
    svg.path("wave", &way);
}

fn word_wave(svg: &mut Svg, lane: &Lane, scale: &Scale, y: f64) {
    let height = WAVE + lane.extra();
    let mut clock = 0;
    while let Some(value) = lane.values.get(clock) {
        let Some(value) = value else {
            nothing(svg, scale, clock, (y, height));
            clock += 1;
            continue;
        };
        let same = lane.values[clock..].iter().take_while(|other| **other == Some(*value)).count();
        let last = match scale.gap {
            Some(gap) if clock <= gap => (clock + same - 1).min(gap),
            _ => clock + same - 1,
        };
        word(svg, (scale.start(clock), scale.end(last)), (y, height), &hexadecimal(*value, lane.digits()));
        clock = last + 1;
    }
}

/// A value between two places: a box with pointed ends.
fn word(svg: &mut Svg, (x, end): (f64, f64), (y, height): (f64, f64), lines: &[String]) {
    let (middle, bottom, slope) = (y + height / 2.0, y + height, 4.0);
    let shape = [
        (x, middle),
        (x + slope, y),
        (end - slope, y),
        (end, middle),
        (end - slope, bottom),
        (x + slope, bottom),
        (x, middle),
    ];
    svg.path("word", &shape);
    for (n, line) in lines.iter().enumerate() {
        svg.text("value", ((x + end) / 2.0, y + 14.0 + 13.0 * n as f64), Anchor::Middle, line);
    }
}

/// A value in one line, or in two of eight digits each.
fn hexadecimal(value: u64, digits: usize) -> Vec<String> {
    let text = format!("{value:0digits$x}");
    match text.split_at_checked(digits.saturating_sub(DIGITS)) {
        Some((high, low)) if digits > DIGITS => vec![format!("{high}_"), low.to_owned()],
        _ => vec![text],
    }
}

/// A clock in which a port means nothing.
fn nothing(svg: &mut Svg, scale: &Scale, clock: usize, (y, height): (f64, f64)) {
    svg.rect("nothing", Rect { x: scale.start(clock), y, w: scale.cell, h: height }, 0.0);
}

const STYLE: &str = "\
.head { font-size: 18px; font-weight: bold; }
.title { font-size: 13px; font-weight: bold; }
.fact { font-size: 11.5px; }
.name { font-family: 'DejaVu Sans Mono', Consolas, monospace; font-size: 11px; }
.value { font-family: 'DejaVu Sans Mono', Consolas, monospace; font-size: 11px; }
.caption { font-size: 10px; fill: #37474f; }
.wave { fill: none; stroke: #1f5f99; stroke-width: 1.6; }
.word { fill: #e8f1fb; stroke: #1f5f99; stroke-width: 1.2; }
.nothing { fill: #f1f3f4; }
.edge { stroke: #c3ccd1; stroke-width: 1; stroke-dasharray: 2 3; }
.break { fill: #ffffff; stroke: #b0bec5; stroke-dasharray: 3 3; }
";
