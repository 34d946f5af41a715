//! Runs one program with a limit on its time, its words in a log; an interrupt or the limit ends it
//! and all that it started.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::error::{Error, file};

/// How often an interrupt and the limit are looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long the pipes of a program that has ended are read, should something that it started hold them open.
const LINGER: Duration = Duration::from_secs(2);
/// How many of a log's last lines an error shows.
const TAIL: usize = 12;

/// One program to run.
#[derive(Debug)]
pub struct Job<'a> {
    /// Its name, for messages.
    pub program: &'static str,
    /// Where it is.
    pub path: &'a Path,
    /// Its arguments.
    pub arguments: &'a [String],
    /// The folder to run it in.
    pub folder: &'a Path,
    /// Where its words go.
    pub log: &'a Path,
    /// How long it may take.
    pub limit: Duration,
    /// Raised when the user wants an end.
    pub interrupted: &'a AtomicBool,
}

impl Job<'_> {
    /// Runs it to its end; `heard` gets every line that it says.
    ///
    /// # Errors
    /// When it cannot be started, is interrupted, or takes longer than its limit.
    pub fn run(&self, heard: &mut dyn FnMut(&str)) -> Result<ExitStatus, Error> {
        let log = File::create(self.log).map_err(file("create", self.log))?;
        let mut log = BufWriter::new(log);
        let mut command = Command::new(self.path);
        command.args(self.arguments).current_dir(self.folder).process_group(0);
        // One pipe for both outputs keeps their lines in order.
        let (pipe, end) = std::io::pipe().map_err(file("make a pipe for", self.path))?;
        let other = end.try_clone().map_err(file("make a pipe for", self.path))?;
        command.stdin(Stdio::null()).stdout(end).stderr(other);
        let mut group = Group(command.spawn().map_err(file("start", self.path))?);
        // The pipe ends when nobody can write any more, which includes the command's own copies.
        drop(command);
        let (sender, lines) = channel();
        std::thread::spawn(move || read_lines(pipe, &sender));
        let ended = self.follow(&mut group, &lines, &mut |line| {
            heard(line);
            writeln!(log, "{line}").map_err(file("write", self.log))
        })?;
        log.flush().map_err(file("write", self.log))?;
        Ok(ended)
    }

    fn follow(
        &self,
        group: &mut Group,
        lines: &Receiver<String>,
        heard: &mut dyn FnMut(&str) -> Result<(), Error>,
    ) -> Result<ExitStatus, Error> {
        let begin = Instant::now();
        let mut ended: Option<(ExitStatus, Instant)> = None;
        loop {
            let closed = match lines.recv_timeout(TICK) {
                Ok(line) => {
                    heard(&line)?;
                    false
                }
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(Error::Interrupted { program: self.program });
            }
            if begin.elapsed() > self.limit {
                let (program, limit) = (self.program, self.limit);
                return Err(Error::Late { program, limit, log: self.log.to_owned() });
            }
            if closed && ended.is_none() {
                std::thread::sleep(TICK);
            }
            ended = match ended {
                None => group.0.try_wait().map_err(file("wait for", self.path))?.map(|s| (s, Instant::now())),
                ended => ended,
            };
            if let Some((status, at)) = ended
                && (closed || at.elapsed() > LINGER)
            {
                return Ok(status);
            }
        }
    }

    /// The error that a program which ended badly stands for, with the end of its log.
    pub fn failed(&self, status: ExitStatus) -> Error {
        let mut tail = VecDeque::new();
        for line in std::fs::read_to_string(self.log).unwrap_or_default().lines() {
            tail.push_back(line.to_owned());
            if tail.len() > TAIL {
                tail.pop_front();
            }
        }
        let said = Vec::from(tail).join("\n");
        Error::Failed { program: self.program, status, log: self.log.to_owned(), said }
    }
}

/// A program and all that it starts; none of them outlives this value.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // Fails where all of them have ended, which is what is wanted.
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

fn read_lines(pipe: impl Read, lines: &Sender<String>) {
    let mut pipe = BufReader::new(pipe);
    let mut line = Vec::new();
    while pipe.read_until(b'\n', &mut line).is_ok_and(|octets| octets > 0) {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if lines.send(text).is_err() {
            return;
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_shell<T>(script: &str, limit: Duration, run: impl FnOnce(&Job) -> T) -> T {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        run(&Job {
            program: "sh",
            path: Path::new("/bin/sh"),
            arguments: &["-c".to_owned(), script.to_owned()],
            folder: folder.path(),
            log: &log,
            limit,
            interrupted: &AtomicBool::new(false),
        })
    }

    #[test]
    fn every_line_of_both_outputs_is_heard_and_logged_in_order() {
        with_shell("echo one; echo two >&2; printf three", Duration::from_secs(20), |job| {
            let mut heard = Vec::new();
            assert!(job.run(&mut |line| heard.push(line.to_owned())).unwrap().success());
            assert_eq!(heard, ["one", "two", "three"]);
            let log = std::fs::read_to_string(job.log).unwrap();
            assert_eq!(log.lines().count(), 3, "{log}");
        });
    }

    #[test]
    fn a_failure_shows_the_end_of_the_log() {
        with_shell("seq 100; echo why >&2; exit 3", Duration::from_secs(20), |job| {
            let status = job.run(&mut |_| {}).unwrap();
            let text = job.failed(status).to_string();
            assert!(text.contains("why") && text.contains("100") && !text.contains("\n10\n"), "{text}");
            assert!(text.contains("exit status: 3") && text.contains(job.log.to_str().unwrap()), "{text}");
        });
    }

    #[test]
    fn the_limit_ends_the_program_and_what_it_started() {
        // The child of the child would write after two seconds.
        let script = "(sleep 2; echo late > late) & echo started; sleep 60";
        let folder = with_shell(script, Duration::from_millis(500), |job| {
            let begin = Instant::now();
            let error = job.run(&mut |_| {}).unwrap_err();
            assert!(matches!(error, Error::Late { .. }), "{error}");
            assert!(begin.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(2500));
            job.folder.join("late").exists()
        });
        assert!(!folder, "what the program had started went on");
    }

    #[test]
    fn an_interrupt_ends_it_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let interrupted = AtomicBool::new(false);
        let job = Job {
            program: "sh",
            path: Path::new("/bin/sh"),
            arguments: &["-c".to_owned(), "echo here; sleep 60".to_owned()],
            folder: folder.path(),
            log: &folder.path().join("log"),
            limit: Duration::from_secs(30),
            interrupted: &interrupted,
        };
        let error = job.run(&mut |_| interrupted.store(true, Ordering::Relaxed)).unwrap_err();
        assert!(matches!(error, Error::Interrupted { program: "sh" }), "{error}");
    }

    #[test]
    fn what_cannot_be_started_is_named() {
        with_shell("", Duration::from_secs(1), |job| {
            let job = Job { path: Path::new("/no/such/program"), ..*job };
            assert!(job.run(&mut |_| {}).unwrap_err().to_string().contains("/no/such/program"));
        });
    }
}
