//! What the Rust source says of a block, and where.
//!
//! rust-hdl's visitor shows neither the type of a block nor its comments. The build script collects
//! both from the source of this crate; a block is found there by its fields, which the elaborated
//! design does name. A block of another crate is not found and has no comments.

use super::collect::{Leaf, Node};
use super::fold::fold;
use super::lower::Marker;
use rust_hdl::prelude::AtomKind;
use rust_hdl::prelude::ast::{VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogStatement};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A block of this crate.
#[derive(Debug)]
pub(super) struct Source {
    /// Name of its type.
    name: &'static str,
    /// Its file, from the top of the project; empty if the source is written while building.
    pub(super) file: &'static str,
    /// Its doc comment, with that of the file if it is alone there.
    doc: &'static str,
    fields: &'static [Field],
    /// Const generics, each with a signal or flip-flop of that width.
    generics: &'static [(&'static str, &'static str)],
    /// Kind and line of every statement of `update`, in order, and the comment above it.
    statements: &'static [(char, usize, &'static str)],
}

/// A field of a block.
#[derive(Debug)]
struct Field {
    name: &'static str,
    doc: &'static str,
    /// `i`, `o`, `b`, `l`: signals by direction; `c`: Constants; `?`: interfaces and blocks.
    kind: char,
    /// There may be none.
    optional: bool,
    /// Signals of an interface with their doc comments.
    inner: &'static [(&'static str, &'static str)],
}

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// Columns of a line of comment.
const COLUMNS: usize = 96;

/// The only block of this crate that has the fields of the node.
pub(super) fn find(node: &Node) -> Option<&'static Source> {
    let fields = fields(node);
    let mut all = BLOCKS.iter().filter(|source| source.fits(&fields));
    all.next().filter(|_| all.next().is_none())
}

/// The properties to prove of a module, by the name in its marker.
pub(super) fn properties(marker: &Marker) -> Option<(&'static str, &'static str)> {
    FORMAL.iter().find(|(name, _)| *name == marker.name).copied()
}

/// Names of a node's fields with their kinds.
fn fields(node: &Node) -> BTreeMap<&str, char> {
    let mut fields = BTreeMap::new();
    for Leaf { key, kind, .. } in &node.leaves {
        let (field, rest) = key.split_once('$').unwrap_or((key, ""));
        let kind = match kind {
            _ if !rest.chars().all(|c| c.is_ascii_digit()) => '?',
            AtomKind::InputParameter => 'i',
            AtomKind::OutputParameter => 'o',
            AtomKind::InOutParameter => 'b',
            AtomKind::LocalSignal => 'l',
            AtomKind::Constant => 'c',
            _ => '?',
        };
        fields.insert(field, kind);
    }
    for child in &node.children {
        fields.insert(first(&child.name), '?');
    }
    fields
}

/// The width of a signal of the node, or of one of a block below.
fn width(key: &str, node: &Node) -> Option<usize> {
    let own = |node: &Node, key: &str| Some(node.leaves.iter().find(|leaf| leaf.key == key)?.width);
    own(node, key).or_else(|| {
        let (child, key) = key.split_once('$')?;
        own(node.children.iter().find(|node| node.name == child)?, key)
    })
}

/// The field that a key begins with.
fn first(key: &str) -> &str {
    key.split('$').next().unwrap_or(key)
}

impl Source {
    fn fits(&self, fields: &BTreeMap<&str, char>) -> bool {
        let here = |field: &Field| fields.get(field.name) == Some(&field.kind);
        let count = self.fields.iter().filter(|field| here(field)).count();
        count == fields.len() && self.fields.iter().all(|field| field.optional || here(field))
    }

    /// The name of the block and its file.
    pub(super) fn origin(&self) -> String {
        match self.file {
            "" => format!("Source: {}, made from the register map.", self.name),
            file => format!("Source: {} in {file}.", self.name),
        }
    }

    /// The block's comment as paragraphs of lines, with its const generics as numbers.
    pub(super) fn describe(&self, node: &Node) -> Vec<String> {
        let text = self.plain(self.doc, node);
        text.split('\n')
            .flat_map(|line| if line.is_empty() { vec![String::new()] } else { wrap(line) })
            .collect()
    }

    /// The comment of a port's field, which all ports of an interface share.
    pub(super) fn field(&self, key: &str, node: &Node) -> String {
        let field = self.fields.iter().find(|field| field.name == first(key));
        field.map_or_else(String::new, |field| self.plain(field.doc, node))
    }

    /// The comment of one port: its field's, and then what it is within the interface.
    pub(super) fn port(&self, key: &str, node: &Node) -> String {
        let last = key.rsplit('$').next().unwrap_or(key);
        let inner = self.fields.iter().filter(|field| field.name == first(key)).flat_map(|field| field.inner);
        let inner = inner.filter(|(name, _)| *name == last).map(|(_, doc)| self.plain(doc, node));
        [self.field(key, node)]
            .into_iter()
            .chain(inner)
            .filter(|doc| !doc.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The comment above the statement on a line.
    fn remark(&self, line: usize) -> Option<&'static str> {
        let place = self.statements.binary_search_by_key(&line, |(_, line, _)| *line).ok()?;
        self.statements.get(place).map(|(.., remark)| *remark).filter(|remark| !remark.is_empty())
    }

    /// A doc comment without links, and with numbers for the const generics that are known.
    fn plain(&self, doc: &str, node: &Node) -> String {
        let mut text = without_links(doc);
        for (generic, key) in self.generics {
            if let Some(width) = width(key, node) {
                text = text.replace(&format!("`{generic}`"), &width.to_string());
            }
        }
        text
    }

    /// The line of each statement, by its place in memory; empty if source and design differ.
    pub(super) fn lines(&self, code: &VerilogBlock) -> HashMap<*const VerilogStatement, usize> {
        let mut found = Vec::new();
        statements(code, &mut found);
        let same = found.iter().map(|(kind, _)| kind).eq(self.statements.iter().map(|(kind, ..)| kind));
        if self.file.is_empty() || !same {
            return HashMap::new();
        }
        found.iter().zip(self.statements).map(|((_, place), (_, line, _))| (*place, *line)).collect()
    }
}

/// The comments of one module's statements, each of which is printed once.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    source: Option<&'static Source>,
    printed: BTreeSet<usize>,
}

impl Remarks {
    pub(super) fn of(source: Option<&'static Source>) -> Self {
        Self { source, printed: BTreeSet::new() }
    }

    /// The lines of comment above the statement on this line of the source, if they are still to come.
    pub(super) fn take(&mut self, line: Option<usize>) -> Vec<String> {
        let remark = line.and_then(|line| Some((line, self.source?.remark(line)?)));
        match remark.filter(|(line, _)| self.printed.insert(*line)) {
            Some((_, remark)) => wrap(&without_links(remark)).iter().map(|l| format!("// {l}")).collect(),
            None => Vec::new(),
        }
    }
}

/// The text with `[x]` and `[x](y)` as `x`.
fn without_links(doc: &str) -> String {
    let mut text = String::new();
    let mut rest = doc;
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((name, after)) = after.split_once("`]") else { break };
        text += &format!("{before}`{name}`");
        rest = match after.strip_prefix('(').and_then(|link| link.split_once(')')) {
            Some((_, after)) => after,
            None => after,
        };
    }
    text + rest
}

/// Lines of at most [`COLUMNS`].
pub(super) fn wrap(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_ascii_whitespace() {
        let last = lines.last_mut().expect("there is one from the start");
        if !last.is_empty() && last.len() + 1 + word.len() > COLUMNS {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

/// Kinds of the statements in the order of the source, as the build script tells them.
fn statements(code: &VerilogBlock, out: &mut Vec<(char, *const VerilogStatement)>) {
    for statement in code {
        let kind = match statement {
            VerilogStatement::Assignment(..) | VerilogStatement::SliceAssignment { .. } => 'a',
            VerilogStatement::If(_) => 'i',
            VerilogStatement::Match(_) => 'm',
            VerilogStatement::Loop(_) => 'f',
            VerilogStatement::Link(_) => 'l',
            VerilogStatement::Comment(_) | VerilogStatement::Macro(_) => 'x',
        };
        out.push((kind, statement));
        inside(statement, out);
    }
}

fn inside(statement: &VerilogStatement, out: &mut Vec<(char, *const VerilogStatement)>) {
    match statement {
        VerilogStatement::If(VerilogConditional { then, otherwise, .. }) => {
            statements(then, out);
            match otherwise {
                VerilogBlockOrConditional::Block(code) => statements(code, out),
                VerilogBlockOrConditional::Conditional(next) => {
                    out.push(('i', &**next));
                    inside(next, out);
                }
                VerilogBlockOrConditional::None => {}
            }
        }
        VerilogStatement::Match(choice) => choice.cases.iter().for_each(|case| statements(&case.block, out)),
        VerilogStatement::Loop(repeat) => statements(&repeat.block, out),
        _ => {}
    }
}

/// What separates a line of Verilog from the source line that it comes from, until the module is complete.
const SEPARATOR: char = '\u{1f}';

/// A line of Verilog with the source line behind it.
pub(super) fn tag(text: &str, line: Option<usize>) -> String {
    line.map_or_else(|| text.to_owned(), |line| format!("{text}{SEPARATOR}{line}"))
}

/// The line in several if it is too long; a tag stays with the last of them.
pub(super) fn folded(line: &str) -> Vec<String> {
    let (code, tag) = line.split_at(line.find(SEPARATOR).unwrap_or(line.len()));
    let mut lines = fold(code);
    if let Some(last) = lines.last_mut() {
        last.push_str(tag);
    }
    lines
}

/// The text without tags, and the tag of each line.
pub(super) fn untag(text: &str) -> (String, Vec<Option<usize>>) {
    let (mut plain, mut lines) = (String::new(), Vec::new());
    for line in text.lines() {
        let (code, tag) =
            line.split_once(SEPARATOR).map_or((line, None), |(code, tag)| (code, tag.parse().ok()));
        plain.push_str(code);
        plain.push('\n');
        lines.push(tag);
    }
    (plain, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_blocks_have_the_same_fields() {
        for (index, source) in BLOCKS.iter().enumerate() {
            let fields: BTreeMap<&str, char> = source.fields.iter().map(|f| (f.name, f.kind)).collect();
            let others: Vec<_> =
                BLOCKS[index + 1..].iter().filter(|other| other.fits(&fields)).map(|o| o.name).collect();
            assert!(others.is_empty(), "{} and {others:?} cannot be told apart by their fields", source.name);
        }
    }

    #[test]
    fn every_block_has_a_comment() {
        for source in BLOCKS {
            assert!(!source.doc.is_empty(), "{} in {}", source.name, source.file);
        }
    }

    #[test]
    fn links_become_the_words_that_they_show() {
        assert_eq!(without_links("see [`Slice`] and [`emit`](super::emit)."), "see `Slice` and `emit`.");
        assert_eq!(without_links("bits [7:0], [`open"), "bits [7:0], [`open");
    }

    #[test]
    fn lines_are_filled_but_not_beyond_the_last_column() {
        let lines = wrap(&"word ".repeat(60));
        assert!(lines.iter().all(|line| line.len() <= COLUMNS), "{lines:?}");
        assert!(lines[..lines.len() - 1].iter().all(|line| line.len() > COLUMNS - 5), "{lines:?}");
    }

    #[test]
    fn tags_are_taken_off_again() {
        let text = format!("{}\n{}\n", tag("a <= b;", Some(12)), tag("end", None));
        assert_eq!(untag(&text), ("a <= b;\nend\n".to_owned(), vec![Some(12), None]));
    }
}
