//! `generate`: Verilog, register map and manifest of one configuration.

use std::path::PathBuf;

use nicforge_hdl::outputs::Outputs;
use serde::Serialize;

use crate::boards::BoardFolders;
use crate::error::Error;
use crate::report::Report;

/// Write the Verilog, the register map and a manifest for a configuration.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge generate configs/ibob.toml -o out")]
pub struct Generate {
    /// The configuration.
    file: PathBuf,
    /// Folder for the result: a new or empty one, or one that an earlier run made.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Name the Rust source and line behind every statement of the Verilog.
    #[arg(long)]
    source_lines: bool,
    #[command(flatten)]
    boards: BoardFolders,
}

#[derive(Serialize, Debug)]
pub struct Generated {
    folder: PathBuf,
    top: &'static str,
    digest: String,
    modules: usize,
    files: Vec<String>,
}

impl Report for Generated {
    fn text(&self) -> String {
        format!(
            "{}: design {}, {} modules in {} files, configuration {}\n",
            self.folder.display(),
            self.top,
            self.modules,
            self.files.len(),
            self.digest,
        )
    }
}

impl Generate {
    pub fn run(self) -> Result<Generated, Error> {
        let (config, mut design) = self.boards.design(&self.file)?;
        if self.source_lines {
            design = design.with_places();
        }
        let outputs = Outputs::new(&config, &design);
        outputs.write(&self.output)?;
        Ok(Generated {
            folder: self.output,
            top: config.top.name(),
            digest: config.digest_hex(),
            modules: design.modules.len(),
            files: outputs.files().keys().cloned().collect(),
        })
    }
}
