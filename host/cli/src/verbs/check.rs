//! `check`: every fault of a configuration at once.

use std::path::PathBuf;

use nicforge_hdl::config::Fault;
use serde::Serialize;

use crate::boards::BoardFolders;
use crate::report::Report;

/// List every fault of a configuration.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge check configs/ibob.toml")]
pub struct Check {
    /// The configuration.
    file: PathBuf,
    #[command(flatten)]
    boards: BoardFolders,
}

#[derive(Serialize, Debug)]
pub struct Checked {
    file: PathBuf,
    board: Option<String>,
    top: Option<&'static str>,
    digest: Option<String>,
    faults: Vec<Fault>,
}

impl Report for Checked {
    fn text(&self) -> String {
        let file = self.file.display();
        match (&self.top, &self.digest) {
            (Some(top), Some(digest)) => format!("{file}: no faults; design {top}, configuration {digest}\n"),
            _ => self.faults.iter().map(|fault| format!("{fault}\n")).collect(),
        }
    }
    fn failed(&self) -> bool {
        !self.faults.is_empty()
    }
    fn status_when_failed(&self) -> u8 {
        2
    }
}

impl Check {
    pub fn run(self) -> Checked {
        match self.boards.load(&self.file) {
            Ok(config) => Checked {
                file: self.file,
                board: Some(config.board_name().to_owned()),
                top: Some(config.top.name()),
                digest: Some(config.digest_hex()),
                faults: Vec::new(),
            },
            Err(faults) => Checked {
                file: self.file,
                board: None,
                top: None,
                digest: None,
                faults: faults.list().to_vec(),
            },
        }
    }
}
