//! A simulated card that runs by itself, connected to a network.
//!
//! One thread clocks the board. Frames from the board go out on the [`Wire`] without their FCS,
//! frames from the wire come in with one; register accesses come through a queue. The card stops
//! when its handle is dropped.
use crate::Error;
use crate::board::Board;
use crate::clock::Clock;
use crate::link::{AxiLite, FrameSink, FrameSource, Gmii, Line, LineKind, Received, Stalls, Xgmii, finish};
use crate::net::Wire;
use crate::pcap::{Writer, time_of_cycle};
use nicforge_layout::wire::{ethernet, xgmii};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Cycles between two looks at the wire and at the register queue.
const BURST: u64 = 256;
/// Cycles without a frame after which the thread rests between bursts.
const QUIET: u64 = 20_000;
/// How long a resting card sleeps before it looks at the wire again.
const REST: Duration = Duration::from_micros(200);
/// How long a register access waits for its answer.
const ANSWER: Duration = Duration::from_secs(10);
/// Longest wait for a receiver that is behind.
const PATIENCE: Duration = Duration::from_millis(500);

/// How far the card may run ahead of whoever receives its packets.
///
/// Simulated time can wait for the receiver, as a real board cannot; this is how a slow machine
/// records every packet all the same. Both numbers count packets.
#[derive(Debug, Default)]
pub struct Credit {
    taken: AtomicU64,
    ahead: u64,
}

impl Credit {
    /// A credit that lets the card send `ahead` packets that were not yet taken.
    pub fn new(ahead: u64) -> Arc<Self> {
        Arc::new(Self { taken: AtomicU64::new(0), ahead })
    }

    /// The receiver has taken so many packets in all.
    pub fn taken(&self, packets: u64) {
        self.taken.store(packets, Ordering::Release);
    }

    fn allows(&self, sent: u64) -> bool {
        sent < self.taken.load(Ordering::Acquire) + self.ahead
    }
}

/// What a card is connected to.
pub struct Connections {
    /// The network.
    pub wire: Box<dyn Wire + Send>,
    /// File for every frame seen on the line, both directions, with FCS.
    pub capture: Option<PathBuf>,
    /// Bound on running ahead of the receiver; frames of at least `stream_octets` count.
    pub credit: Option<Arc<Credit>>,
    /// Frames from this length on, FCS included, belong to the stream.
    pub stream_octets: usize,
}

/// What a card has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Figures {
    /// The line of the board.
    pub line: LineKind,
    /// Cycles of the core clock simulated.
    pub cycles: u64,
    /// Wall time in which they were simulated, in seconds; rests are not counted.
    pub seconds: f64,
    /// Frames that the board sent.
    pub frames_sent: u64,
    /// Frames that the board was sent.
    pub frames_received: u64,
    /// Frames of the stream among those sent.
    pub stream_frames: u64,
    /// Octets of preamble, frame and a gap of 12 of the stream's frames but the last.
    pub stream_octets: u64,
    /// Octets that the line could carry from the first start of a stream frame to the last.
    pub stream_slots: u64,
    /// Rules of the line that the board's output broke.
    pub violations: u64,
}

impl Figures {
    /// Share of what the line could carry that the stream used, between its first and its last
    /// frame; zero before the second frame.
    pub fn wire_share(&self) -> f64 {
        if self.stream_slots == 0 { 0.0 } else { self.stream_octets as f64 / self.stream_slots as f64 }
    }

    /// Cycles simulated a second.
    pub fn cycles_per_second(&self) -> f64 {
        if self.seconds == 0.0 { 0.0 } else { self.cycles as f64 / self.seconds }
    }
}

enum Request {
    Read(u32, SyncSender<Result<u32, Error>>),
    Write(u32, u32, SyncSender<Result<u32, Error>>),
    Figures(SyncSender<Figures>),
    BeginStream(SyncSender<Figures>),
}

/// A running card; dropping it stops it.
pub struct Card {
    requests: SyncSender<Request>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Figures, Error>>>,
}

impl Card {
    /// Connects the board and lets it run.
    ///
    /// # Errors
    /// Ports that the board lacks, a capture file that cannot be written.
    pub fn start(mut board: Board, connections: Connections) -> Result<Self, Error> {
        match LineKind::of(&mut board) {
            LineKind::Xgmii => Self::start_on::<Xgmii>(board, connections),
            LineKind::Gmii => Self::start_on::<Gmii>(board, connections),
        }
    }

    fn start_on<L: Line + 'static>(board: Board, connections: Connections) -> Result<Self, Error> {
        let (requests, queue) = sync_channel(16);
        let stop = Arc::new(AtomicBool::new(false));
        let mut runner = Runner::<L>::new(board, connections, queue, stop.clone())?;
        let thread = std::thread::Builder::new()
            .name("card".into())
            .spawn(move || runner.run())
            .map_err(|cause| Error::Thread { cause })?;
        Ok(Self { requests, stop, thread: Some(thread) })
    }

    /// Reads the register at this byte offset.
    ///
    /// # Errors
    /// No register there, or the card has stopped.
    pub fn read(&self, offset: u32) -> Result<u32, Error> {
        self.access(|reply| Request::Read(offset, reply))
    }

    /// Writes the register at this byte offset.
    ///
    /// # Errors
    /// No register there, or the card has stopped.
    pub fn write(&self, offset: u32, value: u32) -> Result<(), Error> {
        self.access(|reply| Request::Write(offset, value, reply)).map(drop)
    }

    /// What the card has done so far.
    ///
    /// # Errors
    /// The card has stopped.
    pub fn figures(&self) -> Result<Figures, Error> {
        self.ask(Request::Figures)
    }

    /// Forgets the stream frames seen so far, in figures and in the credit: what comes now is the stream.
    /// Returns the figures up to now.
    ///
    /// # Errors
    /// The card has stopped.
    pub fn begin_stream(&self) -> Result<Figures, Error> {
        self.ask(Request::BeginStream)
    }

    fn ask(&self, request: impl FnOnce(SyncSender<Figures>) -> Request) -> Result<Figures, Error> {
        let (reply, answer) = sync_channel(1);
        self.requests.send(request(reply)).map_err(|_| Error::Stopped)?;
        answer.recv_timeout(ANSWER).map_err(|_| Error::Stopped)
    }

    /// Stops the card and returns what it did in all.
    ///
    /// # Errors
    /// What made it stop before, if it did.
    pub fn stop(mut self) -> Result<Figures, Error> {
        self.join().unwrap_or(Err(Error::Stopped))
    }

    fn access(&self, request: impl FnOnce(SyncSender<Result<u32, Error>>) -> Request) -> Result<u32, Error> {
        let (reply, answer) = sync_channel(1);
        self.requests.send(request(reply)).map_err(|_| Error::Stopped)?;
        answer.recv_timeout(ANSWER).map_err(|_| Error::Stopped)?
    }

    fn join(&mut self) -> Option<Result<Figures, Error>> {
        self.stop.store(true, Ordering::Release);
        let thread = self.thread.take()?;
        Some(thread.join().unwrap_or(Err(Error::Stopped)))
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.join() {
            tracing::warn!(%error, "the simulated card had stopped");
        }
    }
}

struct Runner<L: Line> {
    board: Board,
    line: (L::Source, L::Sink),
    control: AxiLite,
    wire: Box<dyn Wire + Send>,
    capture: Option<Writer<BufWriter<File>>>,
    credit: Option<Arc<Credit>>,
    stream_frame: usize,
    first_start: Option<u64>,
    last_activity: u64,
    queue: Receiver<Request>,
    stop: Arc<AtomicBool>,
    figures: Figures,
    buffer: Vec<u8>,
}

impl<L: Line> Runner<L> {
    fn new(
        mut board: Board,
        connections: Connections,
        queue: Receiver<Request>,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        let line = (L::source(&mut board)?, L::sink(&mut board)?);
        let kind = LineKind::of(&mut board);
        let control = AxiLite::attach(&mut board, "s_axil", Stalls::none())?;
        let capture = connections.capture.map(|path| Writer::create(&path)).transpose()?;
        Ok(Self {
            board,
            line,
            control,
            wire: connections.wire,
            capture,
            credit: connections.credit,
            stream_frame: connections.stream_octets,
            first_start: None,
            last_activity: 0,
            queue,
            stop,
            figures: Figures { line: kind, ..Figures::default() },
            buffer: vec![0; ethernet::MAX_FRAME_OCTETS],
        })
    }

    fn run(&mut self) -> Result<Figures, Error> {
        while !self.stop.load(Ordering::Acquire) {
            self.wait_for_credit();
            let begin = Instant::now();
            self.board.run(BURST, &mut self.line);
            self.figures.seconds += begin.elapsed().as_secs_f64();
            self.exchange_frames()?;
            if !self.serve()? {
                break;
            }
        }
        if let Some(capture) = self.capture.take() {
            capture.finish()?;
        }
        Ok(self.snapshot())
    }

    /// Lets a receiver that is behind catch up. One that takes nothing for [`PATIENCE`] is not
    /// waited for again: it may be gone.
    fn wait_for_credit(&mut self) {
        let Some(credit) = &self.credit else { return };
        let begin = Instant::now();
        while !credit.allows(self.figures.stream_frames) {
            if begin.elapsed() > PATIENCE {
                tracing::warn!("the receiver takes nothing; the card does not wait for it any more");
                self.credit = None;
                return;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    fn exchange_frames(&mut self) -> Result<(), Error> {
        while let Some(frame) = self.line.1.pop() {
            self.last_activity = self.board.cycle();
            self.account(&frame);
            self.record(&frame.octets, time_of_cycle(frame.cycle, L::Sink::PERIOD))?;
            // A damaged frame ends at the receiving MAC: no network stack ever sees one.
            if frame.is_good() {
                self.wire.send(frame.without_fcs())?;
            }
        }
        // One frame a burst: what waited while this thread did not run would come back to back, and a
        // board that is still answering the first of two pings drops the second.
        if let Some(octets) = self.wire.receive(&mut self.buffer)? {
            self.last_activity = self.board.cycle();
            self.figures.frames_received += 1;
            let frame = finish(&self.buffer[..octets]);
            let core = self.board.period(Clock::CORE);
            self.record(&frame, time_of_cycle(self.board.cycle(), core))?;
            self.line.0.push_frame(frame);
        }
        Ok(())
    }

    fn account(&mut self, frame: &Received) {
        self.figures.frames_sent += 1;
        if frame.octets.len() < self.stream_frame {
            return;
        }
        self.figures.stream_frames += 1;
        match self.first_start {
            None => self.first_start = Some(frame.cycle),
            Some(first) => self.figures.stream_slots = (frame.cycle - first) * L::OCTETS_A_CYCLE,
        }
        // Every frame but the first closes the slot of the one before, which has its length.
        if self.figures.stream_frames > 1 {
            let overhead = xgmii::PREAMBLE_OCTETS + ethernet::IFG_OCTETS;
            self.figures.stream_octets += (frame.octets.len() + overhead) as u64;
        }
    }

    fn record(&mut self, frame: &[u8], time: Duration) -> Result<(), Error> {
        match &mut self.capture {
            Some(capture) => capture.write(time, frame),
            None => Ok(()),
        }
    }

    /// Serves the register queue; false when nobody can ask any more.
    fn serve(&mut self) -> Result<bool, Error> {
        let quiet = self.board.cycle() - self.last_activity > QUIET && self.line.0.is_empty();
        let request = if quiet {
            match self.queue.recv_timeout(REST) {
                Ok(request) => request,
                Err(RecvTimeoutError::Timeout) => return Ok(true),
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
        } else {
            match self.queue.try_recv() {
                Ok(request) => request,
                Err(TryRecvError::Empty) => return Ok(true),
                Err(TryRecvError::Disconnected) => return Ok(false),
            }
        };
        // An answer nobody waits for any more is dropped.
        match request {
            Request::Read(offset, reply) => {
                let answer = self.control.read(&mut self.board, &mut self.line, offset);
                reply.send(answer).ok();
            }
            Request::Write(offset, value, reply) => {
                self.last_activity = self.board.cycle();
                let answer = self.control.write(&mut self.board, &mut self.line, offset, value);
                reply.send(answer.map(|()| value)).ok();
            }
            Request::Figures(reply) => drop(reply.send(self.snapshot())),
            Request::BeginStream(reply) => {
                let before = self.snapshot();
                self.first_start = None;
                self.figures =
                    Figures { stream_frames: 0, stream_octets: 0, stream_slots: 0, ..self.figures };
                reply.send(before).ok();
            }
        }
        Ok(true)
    }

    fn snapshot(&self) -> Figures {
        Figures { cycles: self.board.cycle(), violations: self.line.1.violation_count(), ..self.figures }
    }
}
