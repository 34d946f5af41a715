//! `nicforge stream`: receive and record a sampler's stream.
use std::fs::File;
use std::io::BufWriter;
use std::net::{SocketAddrV4, UdpSocket};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use nicforge_host::{End, Limits, Receiver, ReceiverOptions, Recorder, Settings, Statistics, record};
use nicforge_layout::wire::vdif;
use serde::Serialize;

use crate::error::Error;
use crate::progress;
use crate::report::{Report, table};

/// Octets gathered before a write to the file.
const WRITE_OCTETS: usize = 1 << 20;
/// Longest datagram taken, in octets: what the largest frame of a card carries.
const LONGEST: usize = nicforge_layout::wire::udp::MAX_PAYLOAD_OCTETS;

/// Receive a VDIF stream with VTP serial numbers over UDP, and record it with a loss account.
///
/// Frames are written in the order of their serial numbers, each once. Interrupt to end; the recording
/// is then whole.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge stream --bind 192.168.1.1:50000 -o scan.vdif --seconds 60")]
pub struct Stream {
    /// Local address and port.
    #[arg(long, default_value_t = SocketAddrV4::new([0, 0, 0, 0].into(), vdif::DEFAULT_PORT))]
    bind: SocketAddrV4,
    /// File for the frames; it must not exist.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Serial number of the first packet, if known: packets missing at the start then count as lost.
    #[arg(long, value_name = "SERIAL")]
    first: Option<u64>,
    /// End after so many packets, from the first on.
    #[arg(long, requires = "first", value_parser = clap::value_parser!(u64).range(1..))]
    packets: Option<u64>,
    /// End after so many seconds.
    #[arg(long, default_value_t = 86_400, value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    seconds: u64,
    /// End after so many seconds without a packet.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    idle: u64,
    /// Packets that may wait for a missing one, a power of two.
    #[arg(long, default_value_t = 256)]
    window: usize,
    /// Socket buffer to ask the kernel for, in MiB.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    buffer: u32,
}

/// The account of a recording.
#[derive(Serialize, Debug)]
pub struct Recorded {
    file: PathBuf,
    ended: End,
    seconds: f64,
    buffer_wanted: u64,
    buffer_granted: u64,
    #[serde(flatten)]
    statistics: Statistics,
}

impl Recorded {
    fn reason(&self) -> &'static str {
        match self.ended {
            End::Complete => "every packet that was announced is accounted for",
            End::Idle if self.statistics.datagrams == 0 => "nothing came within the time of --idle",
            End::Idle => "nothing more came within the time of --idle",
            End::Deadline => "the time of --seconds is over",
            End::Stopped => "interrupted",
        }
    }
}

impl Report for Recorded {
    fn text(&self) -> String {
        let Statistics { datagrams, octets, frames_written, serials, foreign, dropped_by_socket, .. } =
            self.statistics;
        let rate = octets as f64 * 8e-6 / self.seconds.max(1e-9);
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        let mut text = table(&[
            row("recorded", format!("{frames_written} frames into {}", self.file.display())),
            row("received", format!("{datagrams} datagrams, {octets} octets, {rate:.1} Mbit/s")),
            row(
                "lost",
                format!("{}, of them {dropped_by_socket} or fewer by this socket's buffer", serials.lost),
            ),
            row("reordered", serials.reordered.to_string()),
            row("duplicate", serials.duplicate.to_string()),
            row("too late", serials.late.to_string()),
            row("foreign", (foreign + serials.strange).to_string()),
            row("ended", self.reason().to_owned()),
        ]);
        if self.buffer_granted < self.buffer_wanted {
            text += &format!(
                "The kernel granted a buffer of {} of {} octets; sysctl net.core.rmem_max={} allows it.\n",
                self.buffer_granted, self.buffer_wanted, self.buffer_wanted
            );
        }
        text
    }

    fn failed(&self) -> bool {
        self.statistics.serials.lost > 0 || self.statistics.frames_written == 0
    }
}

impl Stream {
    /// Records until one of the limits is met or the user interrupts.
    ///
    /// # Errors
    /// A port in use, a file that exists or cannot be written.
    pub fn run(self, quiet: bool) -> Result<Recorded, Error> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let raised = interrupted.clone();
        ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed))
            .map_err(|cause| Error::Interrupt { cause: cause.to_string() })?;
        let mut receiver = self.receiver()?;
        let settings =
            Settings { window: self.window, start: self.first, count: self.packets, ..Settings::default() };
        // Settings that are refused leave no file behind.
        Recorder::new(std::io::sink(), settings)?;
        let mut recorder = Recorder::new(BufWriter::with_capacity(WRITE_OCTETS, self.create()?), settings)?;
        let limits =
            Limits { idle: Duration::from_secs(self.idle), total: Duration::from_secs(self.seconds) };
        let (begin, granted) = (Instant::now(), receiver.granted() as u64);
        let line = progress::line(quiet);
        let ended = record(&mut receiver, &mut recorder, &limits, &interrupted, &mut |statistics| {
            show(&line, statistics, begin.elapsed());
        })?;
        line.finish_and_clear();
        let (_, statistics) = recorder.finish()?;
        Ok(Recorded {
            file: self.output,
            ended,
            seconds: begin.elapsed().as_secs_f64(),
            buffer_wanted: u64::from(self.buffer) << 20,
            buffer_granted: granted,
            statistics,
        })
    }

    fn receiver(&self) -> Result<Receiver, Error> {
        let socket = UdpSocket::bind(self.bind)
            .map_err(|cause| nicforge_host::Error::Socket { action: "bind", cause })?;
        let options = ReceiverOptions {
            longest: LONGEST,
            buffer: (self.buffer as usize) << 20,
            ..ReceiverOptions::default()
        };
        Ok(Receiver::new(socket, &options)?)
    }

    fn create(&self) -> Result<File, Error> {
        File::create_new(&self.output).map_err(|source| match source.kind() {
            std::io::ErrorKind::AlreadyExists => Error::Exists { path: self.output.clone() },
            _ => Error::File { action: "create", path: self.output.clone(), source },
        })
    }
}

fn show(line: &ProgressBar, statistics: &Statistics, elapsed: Duration) {
    let Statistics { datagrams, octets, serials, dropped_by_socket, .. } = statistics;
    let rate = *octets as f64 * 8e-6 / elapsed.as_secs_f64().max(1e-9);
    line.set_message(format!(
        "{datagrams} packets, {rate:.1} Mbit/s, {} lost, {} reordered, {dropped_by_socket} dropped by the socket",
        serials.lost, serials.reordered
    ));
}
