//! A block diagram of one configuration: its blocks, streams with widths and rates, clock domains, addresses.
//!
//! What stands where is data, one function a part of a design; rates and addresses are computed.

mod designs;
mod scene;
mod texts;

use super::svg::{About, Anchor, Svg};
use crate::config::Config;
use crate::verilog::Emitted;
use designs::Drawing;

/// The diagram as SVG, 960 pixels wide, under this comment.
pub(super) fn diagram(config: &Config, design: &Emitted, header: &str) -> String {
    let drawing = Drawing::new(config, design);
    let mut svg = Svg::new();
    svg.text("head", (24.0, 34.0), Anchor::Start, &drawing.title);
    svg.text("fact", (24.0, 54.0), Anchor::Start, &drawing.subtitle);
    drawing.scene.draw(&mut svg);
    let foot = drawing.bottom + 28.0;
    for (column, lines) in drawing.foot.iter().enumerate() {
        for (n, line) in lines.iter().enumerate() {
            let place = (24.0 + 310.0 * column as f64, foot + 17.0 * n as f64);
            svg.text(if n == 0 { "title" } else { "fact" }, place, Anchor::Start, line);
        }
    }
    let lines = drawing.foot.iter().map(Vec::len).max().unwrap_or(0);
    let about = About {
        title: &drawing.title,
        description: &drawing.foot.concat().join("; "),
        header,
        style: scene::STYLE,
    };
    svg.finish(&about, (scene::WIDTH, foot + 17.0 * lines as f64))
}
