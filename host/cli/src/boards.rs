//! Where boards are looked for: the same options on every verb that reads a configuration.

use std::path::{Path, PathBuf};

use nicforge_hdl::config::{Boards, Config, Faults};
use nicforge_hdl::top;
use nicforge_hdl::verilog::Emitted;

use crate::error::Error;

/// Environment variable with folders of boards, separated as in `PATH`.
const FOLDERS: &str = "NICFORGE_BOARDS";

/// Folders of the user's boards.
#[derive(clap::Args, Debug, Default)]
pub struct BoardFolders {
    /// Folder with folders of boards, besides `constraints` beside the configuration or here and
    /// those in NICFORGE_BOARDS.
    #[arg(long = "boards", value_name = "DIR")]
    folders: Vec<PathBuf>,
}

impl BoardFolders {
    /// The boards that are part of the program, and the user's; `file` is the configuration.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn boards(&self, file: Option<&Path>) -> Result<Boards, Faults> {
        let around = Boards::around(file.unwrap_or(Path::new("")))?;
        let named = std::env::var_os(FOLDERS).unwrap_or_default();
        let named = std::env::split_paths(&named).filter(|folder| !folder.as_os_str().is_empty());
        named
            .chain(self.folders.iter().cloned())
            .try_fold(around, |boards, folder| boards.with_folder(&folder))
    }

    /// The configuration, with these boards.
    ///
    /// # Errors
    /// Every fault of the configuration and of its board, or of a folder of boards.
    pub fn load(&self, file: &Path) -> Result<Config, Faults> {
        Config::load_with(file, &self.boards(Some(file))?)
    }

    /// The configuration and its design, which fits the board's part as far as counting can tell.
    ///
    /// # Errors
    /// As [`BoardFolders::load`]; the board, if its part is too small; a fault of the gateware's source.
    pub fn design(&self, file: &Path) -> Result<(Config, Emitted), Error> {
        let config = self.load(file)?;
        let design = top::emit(&config)?;
        config.fit(design.needs)?;
        Ok((config, design))
    }
}
