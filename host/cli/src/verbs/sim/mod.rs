//! `nicforge sim`: the board of any configuration in Verilator.
mod files;
mod live;

use std::path::PathBuf;

use nicforge_sim::link::LineKind;
use serde::Serialize;

use crate::boards::BoardFolders;
use crate::counters::Moved;
use crate::error::Error;
use crate::report::{Report, table};

/// Simulate the board of a configuration between captures, or on a network.
///
/// Generates, verilates and compiles it where that was not done before. Captures hold frames with
/// their FCS.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge sim configs/udp_core.toml --in requests.pcap --out answers.pcap")]
pub struct Sim {
    /// The configuration.
    file: PathBuf,
    /// Capture whose frames the board receives, back to back.
    #[arg(long = "in", value_name = "PCAP", conflicts_with = "tap")]
    input: Option<PathBuf>,
    /// Capture of the frames that the board sends; with --tap of both directions.
    #[arg(long = "out", value_name = "PCAP")]
    output: Option<PathBuf>,
    /// Connect the board to a new TAP device of this name in the present network namespace; the host
    /// gets the address of the configuration's stream destination.
    #[arg(long, value_name = "NAME")]
    tap: Option<String>,
    /// Write a waveform of every signal.
    #[arg(long, value_name = "FILE", conflicts_with = "tap")]
    vcd: Option<PathBuf>,
    /// Clock cycles to simulate behind the last frame received.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000_000))]
    cycles: u64,
    /// With --tap: seconds to run.
    #[arg(long, default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seconds: u64,
    #[command(flatten)]
    boards: BoardFolders,
}

/// What a simulation did.
#[derive(Serialize, Debug)]
pub struct Simulated {
    config_digest: String,
    line: LineKind,
    frames_in: u64,
    frames_out: u64,
    violations: u64,
    cycles: u64,
    counters: Moved,
}

impl Report for Simulated {
    fn text(&self) -> String {
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        let mut rows = vec![
            row("configuration", self.config_digest.clone()),
            row("frames in", self.frames_in.to_string()),
            row("frames out", self.frames_out.to_string()),
            row(&format!("violations of {}", self.line.name()), self.violations.to_string()),
            row("cycles", self.cycles.to_string()),
        ];
        rows.extend(self.counters.rows());
        table(&rows)
    }

    fn failed(&self) -> bool {
        self.violations > 0
    }
}

impl Sim {
    /// Runs the simulation; `quiet` leaves out what is only said on the way.
    ///
    /// # Errors
    /// Faults of the configuration, of a capture (with the octet where it is damaged), of a tool.
    pub fn run(&self, quiet: bool) -> Result<Simulated, Error> {
        let config = self.boards.load(&self.file)?;
        match &self.tap {
            Some(name) => live::run(self, name, &config, quiet),
            None => files::run(self, &config, quiet),
        }
    }
}
