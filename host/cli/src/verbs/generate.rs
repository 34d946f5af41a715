//! `generate`: everything that one configuration becomes.

use std::path::PathBuf;

use nicforge_hdl::outputs::{Outputs, purpose, rows};
use serde::Serialize;

use crate::boards::BoardFolders;
use crate::error::Error;
use crate::report::{Report, table};

/// Write Verilog, constraints, tool scripts, register map, pictures and a manifest for a configuration
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
    top: String,
    design: &'static str,
    digest: String,
    modules: usize,
    files: Vec<Written>,
}

/// A file, and what it is for.
#[derive(Serialize, Debug)]
pub struct Written {
    path: String,
    purpose: &'static str,
}

impl Report for Generated {
    fn text(&self) -> String {
        let paths = self.files.iter().map(|file| file.path.as_str());
        let lines: Vec<Vec<String>> = rows(paths)
            .into_iter()
            .map(|row| {
                let many = if row.files > 1 { format!("{} files: ", row.files) } else { String::new() };
                vec![format!("  {}", row.path), format!("{many}{}", row.purpose)]
            })
            .collect();
        format!(
            "{}: module {}, {} modules in {} files, configuration {}\n{}",
            self.folder.display(),
            self.top,
            self.modules,
            self.files.len(),
            self.digest,
            table(&lines),
        )
    }
}

impl Generate {
    pub fn run(self) -> Result<Generated, Error> {
        let (config, mut design) = self.boards.design(&self.file)?;
        if self.source_lines {
            design = design.with_places();
        }
        let outputs = Outputs::new(&config, &design)?;
        outputs.write(&self.output)?;
        let written = |path: &String| Written { path: path.clone(), purpose: purpose(path) };
        Ok(Generated {
            folder: self.output,
            top: design.top,
            design: config.top.name(),
            digest: config.digest_hex(),
            modules: design.modules.len(),
            files: outputs.files().keys().map(written).collect(),
        })
    }
}
