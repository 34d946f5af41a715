//! How fast our harness clocks a card, beside a plain C++ one around the same model.
//!
//! Both run the same Verilog, compiled by the same compiler with the same flags, the same register
//! writes and the same received words; both count the frames that the card sends, which must agree.
use nicforge_sim::link::xgmii::{Encoder, Pacing};
use nicforge_sim::link::{AxiLite, Stalls, XgmiiSink, XgmiiSource};
use nicforge_sim::model::{self, BuildOptions, Model, VerilogSource};
use nicforge_sim::{Board, Error};
use std::path::Path;
use std::process::Command;

/// What a card is given to do.
#[derive(Debug, Clone, Default)]
pub struct Workload {
    /// Registers written first: octet address and value.
    pub registers: Vec<(u32, u32)>,
    /// Frames received over and over, with their FCS; without any the line is idle.
    pub frames: Vec<Vec<u8>>,
    /// Clock cycles measured.
    pub cycles: u64,
}

/// What a run took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// Frames that the card began to send.
    pub frames: u64,
    /// Seconds of processor time for the cycles of the workload; other programs do not count.
    pub seconds: f64,
}

/// Runs the workload in our harness: a board with an XGMII source and a sink that decodes frames.
///
/// # Errors
/// Ports that the model lacks, a register that is refused.
pub fn ours(model: Model, workload: &Workload) -> Result<Run, Error> {
    let mut board = Board::new(model)?;
    let mut source = XgmiiSource::attach(&mut board, "xgmii", Pacing::default(), Stalls::none())?;
    let mut sink = XgmiiSink::attach(&mut board, "xgmii")?;
    let mut bus = AxiLite::attach(&mut board, "s_axil", Stalls::none())?;
    for (address, value) in &workload.registers {
        bus.write(&mut board, &mut (), *address, *value)?;
    }
    let (mut frames, begin) = (0, processor_seconds()?);
    for _ in 0..workload.cycles {
        refill(&mut source.line, &workload.frames);
        board.step(&mut [&mut source, &mut sink]);
        while sink.line.pop().is_some() {
            frames += 1;
        }
    }
    let seconds = processor_seconds()? - begin;
    // A frame that the end of the measurement cut off has been started all the same.
    frames += u64::from(sink.line.is_open());
    Ok(Run { frames, seconds })
}

/// Runs the workload in the C++ harness of `testbench/peers/harness`.
///
/// # Errors
/// A missing or failing tool, or output that is not the harness's.
pub fn cpp(source: &VerilogSource, workload: &Workload) -> Result<Run, Error> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/harness");
    let program = model::program(source, &directory.join("harness.cpp"), &BuildOptions::default())?;
    let stimulus = tempfile::NamedTempFile::new().map_err(|cause| write_failed("create", &program, cause))?;
    std::fs::write(stimulus.path(), words(workload))
        .map_err(|cause| write_failed("write", stimulus.path(), cause))?;
    let mut command = Command::new(program);
    command.arg(stimulus.path()).arg(workload.cycles.to_string());
    command.args(workload.registers.iter().map(|(address, value)| format!("{address}={value}")));
    let printed = model::run_tool(&mut command)?;
    let mut figures = printed.split_whitespace();
    let frames = figures.next().and_then(|text| text.parse().ok());
    let seconds = figures.next().and_then(|text| text.parse().ok());
    frames.zip(seconds).map(|(frames, seconds)| Run { frames, seconds }).ok_or(Error::ToolOutput {
        tool: "harness",
        wanted: "the number of frames and seconds",
        found: printed.clone(),
    })
}

/// Processor time of this thread so far in seconds.
fn processor_seconds() -> Result<f64, Error> {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is valid for writing.
    if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) } != 0 {
        let cause = std::io::Error::last_os_error();
        return Err(Error::File { action: "read", path: "the processor time".into(), cause });
    }
    Ok(now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64)
}

fn write_failed(action: &'static str, path: &Path, cause: std::io::Error) -> Error {
    Error::File { action, path: path.into(), cause }
}

fn refill(line: &mut Encoder, frames: &[Vec<u8>]) {
    if line.queued() == 0 {
        frames.iter().for_each(|frame| line.push_frame(frame.clone()));
    }
}

/// The received words of every cycle: eight octets of data and one of control each.
fn words(workload: &Workload) -> Vec<u8> {
    let mut line = Encoder::new(Pacing::default(), Stalls::none());
    let word = |_| {
        refill(&mut line, &workload.frames);
        let word = line.next_word();
        word.data.to_le_bytes().into_iter().chain([word.control])
    };
    (0..workload.cycles).flat_map(word).collect()
}
