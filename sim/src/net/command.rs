//! Programs run to their end, within a bound.

use super::Error;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A child process that never outlives its handle: dropping it kills and reaps it.
pub(super) struct Running {
    child: Child,
    line: String,
    program: &'static str,
}

/// How a program ended and what it said.
pub(super) struct Ended {
    pub line: String,
    pub status: ExitStatus,
    pub output: String,
    pub errors: String,
}

impl Running {
    /// Starts `command`, whose `program` comes from the Debian `package`, with its output caught.
    ///
    /// What is printed must fit a pipe (64 KiB), as it is read only at the end.
    pub fn start(mut command: Command, program: &'static str, package: &'static str) -> Result<Self, Error> {
        let words: Vec<_> = std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The figures are read by a program, which does not speak the user's language.
        command.env("LC_ALL", "C");
        let child = command.spawn().map_err(|cause| Error::Start { program, package, cause })?;
        Ok(Self { child, line: words.join(" "), program })
    }

    /// The result, once the program has ended; never blocks.
    pub fn poll(&mut self) -> Result<Option<Ended>, Error> {
        let failed = |cause| Error::Helper { cause };
        let Some(status) = self.child.try_wait().map_err(failed)? else { return Ok(None) };
        let mut text = [String::new(), String::new()];
        let pipes: [Option<&mut dyn Read>; 2] = [
            self.child.stdout.as_mut().map(|pipe| pipe as &mut dyn Read),
            self.child.stderr.as_mut().map(|pipe| pipe as &mut dyn Read),
        ];
        for (pipe, text) in pipes.into_iter().flatten().zip(&mut text) {
            let mut octets = Vec::new();
            pipe.read_to_end(&mut octets).map_err(failed)?;
            *text = String::from_utf8_lossy(&octets).trim().to_owned();
        }
        let [output, errors] = text;
        Ok(Some(Ended { line: self.line.clone(), status, output, errors }))
    }

    /// Waits for the end for at most `limit`.
    pub fn wait(mut self, limit: Duration) -> Result<Ended, Error> {
        let start = Instant::now();
        loop {
            if let Some(ended) = self.poll()? {
                return Ok(ended);
            }
            if start.elapsed() >= limit {
                return Err(Error::Timeout { what: self.program.to_owned(), waited: limit });
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only for a child that is already reaped, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    /// The output, if the program reported success.
    pub fn success(self) -> Result<String, Error> {
        if self.status.success() {
            return Ok(self.output);
        }
        Err(self.failure())
    }

    /// The error that quotes what the program said.
    pub fn failure(self) -> Error {
        let said = if self.errors.is_empty() { self.output } else { self.errors };
        Error::Failed { command: self.line, status: self.status.to_string(), said }
    }
}
