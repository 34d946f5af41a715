//! What stands around the body of a module: comments, the list of ports, the hook for proofs.

use super::collect::Node;
use super::lower::Marker;
use super::scope::range;
use super::source::{self, Source, wrap};
use super::{Direction, Port};
use std::collections::BTreeSet;

/// The frame of one module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub(super) node: &'a Node,
    pub(super) source: Option<&'static Source>,
}

impl<'a> Frame<'a> {
    pub(super) fn of(node: &'a Node) -> Self {
        Self { node, source: source::find(node) }
    }

    /// The comment above the module: its doc comment, or what its marker calls it.
    pub(super) fn comment(&self, marker: &Marker) -> String {
        let title = sentence(&marker.description);
        let parts = match self.source {
            Some(source) => vec![source.describe(self.node), vec![source.origin()]],
            None if title.is_empty() => Vec::new(),
            None => vec![vec![title]],
        };
        let lines = parts.join(&String::new());
        lines.iter().map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect()
    }

    /// The comment of a port.
    pub(super) fn port_doc(&self, key: &str) -> String {
        self.source.map(|source| source.port(key, self.node)).unwrap_or_default()
    }

    /// The comment of a field as lines of Verilog.
    pub(super) fn field(&self, key: &str) -> Vec<String> {
        let doc = self.source.map(|source| source.field(key, self.node)).unwrap_or_default();
        let lines = doc.split('\n').filter(|line| !line.is_empty()).flat_map(wrap);
        lines.map(|line| format!("// {line}")).collect()
    }

    /// Port list, indented body, the hook, and `endmodule`.
    pub(super) fn module(
        &self,
        marker: Option<&Marker>,
        ports: &[(String, Port)],
        registers: &BTreeSet<String>,
        body: &[String],
    ) -> String {
        let mut lines: Vec<String> = self.ports(ports, registers);
        lines.push(");".into());
        for line in body {
            match line.as_str() {
                "" => lines.push(String::new()),
                line => lines.extend(source::folded(&format!("    {line}"))),
            }
        }
        if let Some((name, _)) = marker.and_then(source::properties) {
            lines.extend([
                String::new(),
                "`ifdef FORMAL".into(),
                format!("`include \"formal/{name}.sv\""),
                "`endif".into(),
            ]);
        }
        format!(" (\n{}\nendmodule\n", lines.join("\n"))
    }

    fn ports(&self, ports: &[(String, Port)], registers: &BTreeSet<String>) -> Vec<String> {
        let widest = ports.iter().map(|(_, port)| range(port.width).len()).max().unwrap_or_default();
        let (mut lines, mut field) = (Vec::new(), "");
        for (index, (key, port)) in ports.iter().enumerate() {
            let kind = match port.direction {
                Direction::Input => "input  wire",
                Direction::InOut => "inout  wire",
                Direction::Output if registers.contains(key) => "output reg ",
                Direction::Output => "output wire",
            };
            let next = key.split('$').next().unwrap_or_default();
            if next != field {
                field = next;
                lines.extend(self.field(key).into_iter().map(|line| format!("    {line}")));
            }
            let comma = if index + 1 < ports.len() { "," } else { "" };
            lines.push(format!("    {kind} {:widest$}{}{comma}", range(port.width), port.name));
        }
        lines
    }
}

/// A description as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let end = if text.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    format!("{}{}{end}", first.to_uppercase(), letters.as_str())
}
