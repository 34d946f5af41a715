//! Puts the files into a folder, all or none: they are written beside it and moved into place at
//! the end, so that a run that fails leaves an older result as it was.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{MANIFEST, Manifest};
use super::{BUILD, GENERATOR, Outputs, constraints};

/// Why there are no files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Board and design do not belong together.
    #[error(transparent)]
    Constraints(#[from] constraints::Error),
    /// The folder has contents of its own.
    #[error("{folder}: wanted an empty folder or one that {GENERATOR} made, found {found}")]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// What is in it.
        found: String,
    },
    /// The system refused something.
    #[error("cannot {what} {path}")]
    System {
        /// What was tried.
        what: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl Outputs {
    /// Writes all files into `folder`, which may not exist yet. What an earlier run wrote there is replaced.
    ///
    /// # Errors
    /// When the folder has files of somebody else, or the system refuses; the folder is then as it was.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        refuse_foreign(folder)?;
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(system("create", parent))?;
        let build = tempfile::Builder::new().prefix(".nicforge-").tempdir_in(parent);
        let build = build.map_err(system("create a folder in", parent))?;
        let new = build.path().join("new");
        for (path, text) in &self.files {
            write_file(&new.join(path), text)?;
        }
        replace(&new, folder, &build.path().join("old"))
    }
}

/// Moves `new` to `folder`; what was there goes to `old` first, and comes back if the move fails. What the tools
/// made stays.
fn replace(new: &Path, folder: &Path, old: &Path) -> Result<(), Error> {
    if !folder.exists() {
        return fs::rename(new, folder).map_err(system("create", folder));
    }
    fs::rename(folder, old).map_err(system("replace", folder))?;
    let (made, place) = (old.join(BUILD), new.join(BUILD));
    let moved = if made.exists() { fs::rename(&made, &place) } else { Ok(()) };
    moved.and_then(|()| fs::rename(new, folder)).map_err(|source| {
        // Nothing better can be done if these fail too; the first cause is what is reported.
        let _ = fs::rename(&place, &made);
        let _ = fs::rename(old, folder);
        Error::System { what: "create", path: folder.to_owned(), source }
    })
}

fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(system("create", folder))?;
    }
    fs::write(path, text).map_err(system("write", path))
}

/// A folder may be replaced if every file in it is named by a manifest of ours, or made by the scripts in it.
fn refuse_foreign(folder: &Path) -> Result<(), Error> {
    let foreign = |found: String| Err(Error::Foreign { folder: folder.to_owned(), found });
    match fs::symlink_metadata(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(system("look at", folder)(cause)),
        Ok(metadata) if !metadata.is_dir() => return foreign("something that is no folder".to_owned()),
        Ok(_) => {}
    }
    let mut found = files_in(folder, "")?;
    let made_by_tools = format!("{BUILD}/");
    found.retain(|path| !path.starts_with(&made_by_tools));
    let Some(first) = found.first() else { return Ok(()) };
    let text = fs::read_to_string(folder.join(MANIFEST)).unwrap_or_default();
    let Some(manifest) = Manifest::read(&text) else {
        return foreign(format!("{first} and no {MANIFEST} of {GENERATOR}"));
    };
    match found.iter().find(|path| *path != MANIFEST && !manifest.files.contains_key(*path)) {
        Some(path) => foreign(format!("{path}, which {MANIFEST} does not name")),
        None => Ok(()),
    }
}

/// Paths of all files under a folder, relative to it, with `/` between their parts.
fn files_in(folder: &Path, prefix: &str) -> Result<BTreeSet<String>, Error> {
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(system("list", folder))? {
        let entry = entry.map_err(system("list", folder))?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().map_err(system("look at", folder))?.is_dir() {
            files.extend(files_in(&entry.path(), &format!("{name}/"))?);
        } else {
            files.insert(name);
        }
    }
    Ok(files)
}

fn system(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::System { what, path, source }
}
