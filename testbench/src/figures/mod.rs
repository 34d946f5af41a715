//! The figures of `make bench`: what is measured, what it has to reach, and how it is told.
//!
//! One file a subject. A figure that misses its target, or cannot be measured, fails the run.
mod area;
mod build;
mod chain;
mod command;
mod process;
mod report;
mod runtime;
mod speed;
mod stream;

use serde::Serialize;
use std::path::PathBuf;

pub use report::{json, table};

/// Which way a figure improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// At least the target is wanted.
    Higher,
    /// At most the target is wanted.
    Lower,
}

/// One measured figure; the fields are those of `target/bench.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Name, `<subject>.<figure>`; the key in the file.
    #[serde(skip)]
    pub key: &'static str,
    /// What was measured.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// Which way it improves.
    pub better: Better,
    /// What it has to reach, in the same unit; nothing for a figure that is only shown.
    pub target: Option<f64>,
    /// Whom it is compared with.
    pub peer: Option<&'static str>,
    /// The peer's figure in the same unit.
    pub peer_value: Option<f64>,
    /// What gives the figure again.
    pub command: String,
}

impl Figure {
    /// A figure without target and peer, given again by `make bench` with its key.
    fn new(key: &'static str, value: f64, unit: &'static str, better: Better) -> Self {
        let command = format!("make bench ARGS={key}");
        Self { key, value, unit, better, target: None, peer: None, peer_value: None, command }
    }

    fn target(self, target: f64) -> Self {
        Self { target: Some(target), ..self }
    }

    fn peer(self, name: &'static str, value: f64) -> Self {
        Self { peer: Some(name), peer_value: Some(value), ..self }
    }

    /// Adds to the command what it runs.
    fn running(self, what: &str) -> Self {
        Self { command: format!("{}: {what}", self.command), ..self }
    }

    /// Whether the target, if there is one, is reached. A value that is no number reaches none.
    pub fn is_met(&self) -> bool {
        self.target.is_none_or(|target| match self.better {
            Better::Higher => self.value >= target,
            Better::Lower => self.value <= target,
        })
    }
}

/// One measurement, which gives one or more figures.
#[derive(Debug)]
pub struct Measurement {
    /// The keys of its figures.
    pub keys: &'static [&'static str],
    /// Whether it is left out unless asked for, because it takes minutes.
    pub slow: bool,
    /// Measures.
    pub run: fn() -> Result<Vec<Figure>, Error>,
}

/// Every measurement, in the order in which they are made.
///
/// Memory comes first: a new process is charged with the memory of the one that started it.
pub const MEASUREMENTS: &[Measurement] = &[
    Measurement { keys: &[command::MEMORY_BUILD], slow: true, run: command::memory_build },
    Measurement { keys: &[command::MEMORY_RUN], slow: false, run: command::memory_run },
    Measurement { keys: &[command::GENERATE], slow: false, run: command::generate_seconds },
    Measurement { keys: &[stream::WIRE_SHARE], slow: false, run: stream::wire_share },
    Measurement { keys: &[chain::EMITTED, chain::STOCK], slow: false, run: chain::ratios },
    Measurement { keys: &[speed::CYCLES, speed::HARNESS], slow: false, run: speed::speeds },
    Measurement { keys: &[runtime::CHANGED, runtime::CACHED], slow: false, run: runtime::seconds },
    Measurement { keys: &[area::BLOCKS], slow: false, run: area::blocks },
    Measurement { keys: &[area::LUT, area::FLIP_FLOPS, area::BLOCK_RAM], slow: false, run: area::ibob },
    Measurement { keys: build::ECPIX5.keys, slow: true, run: build::ecpix5 },
    Measurement { keys: build::COLORLIGHT_I5.keys, slow: true, run: build::colorlight_i5 },
];

/// The measurements that give the keys asked for; without any, all but the slow ones.
///
/// # Errors
/// A key that there is not.
pub fn selected(keys: &[String], slow: bool) -> Result<Vec<&'static Measurement>, Error> {
    let known = || MEASUREMENTS.iter().flat_map(|measurement| measurement.keys);
    if let Some(key) = keys.iter().find(|key| !known().any(|found| found == key)) {
        let known: Vec<&str> = known().copied().collect();
        return Err(Error::Key { found: key.clone(), known: known.join(", ") });
    }
    let named = |measurement: &&Measurement| keys.iter().any(|key| measurement.keys.contains(&&key[..]));
    let wanted = |measurement: &&Measurement| {
        named(measurement) || (measurement.slow && slow) || (!measurement.slow && keys.is_empty())
    };
    Ok(MEASUREMENTS.iter().filter(wanted).collect())
}

/// The exit status of a run: 1 if a figure misses its target or could not be measured.
pub fn status(figures: &[Figure], failures: usize) -> u8 {
    u8::from(failures > 0 || figures.iter().any(|figure| !figure.is_met()))
}

/// The middle value; of an even number of values the upper one of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Why a figure could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No figure has this key.
    #[error("no figure `{found}`; there are: {known}")]
    Key {
        /// The key asked for.
        found: String,
        /// Those there are.
        known: String,
    },
    /// The simulation.
    #[error(transparent)]
    Simulation(#[from] nicforge_sim::Error),
    /// The back end.
    #[error(transparent)]
    Print(#[from] nicforge_hdl::verilog::Error),
    /// The configuration.
    #[error(transparent)]
    Configuration(#[from] nicforge_hdl::config::Faults),
    /// A program did not do its work.
    #[error("`{command}` ended with {status}:\n{said}")]
    Process {
        /// How it was called.
        command: String,
        /// How it ended.
        status: std::process::ExitStatus,
        /// The end of its standard error.
        said: String,
    },
    /// A program printed something else than it should.
    #[error("{program}: wanted {wanted}, found \"{found}\"")]
    Output {
        /// The program.
        program: &'static str,
        /// What it should print.
        wanted: &'static str,
        /// What it printed.
        found: String,
    },
    /// A file or process could not be used.
    #[error("cannot {action} {path}")]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        cause: std::io::Error,
    },
    /// Two that should compute the same do not, so comparing their speed means nothing.
    #[error("{what}: wanted {wanted}, found {found}")]
    Differs {
        /// What was compared.
        what: &'static str,
        /// Of the first.
        wanted: String,
        /// Of the second.
        found: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: f64, better: Better, target: Option<f64>) -> Figure {
        Figure { target, ..Figure::new("subject.figure", value, "s", better) }
    }

    #[test]
    fn a_missed_target_or_a_failed_measurement_gives_status_1() {
        let met = figure(2.0, Better::Higher, Some(2.0));
        assert_eq!(status(&[met.clone(), figure(1.0, Better::Lower, Some(1.5))], 0), 0);
        assert_eq!(status(&[met.clone(), figure(1.9, Better::Higher, Some(2.0))], 0), 1);
        assert_eq!(status(&[met.clone(), figure(1.6, Better::Lower, Some(1.5))], 0), 1);
        assert_eq!(status(&[figure(f64::NAN, Better::Lower, Some(1.5))], 0), 1);
        assert_eq!(status(&[figure(9.0, Better::Lower, None)], 0), 0);
        assert_eq!(status(&[met], 1), 1);
    }

    #[test]
    fn a_key_selects_its_measurement_and_slow_ones_are_made_only_when_asked_for() {
        let keys = |asked: &[&str], slow| -> Vec<&str> {
            let asked: Vec<String> = asked.iter().map(|key| (*key).to_owned()).collect();
            selected(&asked, slow).unwrap().iter().flat_map(|measurement| measurement.keys).copied().collect()
        };
        assert_eq!(keys(&["gateware.stream_wire_share"], false), ["gateware.stream_wire_share"]);
        assert_eq!(keys(&["memory.build_mib"], false), ["memory.build_mib"]);
        assert!(!keys(&[], false).contains(&"memory.build_mib"));
        assert!(keys(&[], true).contains(&"memory.build_mib"));
        assert!(keys(&[], false).contains(&"sim.harness_vs_cpp"));
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_list() {
        let error = selected(&["sim.speed".to_owned()], false).unwrap_err().to_string();
        assert!(error.contains("sim.speed") && error.contains("sim.ibob_cycles_per_second"), "{error}");
    }

    #[test]
    fn the_median_is_not_moved_by_an_outlier() {
        assert_eq!(median(vec![3.0, 900.0, 1.0, 2.0, 2.5]), 2.5);
        assert!(median(Vec::new()).is_nan());
    }
}
