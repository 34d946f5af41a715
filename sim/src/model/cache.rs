//! A directory of things that take long to make: complete or absent, and made once at a time.
use super::compile::{ToolError, failed};
use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The variable that names another directory for compiled models.
const VARIABLE: &str = "NICFORGE_CACHE";

/// The directory for compiled models when none was asked for: `NICFORGE_CACHE`, else `target/models` of
/// the workspace around the current directory, else the user's cache directory.
pub fn default_directory() -> PathBuf {
    if let Some(named) = env::var_os(VARIABLE) {
        return named.into();
    }
    let here = env::current_dir().unwrap_or_default();
    // A workspace is the outermost directory with a lock file; its `target` may not exist yet.
    if let Some(workspace) = here.ancestors().filter(|at| at.join("Cargo.lock").is_file()).last() {
        return workspace.join("target/models");
    }
    let home = env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let user = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home);
    user.unwrap_or_else(env::temp_dir).join("nicforge/models")
}

/// The name under which something made from `recipe` is kept.
pub fn key(recipe: &str) -> String {
    Sha256::digest(recipe).iter().map(|octet| format!("{octet:02x}")).collect()
}

/// The directory `root/key`, made by `make` in a directory of another name first, if it is not there.
///
/// Other processes that want the same thing wait for it. A maker that fails or is killed leaves
/// nothing that a later one could take for complete.
pub fn entry(
    root: &Path,
    key: &str,
    make: impl FnOnce(&Path) -> Result<(), ToolError>,
) -> Result<PathBuf, ToolError> {
    let (complete, partial) = (root.join(key), root.join(format!("{key}.partial")));
    if complete.is_dir() {
        return Ok(complete);
    }
    fs::create_dir_all(root).map_err(failed("create", root))?;
    let lock_path = root.join(format!("{key}.lock"));
    let lock = fs::File::create(&lock_path).map_err(failed("create", &lock_path))?;
    flock(&lock, FlockOperation::LockExclusive)
        .map_err(io::Error::from)
        .map_err(failed("lock", &lock_path))?;
    if complete.is_dir() {
        return Ok(complete);
    }
    remove(&partial)?;
    fs::create_dir(&partial).map_err(failed("create", &partial))?;
    let made = make(&partial);
    if made.is_err() {
        remove(&partial)?;
    }
    made?;
    fs::rename(&partial, &complete).map_err(failed("rename", &partial))?;
    Ok(complete)
}

/// Removes a directory with its contents, if it is there.
pub fn remove(directory: &Path) -> Result<(), ToolError> {
    match fs::remove_dir_all(directory) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(failed("remove", directory)(cause)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_thing_is_made_once_however_many_want_it() {
        let root = tempfile::tempdir().unwrap();
        let made = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let at = entry(root.path(), "a", |directory| {
                        made.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        super::super::compile::write(&directory.join("file"), "whole")
                    });
                    assert_eq!(fs::read_to_string(at.unwrap().join("file")).unwrap(), "whole");
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn a_maker_that_fails_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let failure = entry(root.path(), "a", |directory| {
            fs::write(directory.join("half"), "").unwrap();
            Err(failed("make", directory)(io::Error::other("no")))
        });
        assert!(failure.is_err());
        assert!(!root.path().join("a").exists() && !root.path().join("a.partial").exists());
    }

    #[test]
    fn what_a_killed_maker_left_is_swept_away() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("a.partial")).unwrap();
        fs::write(root.path().join("a.partial/half"), "").unwrap();
        let at = entry(root.path(), "a", |_| Ok(())).unwrap();
        assert_eq!(fs::read_dir(at).unwrap().count(), 0);
    }
}
