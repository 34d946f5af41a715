//! Where the programs of the open flow are: the native ones on PATH, else their builds for WASM from
//! PyPI, on PATH or in a Python environment of the project.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::job::Job;
use crate::packages::is_executable;

/// What the name of a program has in front in the packages for WASM.
const PREFIX: &str = "yowasp-";
/// Folders with programs below the project's folder: that of `tools/setup build`, and that of `tools/setup test`.
const FOLDERS: &[&str] = &[".tools/flow/bin", ".venv/bin"];
/// How long a program may take to tell its version: one for WASM is compiled the first time.
const VERSION_LIMIT: Duration = Duration::from_secs(600);

/// A program that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// The program, as the flow calls it.
    pub program: String,
    /// Where it is.
    pub path: PathBuf,
    /// What it says of its version.
    pub version: String,
}

impl Tool {
    /// Finds a program and asks for its version.
    ///
    /// # Errors
    /// When it is not there, or does not answer.
    pub fn find(program: &'static str, log: &Path, interrupted: &AtomicBool) -> Result<Self, Error> {
        let path = find(program).ok_or(Error::Missing { program })?;
        let arguments = [if program == "yosys" { "-V" } else { "--version" }.to_owned()];
        let mut said = Vec::new();
        let job = Job {
            program,
            path: &path,
            arguments: &arguments,
            folder: Path::new("."),
            log,
            limit: VERSION_LIMIT,
            interrupted,
        };
        let ended = job.run(&mut |line| said.push(line.to_owned()))?;
        let version = said.iter().find(|line| line.contains(|c: char| c.is_ascii_digit()));
        match version {
            Some(version) if ended.success() => {
                Ok(Self { program: program.to_owned(), path, version: version.trim().to_owned() })
            }
            _ => Err(job.failed(ended)),
        }
    }
}

/// The place of a program of the flow.
pub fn find(program: &str) -> Option<PathBuf> {
    let on_path: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let other = format!("{PREFIX}{program}");
    let look = |name: &str, folders: &[PathBuf]| {
        folders.iter().map(|folder| folder.join(name)).find(|path| is_executable(path))
    };
    let own = own_folders();
    look(program, &on_path).or_else(|| look(&other, &on_path)).or_else(|| look(&other, &own))
}

/// The folders for programs in the working folder, and in the project that this program was built in.
fn own_folders() -> Vec<PathBuf> {
    let program = std::env::current_exe().unwrap_or_default();
    let roots = std::env::current_dir().into_iter();
    let roots = roots.chain(program.ancestors().skip(1).map(Path::to_owned));
    roots.flat_map(|root| FOLDERS.iter().map(move |folder| root.join(folder))).collect()
}
