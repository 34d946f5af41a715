//! Finds Rust-HDL source that compiles and yet means something else in Verilog than in Rust, or
//! nothing at all.
//!
//! `#[hdl_gen]` sees tokens, never types or values: a Rust constant, an inclusive range or a doubly
//! indexed array passes the compiler, and is lost or misread in the design. This check reads the
//! same source with `syn` and names each such place. It needs only the text of a file.
//!
//! What the back end itself gets right or refuses is not checked again: keywords as names, widths,
//! latches, loops, undriven signals.

mod block;
mod order;
mod update;

use std::fmt;
use std::path::{Path, PathBuf};

/// What is wrong at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// `a..=b`: the design loses the last turn of the loop.
    InclusiveRange,
    /// A Rust constant, const generic or plain variable as a value: the design has no such name.
    ConstantAsValue,
    /// A field whose name begins with `_` as a value: it is no signal.
    HiddenField,
    /// The `d` of a flip-flop is read: simulators do not agree on what that gives.
    FlipFlopInput,
    /// A signal is read above its first or its last assignment in the same block.
    EarlyRead,
    /// An index within an indexed expression: only the first is expanded.
    NestedIndex,
    /// An index that is not made of literals and loop variables.
    ComputedIndex,
    /// `.index()` on something other than `signal.val()`, or within arithmetic.
    IndexNotBare,
    /// A macro that the design does not contain: it is checked in the Rust simulator alone.
    ForeignMacro,
    /// A body so long that compiling it takes minutes.
    LongBody,
    /// An enumeration of one state, which has no bits.
    OneState,
    /// Hand-written Verilog in a block that the list does not allow it to.
    HandWrittenVerilog,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::InclusiveRange => "an inclusive range loses its last turn; write `a..b`",
            Rule::ConstantAsValue => "not a signal; put the value into a `Constant` field",
            Rule::HiddenField => "a field with `_` in front is no signal; use a `Constant` field",
            Rule::FlipFlopInput => "the input of a flip-flop is read; name the value as a Local",
            Rule::EarlyRead => "read above its first or last assignment; assign it first",
            Rule::NestedIndex => "only one index is expanded; use one dimension",
            Rule::ComputedIndex => "an index may only hold literals and loop variables",
            Rule::IndexNotBare => "`.index()` stands alone behind `signal.val()`",
            Rule::ForeignMacro => "the macro is not part of the design",
            Rule::LongBody => "more statements than a block may have; split the block",
            Rule::OneState => "an enumeration of one state has no bits",
            Rule::HandWrittenVerilog => "hand-written Verilog; only the listed blocks may have it",
        })
    }
}

/// One place where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, as the caller named it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub rule: Rule,
    /// The piece of source that is meant.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: `{}`: {}", self.file, self.line, self.what, self.rule)
    }
}

/// A file could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not Rust.
    #[error("{file}:{line}: wanted Rust source, found: {message}")]
    NotRust {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// It cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Checks the text of one file; `name` stands for it in findings. Blocks named in `hand_written`
/// may contain Verilog.
///
/// # Errors
/// When the text is not Rust.
pub fn check(name: &str, text: &str, hand_written: &[&str]) -> Result<Vec<Finding>, Error> {
    let file = syn::parse_file(text).map_err(|cause| Error::NotRust {
        file: name.to_owned(),
        line: cause.span().start().line,
        message: cause.to_string(),
    })?;
    let mut findings = block::check(&file, hand_written);
    for finding in &mut findings {
        name.clone_into(&mut finding.file);
    }
    findings.sort_by_key(|finding| finding.line);
    Ok(findings)
}

/// Checks every Rust file under `folder` but those under `except`.
///
/// # Errors
/// When a file cannot be read or is not Rust.
pub fn check_folder(folder: &Path, except: &[&str], hand_written: &[&str]) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    for path in rust_files(folder)? {
        let inside = path.strip_prefix(folder).unwrap_or(&path);
        if except.iter().any(|prefix| inside.starts_with(prefix)) {
            continue;
        }
        let text =
            std::fs::read_to_string(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
        findings.extend(check(&path.display().to_string(), &text, hand_written)?);
    }
    Ok(findings)
}

/// The Rust files under a folder, sorted.
///
/// # Errors
/// When a folder cannot be read.
pub fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = |source| Error::Read { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A finding without its file, which the caller adds.
fn finding(place: proc_macro2::Span, rule: Rule, what: impl Into<String>) -> Finding {
    Finding { file: String::new(), line: place.start().line, rule, what: what.into() }
}
