//! A board between two captures.
use std::fs::File;
use std::io::{BufWriter, Write, sink};
use std::path::{Path, PathBuf};

use nicforge_hdl::config::Config;
use nicforge_host::Card;
use nicforge_sim::link::{FrameSink, FrameSource, Gmii, Line, LineKind, PcapSink, PcapSource, Xgmii};
use nicforge_sim::pcap::{Reader, Writer};
use nicforge_sim::{Actor, Board, Clock, Pins};

use super::{Sim, Simulated};
use crate::counters::Moved;
use crate::error::Error;
use crate::progress;
use crate::simulated::{board_of, check_digest};
use crate::stepped::SteppedBar;

/// Cycles between two looks at the input's end.
const BURST: u64 = 1024;

type Output<L> = PcapSink<<L as Line>::Sink, Box<dyn Write + Send>>;

/// What the board receives.
enum Input<S> {
    Nothing(S),
    Capture(PcapSource<S, File>),
}

impl<S: FrameSource> Input<S> {
    fn is_done(&self) -> bool {
        match self {
            Self::Nothing(_) => true,
            Self::Capture(source) => source.is_done(),
        }
    }

    fn finish(self) -> Result<u64, Error> {
        match self {
            Self::Nothing(_) => Ok(0),
            Self::Capture(source) => Ok(source.finish()?),
        }
    }
}

impl<S: FrameSource> Actor for Input<S> {
    fn drive(&mut self, pins: &mut Pins) {
        match self {
            Self::Nothing(source) => source.drive(pins),
            Self::Capture(source) => source.drive(pins),
        }
    }

    fn sample(&mut self, pins: &Pins) {
        match self {
            Self::Nothing(source) => source.sample(pins),
            Self::Capture(source) => source.sample(pins),
        }
    }

    fn clock(&self) -> Clock {
        match self {
            Self::Nothing(source) => source.clock(),
            Self::Capture(source) => source.clock(),
        }
    }
}

/// Runs the board over the captures that `sim` names.
pub fn run(sim: &Sim, config: &Config, quiet: bool) -> Result<Simulated, Error> {
    let trace = sim.vcd.is_some();
    let mut board = progress::spinner("preparing the board's model", quiet, || board_of(config, trace))?;
    match LineKind::of(&mut board) {
        LineKind::Xgmii => on::<Xgmii>(board, sim, config, quiet),
        LineKind::Gmii => on::<Gmii>(board, sim, config, quiet),
    }
}

fn on<L: Line>(mut board: Board, sim: &Sim, config: &Config, quiet: bool) -> Result<Simulated, Error> {
    let line = LineKind::of(&mut board);
    if let Some(path) = &sim.vcd {
        board.trace(path)?;
    }
    let input = input::<L>(&mut board, sim.input.as_deref())?;
    let output = output::<L>(&mut board, sim.output.as_deref())?;
    let mut card = Card::open(SteppedBar::attach(board, (input, output))?)?;
    check_digest(&mut card, config)?;
    progress::spinner("simulating", quiet, || clock::<L>(card.bar(), sim.cycles));
    let counters = Moved::of(&mut card)?;
    let SteppedBar { board, line: (input, output), .. } = card.into_bar();
    let violations = output.sink.violation_count();
    let (frames_in, frames_out) = (input.finish()?, output.finish()?.0);
    if let Some(path) = &sim.output {
        let rename = |source| Error::File { action: "write", path: path.clone(), source };
        std::fs::rename(unfinished(path), path).map_err(rename)?;
    }
    Ok(Simulated {
        config_digest: config.digest_hex(),
        line,
        frames_in,
        frames_out,
        violations,
        cycles: board.cycle(),
        counters,
    })
}

/// Clocks until the input is over, and `behind` cycles more.
fn clock<L: Line>(bar: &mut SteppedBar<(Input<L::Source>, Output<L>)>, behind: u64) {
    while !bar.line.0.is_done() {
        bar.board.run(BURST, &mut bar.line);
    }
    bar.board.run(behind, &mut bar.line);
}

fn input<L: Line>(board: &mut Board, path: Option<&Path>) -> Result<Input<L::Source>, Error> {
    let source = L::source(board)?;
    Ok(match path {
        Some(path) => Input::Capture(PcapSource::new(source, Reader::open(path)?)),
        None => Input::Nothing(source),
    })
}

/// Where a capture is written until it is whole: a failed run leaves an older one alone.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

fn output<L: Line>(board: &mut Board, path: Option<&Path>) -> Result<Output<L>, Error> {
    let sink_of_line = L::sink(board)?;
    let target: Box<dyn Write + Send> = match path {
        Some(path) => {
            let path = unfinished(path);
            let create = |source| Error::File { action: "create", path: path.clone(), source };
            Box::new(BufWriter::new(File::create(&path).map_err(create)?))
        }
        None => Box::new(sink()),
    };
    Ok(PcapSink::new(sink_of_line, Writer::new(target, path.unwrap_or(Path::new("nothing")))?))
}
