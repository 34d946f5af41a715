//! A small writer of SVG pictures: rectangles, lines and text of named styles.

use std::fmt::Write as _;

/// A place or a size, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    /// Left edge.
    pub(super) x: f64,
    /// Upper edge.
    pub(super) y: f64,
    /// Width.
    pub(super) w: f64,
    /// Height.
    pub(super) h: f64,
}

/// What a text stands at: its left end, its middle, its right end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// Left end.
    Start,
    /// Middle.
    Middle,
    /// Right end.
    End,
}

/// A picture under construction.
pub(super) struct Svg {
    body: String,
}

impl Svg {
    /// An empty picture.
    pub(super) fn new() -> Self {
        Self { body: String::new() }
    }

    fn line(&mut self, element: std::fmt::Arguments) {
        writeln!(self.body, "{element}").expect("writing to a string cannot fail");
    }

    /// A rectangle with corners rounded by `radius`.
    pub(super) fn rect(&mut self, class: &str, place: Rect, radius: f64) {
        let Rect { x, y, w, h } = place;
        self.line(format_args!(
            r#"<rect class="{class}" x="{x}" y="{y}" width="{w}" height="{h}" rx="{radius}"/>"#
        ));
    }

    /// A line through points; styles with a marker give it an arrow head.
    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let mut way = String::new();
        for (n, (x, y)) in points.iter().enumerate() {
            let step = if n == 0 { 'M' } else { 'L' };
            write!(way, "{step}{x} {y}").expect("writing to a string cannot fail");
        }
        self.line(format_args!(r#"<path class="{class}" d="{way}"/>"#));
    }

    /// One line of text whose base line is at `y`.
    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        self.line(format_args!(
            r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>"#
        ));
    }

    /// The whole file: what the picture is called, what a reader who cannot see it is told, the
    /// comment on top, the styles, and the size.
    pub(super) fn finish(self, about: &About, (width, height): (f64, f64)) -> String {
        let (title, description) = (escaped(about.title), escaped(about.description));
        // A comment must not hold two hyphens in a row.
        let header = about.header.replace("--", "- -");
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!--\n{header}\n-->\n\
             <svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             width=\"{width}\" height=\"{height}\">\n\
             <title>{title}</title>\n<desc>{description}</desc>\n{ARROW}<style>\n{BASE_STYLE}{}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
            about.style, self.body,
        )
    }
}

/// What stands around a picture.
pub(super) struct About<'a> {
    /// Its name.
    pub(super) title: &'a str,
    /// What it shows, for readers who cannot see it.
    pub(super) description: &'a str,
    /// What made it, for the comment on top.
    pub(super) header: &'a str,
    /// Its own styles.
    pub(super) style: &'a str,
}

const ARROW: &str = "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"9\" \
markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0.5L8 4L0 7.5z\" fill=\"#37474f\"/></marker></defs>\n";

const BASE_STYLE: &str = "\
text { font-family: 'DejaVu Sans', Verdana, 'Segoe UI', Arial, sans-serif; font-size: 12px; fill: #202a30; }
.paper { fill: #ffffff; }
";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
