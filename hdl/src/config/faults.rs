//! What is wrong with a configuration: every fault at once, each with place, wanted and found.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use serde::Serialize;

/// One fault of a configuration file.
#[derive(Clone, Debug, Serialize)]
pub struct Fault {
    /// The file, as the caller named it.
    pub file: String,
    /// Line in the file, from 1; `None` where the fault is that something is missing.
    pub line: Option<usize>,
    /// The field, with its tables in front, such as `network.mac`; empty for a fault of the file itself.
    pub field: String,
    /// What would be right.
    pub wanted: String,
    /// What is there.
    pub found: String,
    #[serde(skip)]
    source: Source,
}

/// The file's text and the octets of it that a fault is about.
#[derive(Clone, Debug)]
struct Source {
    file: Arc<NamedSource<String>>,
    span: Option<Range<usize>>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        if !self.field.is_empty() {
            write!(f, " {}:", self.field)?;
        }
        write!(f, " wanted {}, found {}", self.wanted, self.found)
    }
}

impl std::error::Error for Fault {}

impl Diagnostic for Fault {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.span.as_ref().map(|_| &*self.source.file as &dyn SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.source.span.clone()?;
        Some(Box::new(std::iter::once(LabeledSpan::at(span, "here"))))
    }
}

/// All faults of one configuration or board, in the order of the file; never empty when returned as an error.
#[derive(Clone, Debug)]
pub struct Faults {
    name: String,
    file: Arc<NamedSource<String>>,
    list: Vec<Fault>,
}

impl Faults {
    pub(super) fn new(name: &str, text: &str) -> Self {
        let file = Arc::new(NamedSource::new(name, text.to_owned()));
        Self { name: name.to_owned(), file, list: Vec::new() }
    }

    pub(super) fn add(
        &mut self,
        span: Option<Range<usize>>,
        field: &str,
        wanted: impl Into<String>,
        found: impl Into<String>,
    ) {
        let line = span.as_ref().map(|span| self.line(span));
        let source = Source { file: Arc::clone(&self.file), span };
        let (file, field) = (self.name.clone(), field.to_owned());
        self.list.push(Fault { file, line, field, wanted: wanted.into(), found: found.into(), source });
    }

    /// Adds what the TOML parser found.
    pub(super) fn syntax(&mut self, text: &str, error: &toml::de::Error) {
        // Some recovered errors come without a place, or with one behind the end.
        let span = error.span().map(|span| span.start.min(text.len())..span.end.min(text.len()));
        self.add(span, "", "TOML", format!("a syntax error ({})", error.message()));
    }

    /// Line, from 1, at which a span begins.
    pub(super) fn line(&self, span: &Range<usize>) -> usize {
        line_of(self.file.inner(), span.start)
    }

    /// Takes over the faults of another file, or others of the same.
    pub(super) fn append(&mut self, others: Self) {
        self.list.extend(others.list);
    }

    /// `Ok` when there are none, else the faults by ascending line; those of other files come last.
    pub(super) fn into_result(mut self) -> Result<(), Self> {
        self.list.sort_by_key(|fault| (fault.file != self.name, fault.line));
        if self.list.is_empty() { Ok(()) } else { Err(self) }
    }

    /// The faults, by ascending line.
    pub fn list(&self) -> &[Fault] {
        &self.list
    }
}

/// Line, from 1, of an octet position; positions behind the end belong to the last line.
fn line_of(text: &str, position: usize) -> usize {
    1 + text.bytes().take(position).filter(|&octet| octet == b'\n').count()
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.list.len() == 1 { "fault" } else { "faults" };
        write!(f, "{}: {} {plural}", self.name, self.list.len())
    }
}

impl std::error::Error for Faults {}

impl Diagnostic for Faults {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.list.iter().map(|fault| fault as &dyn Diagnostic)))
    }
}
