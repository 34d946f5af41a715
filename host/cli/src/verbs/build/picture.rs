//! The picture of a build: how full the part is, and how fast each clock can be.

use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;

use super::report::Built;

const WIDTH: u32 = 900;
const ROW: i32 = 30;
const HEAD: i32 = 56;
/// Where the bars begin and end, in pixels.
const LEFT: i32 = 250;
const RIGHT: i32 = 760;
const INK: RGBColor = RGBColor(28, 78, 128);
const PASS: RGBColor = RGBColor(38, 122, 70);
const FAIL: RGBColor = RGBColor(178, 44, 44);
const GROUND: RGBColor = RGBColor(228, 232, 238);
/// A bar of a clock is full where it can be so many times as fast as it must.
const FULL: f64 = 2.0;

/// An SVG with a bar for each kind of cell and each clock.
pub fn svg(built: &Built) -> String {
    let rows = built.utilisation.len() + built.clocks.len();
    let height = 3 * HEAD + ROW * i32::try_from(rows).expect("a part has few kinds of cells and clocks");
    let mut text = String::new();
    let backend = SVGBackend::with_string(&mut text, (WIDTH, height.unsigned_abs()));
    draw(&backend.into_drawing_area(), built).expect("drawing into a string cannot fail");
    text
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Result = std::result::Result<(), DrawingAreaErrorKind<std::io::Error>>;

fn draw(area: &Area, built: &Built) -> Result {
    area.fill(&WHITE)?;
    write(area, &format!("{} on {}, seed {}", built.top, built.part, built.seed), (20, 18), 20)?;
    let mut y = HEAD;
    write(area, "Share of the part", (20, y), 15)?;
    for item in &built.utilisation {
        y += ROW;
        let bar = Bar { share: item.percent() / 100.0, target: None, colour: INK };
        let figures = format!("{} of {}", item.used, item.available);
        bar.draw(area, y, &item.what, &figures)?;
    }
    y += HEAD;
    write(area, "Clocks: what each can be, and what it must be (line)", (20, y), 15)?;
    for clock in &built.clocks {
        y += ROW;
        let colour = if clock.met { PASS } else { FAIL };
        let bar = Bar { share: clock.margin() / FULL, target: Some(1.0 / FULL), colour };
        let figures = format!("{:.1} / {:.1} MHz", clock.achieved_mhz, clock.wanted_mhz);
        bar.draw(area, y, &clock.name, &figures)?;
    }
    area.present()
}

/// One horizontal bar; shares of its greatest length.
struct Bar {
    share: f64,
    target: Option<f64>,
    colour: RGBColor,
}

impl Bar {
    fn draw(&self, area: &Area, y: i32, name: &str, figures: &str) -> Result {
        let at = |share: f64| LEFT + (f64::from(RIGHT - LEFT) * share.clamp(0.0, 1.0)).round() as i32;
        area.draw(&Rectangle::new([(LEFT, y), (RIGHT, y + 16)], GROUND.filled()))?;
        area.draw(&Rectangle::new([(LEFT, y), (at(self.share), y + 16)], self.colour.filled()))?;
        if let Some(target) = self.target {
            let x = at(target);
            area.draw(&PathElement::new([(x, y - 4), (x, y + 20)], BLACK.stroke_width(2)))?;
        }
        write(area, &shortened(name), (20, y + 2), 13)?;
        write(area, figures, (RIGHT + 10, y + 2), 13)
    }
}

/// A name that fits beside its bar.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 32;
    let count = name.chars().count();
    if count <= LONGEST {
        return name.to_owned();
    }
    format!("…{}", name.chars().skip(count - LONGEST + 1).collect::<String>())
}

fn write(area: &Area, text: &str, at: (i32, i32), size: u32) -> Result {
    area.draw(&Text::new(text.to_owned(), at, ("sans-serif", size).into_font()))
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::built;
    use super::*;

    #[test]
    fn bars_are_as_long_as_what_they_show_and_a_failing_clock_is_red() {
        let text = svg(&built(true));
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        for wanted in ["6072 of 24288", "140.0 / 125.0 MHz", "#B22C2C", "#267A46"] {
            assert!(text.contains(wanted), "{wanted} in {text}");
        }
        let quarter = format!("width=\"{}\"", ((RIGHT - LEFT) as f64 * 0.25).round());
        assert!(text.contains(&quarter), "{quarter} in {text}");
        assert!(!svg(&built(false)).contains("#B22C2C"));
    }

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(shortened("short"), "short");
        let long = format!("{}.clock", "a".repeat(60));
        assert!(shortened(&long).ends_with(".clock") && shortened(&long).chars().count() == 32);
    }
}
