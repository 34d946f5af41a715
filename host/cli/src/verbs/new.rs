//! `new`: a configuration to start from, and the schema that an editor checks it with.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use nicforge_hdl::config::{schema, starting_file};
use serde::Serialize;

use crate::boards::BoardFolders;
use crate::error::Error;
use crate::report::{Outcome, Report};

/// Write a configuration to start from, with every field, its default and its meaning.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge new ibob > my.toml")]
pub struct New {
    /// A board, or "none" for an own design; `nicforge boards` lists them.
    #[arg(required_unless_present = "schema")]
    board: Option<String>,
    /// Write the JSON Schema of configurations instead, for editors that check TOML with one.
    #[arg(long, conflicts_with = "board")]
    schema: bool,
    /// File to write instead of standard output; an existing one is left alone.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    boards: BoardFolders,
}

#[derive(Serialize, Debug)]
struct Started {
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

#[derive(Serialize, Debug)]
struct Schema {
    /// Where the schema was written; none for standard output.
    file: Option<PathBuf>,
    schema: serde_json::Value,
}

impl Report for Schema {
    fn text(&self) -> String {
        match &self.file {
            Some(file) => format!("{}: the schema of configurations\n", file.display()),
            None => pretty(&self.schema),
        }
    }
}

fn pretty(schema: &serde_json::Value) -> String {
    format!("{schema:#}\n")
}

impl New {
    pub fn run(self) -> Result<Outcome, Error> {
        let boards = self.boards.boards(self.output.as_deref())?;
        let file = self.output;
        let Some(board) = self.board else {
            let schema = schema(&boards);
            write_new(file.as_deref(), &pretty(&schema))?;
            return Ok(Outcome::of(&Schema { file, schema }));
        };
        let configuration = starting_file(&board, &boards)?;
        write_new(file.as_deref(), &configuration)?;
        Ok(Outcome::of(&Started { board, file, configuration }))
    }
}

/// Writes a file that is not there yet, if one is asked for.
fn write_new(file: Option<&Path>, text: &str) -> Result<(), Error> {
    let Some(path) = file else { return Ok(()) };
    let failed = |source: std::io::Error| match source.kind() {
        ErrorKind::AlreadyExists => Error::Exists { path: path.to_owned() },
        _ => Error::Output { what: path.display().to_string(), source },
    };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(|source| {
        // Half a configuration helps nobody; if it cannot be removed either, the first cause is reported.
        let _ = std::fs::remove_file(path);
        failed(source)
    })
}
