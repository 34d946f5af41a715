//! The boards there are: those that are part of the program, and those in folders of the user.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::board::{Board, NO_BOARD};
use super::board_file;
use super::faults::Faults;
use super::fields::one_of;

/// Name of the file that makes a folder a board.
pub const BOARD_FILE: &str = "board.toml";
/// Name of the folder with board folders that is looked for beside a configuration.
pub const BOARDS_FOLDER: &str = "constraints";

/// Name, file and text of every board in `constraints/`, by `build.rs`.
const FILES: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/boards.rs"));

/// There is no board of this name, or none without faults.
#[derive(Debug, thiserror::Error)]
pub enum NoSuchBoard {
    /// No board has the name.
    #[error("unknown board {found:?}, wanted {wanted}")]
    Unknown {
        /// The name given.
        found: String,
        /// The names there are.
        wanted: String,
    },
    /// The board's file has faults.
    #[error(transparent)]
    Faulty(Box<Faults>),
}

/// A set of boards by name. A board whose file has faults is in it, and refused when it is asked for.
#[derive(Clone, Debug)]
pub struct Boards {
    boards: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// Where it was found.
    file: String,
    read: Result<Arc<Board>, Box<Faults>>,
}

impl Boards {
    /// The boards that are part of the program.
    pub fn built_in() -> &'static Self {
        static BOARDS: OnceLock<Boards> = OnceLock::new();
        BOARDS.get_or_init(|| {
            let mut boards = Boards { boards: BTreeMap::new() };
            for (name, file, text) in FILES {
                boards.add(name, file, text);
            }
            boards
        })
    }

    /// The boards that are part of the program and those of the user's folder beside `file`, or else
    /// of that in the working folder.
    ///
    /// # Errors
    /// When a folder that is there cannot be read.
    pub fn around(file: &Path) -> Result<Self, Faults> {
        let beside = file.parent().unwrap_or(Path::new("")).join(BOARDS_FOLDER);
        let boards = Self::built_in().clone();
        match [beside.as_path(), Path::new(BOARDS_FOLDER)].into_iter().find(|folder| folder.is_dir()) {
            Some(folder) => boards.with_folder(folder),
            None => Ok(boards),
        }
    }

    /// These boards and one for every folder in `folder` that holds a file [`BOARD_FILE`]. A board
    /// that is there already may be given again if it is the same.
    ///
    /// # Errors
    /// When the folder cannot be read. A fault of one board is kept until that board is asked for.
    pub fn with_folder(mut self, folder: &Path) -> Result<Self, Faults> {
        let refuse = |path: &Path, cause: std::io::Error| {
            let mut faults = Faults::new(&path.display().to_string(), "");
            faults.add(None, "", "a readable folder of boards", format!("this: {cause}"));
            faults
        };
        let listing = std::fs::read_dir(folder).map_err(|cause| refuse(folder, cause))?;
        let mut paths = Vec::new();
        for entry in listing {
            paths.push(entry.map_err(|cause| refuse(folder, cause))?.path());
        }
        paths.sort();
        for path in paths {
            let file = path.join(BOARD_FILE);
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match std::fs::read_to_string(&file) {
                Ok(text) => self.add(&name, &file.display().to_string(), &text),
                Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                Err(cause) => self.add_unreadable(&name, &file, &cause),
            }
        }
        Ok(self)
    }

    fn add(&mut self, name: &str, file: &str, text: &str) {
        let read = board_file::read(text, file, name);
        let Some(known) = self.boards.get(name) else {
            self.insert(name, file, read);
            return;
        };
        if matches!((&known.read, &read), (Ok(known), Ok(board)) if **known == *board) {
            return;
        }
        let mut faults = Faults::new(file, text);
        let place = text.find("name").map(|at| at..at + "name".len());
        faults.add(place, "name", "a name of its own", format!("{name:?}, which {} has", known.file));
        let all = match read {
            Ok(_) => faults,
            Err(mut others) => {
                others.append(faults);
                others
            }
        };
        self.insert(name, file, Err(all));
    }

    fn add_unreadable(&mut self, name: &str, file: &Path, cause: &std::io::Error) {
        let file = file.display().to_string();
        let mut faults = Faults::new(&file, "");
        faults.add(None, "", "a readable text file", format!("this: {cause}"));
        self.insert(name, &file, Err(faults));
    }

    fn insert(&mut self, name: &str, file: &str, read: Result<Board, Faults>) {
        let read = read.map(Arc::new).map_err(Box::new);
        self.boards.insert(name.to_owned(), Entry { file: file.to_owned(), read });
    }

    /// The board of this name, or the faults of its file; `None` where there is no such board.
    pub fn find(&self, name: &str) -> Option<Result<&Arc<Board>, &Faults>> {
        self.boards.get(name).map(|entry| entry.read.as_ref().map_err(|faults| &**faults))
    }

    /// The board of this name.
    ///
    /// # Errors
    /// When there is none, or its file has faults.
    pub fn board(&self, name: &str) -> Result<&Arc<Board>, NoSuchBoard> {
        match self.find(name) {
            Some(Ok(board)) => Ok(board),
            Some(Err(faults)) => Err(NoSuchBoard::Faulty(Box::new(faults.clone()))),
            None => Err(NoSuchBoard::Unknown { found: name.to_owned(), wanted: self.one_of_names() }),
        }
    }

    /// The boards without faults, by name.
    pub fn sound(&self) -> impl Iterator<Item = &Arc<Board>> {
        self.boards.values().filter_map(|entry| entry.read.as_ref().ok())
    }

    /// The faults of the others, by name.
    pub fn faulty(&self) -> impl Iterator<Item = (&str, &Faults)> {
        self.boards.iter().filter_map(|(name, entry)| Some((name.as_str(), &**entry.read.as_ref().err()?)))
    }

    /// What may stand behind `board =` in a configuration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.boards.keys().map(String::as_str).chain([NO_BOARD])
    }

    /// The names, as they end a sentence "wanted ...".
    pub(super) fn one_of_names(&self) -> String {
        one_of(self.names())
    }
}
