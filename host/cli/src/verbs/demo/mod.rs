//! `nicforge demo`: the whole chain on this machine.
//!
//! A simulated sampler board answers the system's `ping` and streams a tone over UDP into a socket;
//! the recording is compared with the reference model sample by sample.
mod check;
mod stages;
mod summary;

pub use summary::Summary;

use crate::boards::BoardFolders;
use crate::error::Error;
use nicforge_hdl::config::{Config, Source};
use nicforge_sim::net::Choice;
use std::path::PathBuf;

/// The configuration that is built in.
const DEFAULT_CONFIG: &str = include_str!("../../../../../configs/ibob.toml");

/// Run the whole chain on this machine: board, ping, stream, recording, sample-exact check.
///
/// Writes recording.vdif, wire.pcap (with FCS), samples.svg and summary.json.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge demo --network veth --packets 500")]
pub struct Demo {
    /// Configuration of a sampler board; without one, configs/ibob.toml as built in.
    file: Option<PathBuf>,
    /// The network that the board is connected to: tap (root), veth (any user), smoltcp (no kernel), or the
    /// first that works.
    #[arg(long, default_value = "auto", value_name = "auto|tap|veth|smoltcp")]
    network: Choice,
    /// Packets to stream.
    #[arg(long, default_value_t = 2500, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    packets: u32,
    /// Echo requests to send before the stream.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pings: u16,
    /// Folder for what the demo writes.
    #[arg(short, long, default_value = "target/demo")]
    output: PathBuf,
    #[command(flatten)]
    boards: BoardFolders,
}

impl Demo {
    /// Runs the chain; `quiet` leaves out the lines and bars on the way.
    ///
    /// # Errors
    /// What could not be set up or broke on the way. Wrong or lost samples are no error: the
    /// summary tells of them.
    pub fn run(&self, quiet: bool) -> Result<Summary, Error> {
        let config = self.config()?;
        std::fs::create_dir_all(&self.output).map_err(|source| Error::File {
            action: "create the folder",
            path: self.output.clone(),
            source,
        })?;
        stages::run(self, &config, quiet)
    }

    fn config(&self) -> Result<Config, Error> {
        let config = match &self.file {
            Some(path) => self.boards.load(path)?,
            None => Config::parse(DEFAULT_CONFIG, "configs/ibob.toml")?,
        };
        if !config.top.has_sampler() {
            return Err(Error::Unsuitable {
                what: "the demo",
                wanted: "a design with a sampler, such as top = \"ibob\" or \"stream_1g\"",
                found: config.top.name(),
            });
        }
        Ok(config)
    }
}

/// The sample that the reference model gives for number `n`.
fn model_sample(config: &Config, n: u64) -> i8 {
    match config.sampler.source {
        Source::Counter => nicforge_sim::models::tone::counter(n),
        Source::Tone => {
            nicforge_sim::models::tone::tone(n, config.tone_step(), config.sampler.tone.amplitude)
        }
    }
}
