//! `check`: every fault of a configuration at once.

use std::path::PathBuf;

use nicforge_hdl::config::Fault;
use nicforge_hdl::verilog::Needs;
use serde::Serialize;

use crate::boards::BoardFolders;
use crate::error::Error;
use crate::report::Report;

/// List every fault of a configuration, and of its board.
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
    /// What the design has before synthesis.
    needs: Option<Needs>,
    faults: Vec<Fault>,
}

impl Report for Checked {
    fn text(&self) -> String {
        let file = self.file.display();
        match (&self.top, &self.digest, &self.needs) {
            (Some(top), Some(digest), Some(needs)) => format!(
                "{file}: no faults; design {top}, configuration {digest}, {} flip-flops and {} bits of RAM\n",
                needs.flip_flops, needs.memory_bits
            ),
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
    pub fn run(self) -> Result<Checked, Error> {
        let (config, needs, faults) = match self.boards.design(&self.file) {
            Ok((config, design)) => (Some(config), Some(design.needs), Vec::new()),
            Err(Error::Configuration(faults)) => (None, None, faults.list().to_vec()),
            Err(other) => return Err(other),
        };
        Ok(Checked {
            file: self.file,
            board: config.as_ref().map(|config| config.board_name().to_owned()),
            top: config.as_ref().map(|config| config.top.name()),
            digest: config.as_ref().map(|config| config.digest_hex()),
            needs,
            faults,
        })
    }
}
