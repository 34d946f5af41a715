//! What a block diagram is made of, on a grid of four columns.

use crate::outputs::svg::{Anchor, Rect, Svg};

/// Width of the picture: a page of a book or a README without being scaled much.
pub(super) const WIDTH: f64 = 960.0;
const LEFT: f64 = 24.0;
const TILE: (f64, f64) = (198.0, 76.0);
const GAP: (f64, f64) = (40.0, 36.0);
/// Height of a block.
pub(super) const HEIGHT: f64 = TILE.1;
/// Height of one row of the grid with the gap below it.
pub(super) const PITCH: f64 = TILE.1 + GAP.1;
const PIN_HEIGHT: f64 = 40.0;

/// Receive, answers, transmit, control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// What comes from the wire, downwards.
    Receive,
    /// What the card says by itself.
    Answers,
    /// What goes to the wire, upwards.
    Transmit,
    /// Registers and counters.
    Control,
}

/// Something of the picture that wires end at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(Rect);

/// A block of the design.
pub(super) struct Tile {
    place: Rect,
    title: &'static str,
    module: String,
    facts: Vec<String>,
}

/// Where the name of a clock domain stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// At the lower edge.
    Inside,
    /// Right of it.
    Right,
    /// Left of it.
    Left,
}

/// The picture before it is drawn.
#[derive(Default)]
pub(super) struct Scene {
    areas: Vec<(Rect, &'static str)>,
    domains: Vec<((f64, f64), Anchor, String)>,
    tiles: Vec<Tile>,
    pins: Vec<(Rect, [String; 2])>,
    wires: Vec<(Vec<(f64, f64)>, &'static str)>,
    labels: Vec<((f64, f64), String)>,
}

/// Left edge of a column.
fn left(column: Column) -> f64 {
    LEFT + f64::from(column as u8) * (TILE.0 + GAP.0)
}

impl Place {
    fn side(self, right: bool, share: f64) -> (f64, f64) {
        (self.0.x + if right { self.0.w } else { 0.0 }, self.0.y + share * self.0.h)
    }
    fn end(self, lower: bool, share: f64) -> (f64, f64) {
        (self.0.x + share * self.0.w, self.0.y + if lower { self.0.h } else { 0.0 })
    }
}

impl Scene {
    /// A block: what it is called, its module, and what this configuration makes of it. `y` is its
    /// upper edge.
    pub(super) fn tile(
        &mut self,
        (column, y): (Column, f64),
        (title, module): (&'static str, &str),
        facts: &[String],
    ) -> Place {
        let place = Rect { x: left(column), y, w: TILE.0, h: TILE.1 };
        let facts = facts.to_vec();
        self.tiles.push(Tile { place, title, module: module.to_owned(), facts });
        Place(place)
    }

    /// Ports of the design, or what a board connects them to.
    pub(super) fn pins(&mut self, (column, y): (Column, f64), text: [String; 2]) -> Place {
        let place = Rect { x: left(column), y, w: TILE.0, h: PIN_HEIGHT };
        self.pins.push((place, text));
        Place(place)
    }

    /// A clock domain from one column to another and between two heights, with its name.
    pub(super) fn area(
        &mut self,
        class: &'static str,
        (from, to): (Column, Column),
        (top, bottom): (f64, f64),
        (beside, name): (Beside, String),
    ) {
        let (x, end) = (left(from) - 12.0, left(to) + TILE.0 + 12.0);
        self.areas.push((Rect { x, y: top, w: end - x, h: bottom - top }, class));
        let (place, anchor) = match beside {
            Beside::Inside => (((x + end) / 2.0, bottom - 10.0), Anchor::Middle),
            Beside::Right => ((end + 8.0, top + 18.0), Anchor::Start),
            Beside::Left => ((x - 8.0, top + 36.0), Anchor::End),
        };
        self.domains.push((place, anchor, name));
    }

    /// A stream between two places of one column, with a label beside it.
    pub(super) fn vertical(&mut self, from: Place, to: Place, label: &str) {
        let down = to.0.y > from.0.y;
        let (start, end) = (from.end(down, 0.5), to.end(!down, 0.5));
        self.wires.push((vec![start, end], "stream"));
        if !label.is_empty() {
            self.labels.push(((start.0 + 8.0, (start.1 + end.1) / 2.0 + 4.0), label.to_owned()));
        }
    }

    /// A stream from the right side of one place to the left side of another, at these shares of their heights.
    pub(super) fn across(&mut self, from: (Place, f64), to: (Place, f64)) {
        let (start, end) = (from.0.side(true, from.1), to.0.side(false, to.1));
        let middle = end.0 - GAP.0 / 2.0;
        let mut way = vec![start];
        if start.1 != end.1 {
            way.extend([(middle, start.1), (middle, end.1)]);
        }
        way.push(end);
        self.wires.push((way, "stream"));
    }

    /// The register bus: from the left side of its master down to the left sides of all slaves.
    pub(super) fn bus(&mut self, master: Place, slaves: &[Place]) {
        let start = master.side(false, 0.5);
        let spine = start.0 - GAP.0 / 2.0 + 4.0;
        for slave in slaves {
            let end = slave.side(false, 0.5);
            self.wires.push((vec![start, (spine, start.1), (spine, end.1), end], "bus"));
        }
    }

    /// A word of explanation at a column and height.
    pub(super) fn note(&mut self, (column, y): (Column, f64), text: &str) {
        self.labels.push(((left(column) + 8.0, y), text.to_owned()));
    }

    /// Titles of the blocks without a module.
    #[cfg(test)]
    pub(super) fn unnamed(&self) -> impl Iterator<Item = &'static str> {
        self.tiles.iter().filter(|tile| tile.module.is_empty()).map(|tile| tile.title)
    }

    /// Draws areas first, then wires, blocks, and labels.
    pub(super) fn draw(&self, svg: &mut Svg) {
        for (place, class) in &self.areas {
            svg.rect(class, *place, 10.0);
        }
        for (place, anchor, name) in &self.domains {
            svg.text("domain", *place, *anchor, name);
        }
        for (way, class) in &self.wires {
            svg.path(class, way);
        }
        for (place, text) in &self.pins {
            svg.rect("pins", *place, PIN_HEIGHT / 2.0);
            let x = place.x + place.w / 2.0;
            svg.text("pin", (x, place.y + 17.0), Anchor::Middle, &text[0]);
            svg.text("fact", (x, place.y + 31.0), Anchor::Middle, &text[1]);
        }
        for tile in &self.tiles {
            svg.rect("tile", tile.place, 5.0);
            let x = tile.place.x + 10.0;
            svg.text("title", (x, tile.place.y + 18.0), Anchor::Start, tile.title);
            svg.text("module", (x, tile.place.y + 33.0), Anchor::Start, &tile.module);
            for (n, fact) in tile.facts.iter().enumerate() {
                let y = tile.place.y + 50.0 + 15.0 * n as f64;
                svg.text("fact", (x, y), Anchor::Start, fact);
            }
        }
        for (place, text) in &self.labels {
            svg.text("label", *place, Anchor::Start, text);
        }
    }
}

/// Styles of the block diagram.
pub(super) const STYLE: &str = "\
.core { fill: #e3f2e6; stroke: #7fb08a; }
.port-in { fill: #fdeedd; stroke: #d3a066; }
.port-out { fill: #e4ecfa; stroke: #7f9ccb; }
.tile { fill: #ffffff; stroke: #455a64; stroke-width: 1.2; }
.pins { fill: #eceff1; stroke: #455a64; }
.stream { fill: none; stroke: #37474f; stroke-width: 2; marker-end: url(#tip); }
.bus { fill: none; stroke: #37474f; stroke-width: 1.2; stroke-dasharray: 5 3; marker-end: url(#tip); }
.head { font-size: 18px; font-weight: bold; }
.title { font-size: 13px; font-weight: bold; }
.pin { font-size: 12px; font-weight: bold; }
.module { font-family: 'DejaVu Sans Mono', Consolas, monospace; font-size: 11px; fill: #5b6b73; }
.fact { font-size: 11.5px; }
.label { font-size: 11px; fill: #37474f; }
.domain { font-size: 12px; font-style: italic; fill: #37474f; }
";

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const FACT_SIZE: f64 = 11.5;
    const LABEL_SIZE: f64 = 11.0;

    /// Width of a text in pixels, from above: letters of the widest font named have 0.54 of its size on average.
    fn text_width(text: &str, size: f64) -> f64 {
        0.57 * size * text.chars().count() as f64
    }

    fn overlap(a: Rect, b: Rect) -> bool {
        a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
    }

    /// What of a picture lies on something else, or does not fit where it stands.
    pub(in super::super) fn faults(scene: &Scene) -> Vec<String> {
        let boxes: Vec<(Rect, &str)> = scene
            .tiles
            .iter()
            .map(|tile| (tile.place, tile.title))
            .chain(scene.pins.iter().map(|(place, text)| (*place, text[0].as_str())))
            .collect();
        let mut faults = Vec::new();
        for (n, (a, name)) in boxes.iter().enumerate() {
            for (b, other) in boxes.iter().skip(n + 1).filter(|(b, _)| overlap(*a, *b)) {
                faults.push(format!("{name} lies on {other} at {}, {}", b.x, b.y));
            }
        }
        for tile in &scene.tiles {
            let room = tile.place.w - 14.0;
            let lines = tile.facts.iter().map(|fact| (fact.as_str(), FACT_SIZE));
            for (line, size) in lines.chain([(tile.title, 13.0), (tile.module.as_str(), 11.0)]) {
                if text_width(line, size) > room {
                    faults.push(format!("{}: {line:?} is wider than its block", tile.title));
                }
            }
            if tile.facts.len() > 2 {
                faults.push(format!("{}: more than two facts", tile.title));
            }
        }
        for (place, text) in scene.pins.iter() {
            for line in text.iter().filter(|line| text_width(line, FACT_SIZE) > place.w - 14.0) {
                faults.push(format!("{line:?} is wider than its pins"));
            }
        }
        for ((x, y), text) in &scene.labels {
            let room =
                Rect { x: *x, y: y - LABEL_SIZE, w: text_width(text, LABEL_SIZE), h: LABEL_SIZE + 2.0 };
            faults.extend(
                boxes
                    .iter()
                    .filter(|(place, _)| overlap(room, *place))
                    .map(|(_, name)| format!("label {text:?} lies on {name}")),
            );
        }
        for (way, _) in &scene.wires {
            for ends in way.windows(2) {
                let ((x, y), (to_x, to_y)) = (ends[0], ends[1]);
                // Half a pixel less at each end: a wire may touch what it ends at.
                let room = Rect {
                    x: x.min(to_x) + 0.5,
                    y: y.min(to_y) + 0.5,
                    w: (x - to_x).abs() - 1.0,
                    h: (y - to_y).abs() - 1.0,
                };
                let crossed = boxes.iter().filter(|(place, _)| overlap(room, *place));
                faults.extend(crossed.map(|(_, name)| format!("a wire runs across {name}")));
            }
        }
        faults
    }
}
