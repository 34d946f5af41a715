//! From datagrams to a VDIF file with a proven loss account.
//!
//! The recorder itself does no waiting: datagrams go in, ordered frames come out. [`record`] drives
//! it from a socket.

use crate::vdif::{Header, Writer};
use crate::vtp::{self, Account, Counts, Outcome};
use crate::{Datagram, Datagrams, Error};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Settings of a recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Datagrams that may wait for a missing one; a power of two, at most 4096.
    pub window: usize,
    /// Serial number of the first datagram, if known; else the first to arrive counts as it.
    pub start: Option<u64>,
    /// Datagrams that will be sent from `start` on, if known.
    pub count: Option<u64>,
    /// The header that all frames agree with, save for time, thread and validity; if unknown, that
    /// of the first frame.
    pub like: Option<Header>,
}

impl Default for Settings {
    /// A window of 256 datagrams, everything else learnt from the stream.
    fn default() -> Self {
        Self { window: 256, start: None, count: None, like: None }
    }
}

/// Largest frame that is buffered, in octets: no datagram carries more.
const FRAME_MAX: usize = 65_536;

/// What became of the datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Statistics {
    /// Datagrams that arrived.
    pub datagrams: u64,
    /// Octets in them.
    pub octets: u64,
    /// Frames in the file.
    pub frames_written: u64,
    /// Frames in the file that their header calls invalid.
    pub frames_invalid: u64,
    /// Account of the serial numbers of datagrams that belong to the stream.
    #[serde(flatten)]
    pub serials: Counts,
    /// Datagrams that do not belong to the stream: cut, no valid frame, or of another stream.
    pub foreign: u64,
    /// Datagrams dropped before this program saw them, because the socket's buffer was full. They
    /// are among the lost, unless they were foreign.
    pub dropped_by_socket: u64,
}

impl Statistics {
    /// Whether each number arrived once and in order, and nothing else did.
    pub fn clean(&self) -> bool {
        let Counts { received, .. } = self.serials;
        self.serials == Counts { received, ..Counts::default() }
            && self.foreign == 0
            && self.dropped_by_socket == 0
    }
}

/// Writes the frames of a stream in the order of their serial numbers, each once.
pub struct Recorder<W: Write> {
    writer: Writer<W>,
    account: Account,
    settings: Settings,
    like: Option<Header>,
    waiting: Waiting,
    statistics: Statistics,
}

/// Frames that arrived before a lower number; as many places as the account's window.
struct Waiting {
    frames: Vec<u8>,
    octets: usize,
    window: usize,
}

impl Waiting {
    /// The place for the frame of `serial`.
    fn place(&mut self, serial: u64) -> &mut [u8] {
        let start = (serial as usize & (self.window - 1)) * self.octets;
        &mut self.frames[start..start + self.octets]
    }
}

impl<W: Write> Recorder<W> {
    /// Records to `file`, which should be buffered.
    ///
    /// # Errors
    /// [`Error::Setting`], or [`Error::Vdif`] for an impossible header in `like`.
    pub fn new(file: W, settings: Settings) -> Result<Self, Error> {
        if settings.window > 4096 {
            let (field, wanted) = ("reorder window", "a power of two, at most 4096");
            return Err(Error::Setting { field, wanted, found: settings.window as u64 });
        }
        let mut recorder = Self {
            writer: Writer::new(file),
            account: Account::new(settings.window, settings.start)?,
            settings,
            like: None,
            waiting: Waiting { frames: Vec::new(), octets: 0, window: settings.window },
            statistics: Statistics::default(),
        };
        if let Some(like) = settings.like {
            like.encode()?;
            recorder.learn(like)?;
        }
        Ok(recorder)
    }

    /// Takes `like` for the stream's header and makes room for its frames.
    fn learn(&mut self, like: Header) -> Result<(), Error> {
        let octets = like.frame_octets as usize;
        if octets > FRAME_MAX {
            let (field, wanted) = ("frame length", "what a datagram carries, at most 65536");
            return Err(Error::Setting { field, wanted, found: octets as u64 });
        }
        self.waiting.octets = octets;
        self.waiting.frames = vec![0; octets * self.settings.window];
        self.like = Some(like);
        Ok(())
    }

    /// Enters one datagram. One that does not belong to the stream is counted, never an error.
    ///
    /// # Errors
    /// [`Error::Vdif`] when the file cannot be written.
    pub fn take(&mut self, datagram: Datagram<'_>) -> Result<(), Error> {
        self.statistics.datagrams += 1;
        self.statistics.octets += datagram.data.len() as u64;
        let Some((serial, frame)) = self.own(datagram) else {
            self.statistics.foreign += 1;
            return Ok(());
        };
        let mut sink = Sink::new(&mut self.writer, &mut self.waiting, &mut self.statistics);
        let verdict = self.account.take(serial, &mut |outcome| sink.settled(outcome));
        if verdict.keep() {
            sink.waiting.place(serial).copy_from_slice(frame);
            self.account.settle(&mut |outcome| sink.settled(outcome));
        }
        sink.result
    }

    /// Serial number and frame, if the datagram belongs to the stream.
    fn own<'a>(&mut self, datagram: Datagram<'a>) -> Option<(u64, &'a [u8])> {
        let (serial, frame) = vtp::split(datagram.data).filter(|_| !datagram.cut)?;
        let header = Header::of_frame(frame).ok()?;
        match &self.like {
            Some(like) => like.check_same_stream(&header).ok()?,
            // A frame that came in a datagram is never longer than one.
            None => self.learn(header).ok()?,
        }
        Some((serial, frame))
    }

    /// The figures so far.
    pub fn statistics(&self) -> Statistics {
        Statistics { serials: self.account.counts(), ..self.statistics }
    }

    /// Whether all datagrams that will be sent are settled, which is never known without their
    /// count and the first serial number.
    pub fn complete(&self) -> bool {
        let Counts { received, lost, .. } = self.account.counts();
        self.settings.start.is_some() && self.settings.count.is_some_and(|count| received + lost >= count)
    }

    /// Writes what still waits, and gives back the file and the final figures.
    ///
    /// # Errors
    /// [`Error::Vdif`] when the file cannot be written.
    pub fn finish(mut self) -> Result<(W, Statistics), Error> {
        let end =
            self.settings.start.zip(self.settings.count).map(|(start, count)| start.wrapping_add(count));
        let mut sink = Sink::new(&mut self.writer, &mut self.waiting, &mut self.statistics);
        let serials = self.account.finish(end, &mut |outcome| sink.settled(outcome));
        sink.result?;
        let file = self.writer.finish()?;
        Ok((file, Statistics { serials, ..self.statistics }))
    }
}

/// Where settled numbers go; keeps the first failure, as the account knows nothing of files.
struct Sink<'a, W: Write> {
    writer: &'a mut Writer<W>,
    waiting: &'a mut Waiting,
    statistics: &'a mut Statistics,
    result: Result<(), Error>,
}

impl<'a, W: Write> Sink<'a, W> {
    fn new(writer: &'a mut Writer<W>, waiting: &'a mut Waiting, statistics: &'a mut Statistics) -> Self {
        Self { writer, waiting, statistics, result: Ok(()) }
    }

    fn settled(&mut self, outcome: Outcome) {
        let (Outcome::Release(serial), Ok(())) = (outcome, &self.result) else { return };
        let frame = self.waiting.place(serial);
        // Bit 31 of word 0.
        let invalid = frame[3] >> 7 == 1;
        match self.writer.write(frame) {
            Ok(()) => {
                self.statistics.frames_written += 1;
                self.statistics.frames_invalid += u64::from(invalid);
            }
            Err(error) => self.result = Err(error.into()),
        }
    }
}

/// When [`record`] stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time without any datagram; also the longest wait for the first.
    pub idle: Duration,
    /// Time in all.
    pub total: Duration,
}

/// Why [`record`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// All datagrams that were announced are settled.
    Complete,
    /// Nothing came for the idle time.
    Idle,
    /// The total time is over.
    Deadline,
    /// The flag was raised.
    Stopped,
}

/// Feeds `recorder` from `source` until one of the limits is met or `stop` is raised; `progress`
/// is called after every batch and at least four times a second.
///
/// # Errors
/// [`Error::Socket`], or [`Error::Vdif`] when the file cannot be written.
pub fn record<W: Write>(
    source: &mut dyn Datagrams,
    recorder: &mut Recorder<W>,
    limits: &Limits,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&Statistics),
) -> Result<End, Error> {
    // Short enough for a raised flag to be seen soon.
    const GLANCE: Duration = Duration::from_millis(250);
    let start = Instant::now();
    let mut last = start;
    loop {
        let mut result = Ok(());
        let wait = GLANCE.min(limits.idle).min(limits.total.saturating_sub(start.elapsed()));
        let count = source.receive(wait, &mut |datagram| {
            if result.is_ok() {
                result = recorder.take(datagram);
            }
        })?;
        result?;
        recorder.statistics.dropped_by_socket = source.dropped();
        progress(&recorder.statistics());
        let now = Instant::now();
        if count > 0 {
            last = now;
        }
        if recorder.complete() {
            return Ok(End::Complete);
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(End::Stopped);
        }
        if now - start >= limits.total {
            return Ok(End::Deadline);
        }
        if now - last >= limits.idle {
            return Ok(End::Idle);
        }
    }
}

#[cfg(test)]
mod tests;
