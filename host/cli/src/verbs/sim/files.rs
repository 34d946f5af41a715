//! A board between two captures.
use std::fs::File;
use std::io::{BufWriter, Write, sink};
use std::path::{Path, PathBuf};

use nicforge_hdl::config::Config;
use nicforge_host::Card;
use nicforge_sim::link::xgmii::Pacing;
use nicforge_sim::link::{PcapSink, PcapSource, Stalls, XgmiiSink, XgmiiSource};
use nicforge_sim::pcap::{Reader, Writer};
use nicforge_sim::{Actor, Board, Pins};

use super::{Sim, Simulated};
use crate::counters::Moved;
use crate::error::Error;
use crate::progress;
use crate::simulated::{check_digest, model_of};
use crate::stepped::SteppedBar;

/// Cycles between two looks at the input's end.
const BURST: u64 = 1024;

type Output = PcapSink<Box<dyn Write + Send>>;

/// What the board receives.
enum Input {
    Nothing(XgmiiSource),
    Capture(PcapSource<File>),
}

impl Input {
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

impl Actor for Input {
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
}

/// Runs the board over the captures that `sim` names.
pub fn run(sim: &Sim, config: &Config, quiet: bool) -> Result<Simulated, Error> {
    let trace = sim.vcd.is_some();
    let model = progress::spinner("preparing the board's model", quiet, || model_of(config, trace))?;
    let mut board = Board::new(model)?;
    if let Some(path) = &sim.vcd {
        board.trace(path)?;
    }
    let input = input(&mut board, sim.input.as_deref())?;
    let output = output(&mut board, sim.output.as_deref())?;
    let mut card = Card::open(SteppedBar::attach(board, (input, output))?)?;
    check_digest(&mut card, config)?;
    progress::spinner("simulating", quiet, || clock(card.bar(), sim.cycles));
    let counters = Moved::of(&mut card)?;
    let SteppedBar { board, line: (input, output), .. } = card.into_bar();
    let violations = output.sink.line.violation_count();
    let (frames_in, frames_out) = (input.finish()?, output.finish()?.0);
    if let Some(path) = &sim.output {
        let rename = |source| Error::File { action: "write", path: path.clone(), source };
        std::fs::rename(unfinished(path), path).map_err(rename)?;
    }
    Ok(Simulated {
        config_digest: config.digest_hex(),
        frames_in,
        frames_out,
        violations,
        cycles: board.cycle(),
        counters,
    })
}

/// Clocks until the input is over, and `behind` cycles more.
fn clock(bar: &mut SteppedBar<(Input, Output)>, behind: u64) {
    while !bar.line.0.is_done() {
        bar.board.run(BURST, &mut bar.line);
    }
    bar.board.run(behind, &mut bar.line);
}

fn input(board: &mut Board, path: Option<&Path>) -> Result<Input, Error> {
    let source = XgmiiSource::attach(board, "xgmii", Pacing::default(), Stalls::none())?;
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

fn output(board: &mut Board, path: Option<&Path>) -> Result<Output, Error> {
    let sink_of_line = XgmiiSink::attach(board, "xgmii")?;
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
