//! `new`: a configuration to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;

use nicforge_hdl::config::starting_file;
use serde::Serialize;

use crate::boards::BoardFolders;
use crate::error::Error;
use crate::report::Report;

/// Write a configuration to start from, with every field, its default and its meaning.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge new ibob > my.toml")]
pub struct New {
    /// A board, or "none" for an own design; `nicforge boards` lists them.
    board: String,
    /// File to write instead of standard output; an existing one is left alone.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    boards: BoardFolders,
}

#[derive(Serialize, Debug)]
pub struct Started {
    board: String,
    /// Where the configuration was written; none for standard output.
    file: Option<PathBuf>,
    configuration: String,
}

impl Report for Started {
    fn text(&self) -> String {
        match &self.file {
            Some(file) => format!("{}: a configuration for {}\n", file.display(), self.board),
            None => self.configuration.clone(),
        }
    }
}

impl New {
    pub fn run(self) -> Result<Started, Error> {
        let configuration = starting_file(&self.board, &self.boards.boards(self.output.as_deref())?)?;
        if let Some(path) = &self.output {
            let failed = |source: std::io::Error| match source.kind() {
                ErrorKind::AlreadyExists => Error::Exists { path: path.clone() },
                _ => Error::Output { what: path.display().to_string(), source },
            };
            let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
            file.write_all(configuration.as_bytes()).map_err(failed)?;
        }
        Ok(Started { board: self.board, file: self.output, configuration })
    }
}
