//! Programs that are measured from outside: how long they take and how much memory.
use super::Error;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

/// What a program took.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Seconds from start to end.
    pub seconds: f64,
    /// Largest resident memory of the program or of any process below it, in MiB.
    pub peak_mib: f64,
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace());
    command
}

/// Runs a program to its end, its output thrown away, killed after `limit` seconds.
///
/// # Errors
/// If it cannot be started or does not succeed; then with the end of what it said.
pub fn measure(command: &Command, limit: u32) -> Result<Usage, Error> {
    let mut said = tempfile::tempfile().map_err(failed("create", "a temporary file"))?;
    let mut bounded = bounded(command, limit);
    bounded.stdin(Stdio::null()).stdout(Stdio::null());
    bounded.stderr(said.try_clone().map_err(failed("copy", "a temporary file"))?);
    let begin = Instant::now();
    let child = bounded.spawn().map_err(failed("start", "timeout"))?;
    let (status, peak_mib) = wait(child).map_err(failed("wait for", "a process"))?;
    let seconds = begin.elapsed().as_secs_f64();
    if status.success() {
        return Ok(Usage { seconds, peak_mib });
    }
    let said = end_of(&mut said).map_err(failed("read", "a temporary file"))?;
    Err(Error::Process { command: format!("{command:?}"), status, said })
}

/// The same program under `timeout`, which passes on its status.
fn bounded(command: &Command, limit: u32) -> Command {
    let mut bounded = Command::new("timeout");
    bounded.args(["--kill-after=10", &limit.to_string()]).arg(command.get_program());
    bounded.args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        bounded.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => bounded.env(name, value),
            None => bounded.env_remove(name),
        };
    }
    bounded
}

/// Waits for the end of a process; the memory is that of the largest one among it and its descendants.
fn wait(child: Child) -> io::Result<(ExitStatus, f64)> {
    let id = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both places are valid for writing; the process is our child and not yet waited for.
        let ended = unsafe { libc::wait4(id, &mut status, 0, usage.as_mut_ptr()) };
        if ended == id {
            // SAFETY: zeroed, which is a value of this type, and filled by the call.
            let usage = unsafe { usage.assume_init() };
            return Ok((ExitStatus::from_raw(status), usage.ru_maxrss as f64 / 1024.0));
        }
        let cause = io::Error::last_os_error();
        if cause.kind() != io::ErrorKind::Interrupted {
            return Err(cause);
        }
    }
}

fn end_of(file: &mut File) -> io::Result<String> {
    let mut all = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut all)?;
    let text = String::from_utf8_lossy(&all);
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines[lines.len().saturating_sub(20)..].join("\n"))
}

/// Wraps an input or output error with what was tried on what.
pub fn failed(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
    let path = path.into();
    move |cause| Error::File { action, path, cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn time_and_memory_of_a_program_and_of_those_below_it_are_measured() {
        let small = measure(&shell("sleep 0.2"), 10).unwrap();
        assert!(small.seconds >= 0.2, "{small:?}");
        // The program below the shell holds 200 MiB in one buffer.
        let large = measure(&shell("dd if=/dev/zero of=/dev/null bs=200M count=1 iflag=fullblock; true"), 60);
        let large = large.unwrap();
        assert!(large.peak_mib >= 200.0 && large.peak_mib > small.peak_mib, "{small:?} {large:?}");
    }

    #[test]
    fn a_program_that_fails_or_does_not_end_is_an_error_with_its_words() {
        let error = measure(&shell("echo first >&2; echo the cause >&2; exit 3"), 10).unwrap_err();
        assert!(error.to_string().contains("the cause") && error.to_string().contains('3'), "{error}");
        assert!(matches!(measure(&shell("sleep 60"), 1), Err(Error::Process { .. })));
    }
}
