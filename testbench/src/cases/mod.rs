//! Data-driven cases: a folder with `in.pcap`, `expect.pcap` and `case.toml` is a test.
//!
//! `testbench/vectors/README.md` describes the format. A case needs no code: [`all`] finds every
//! folder. Most folders are written by [`table`], so that each octet of them has a readable origin.
mod error;
mod file;
mod run;
pub mod stream;
pub mod table;

pub use error::Error;
pub use file::capture;
pub use run::{Finding, Line, Variant, model, play, snapshot};

use nicforge_hdl::config::Config;
use nicforge_sim::link::gmii::Symbol;
use nicforge_sim::link::xgmii::Word;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One case: what comes in on the line, and everything that has to come of it.
///
/// It is played at XGMII and at GMII; one with raw words or symbols only where it has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Name of the folder.
    pub name: String,
    /// What the case shows.
    pub title: String,
    /// Configuration of the card: a file of `configs/` without its ending.
    pub config: String,
    /// Fewest octets between frames of `frames`, TERMINATE included; at GMII at least
    /// [`GIGABIT_GAP`].
    pub gap: u64,
    /// Lanes in which frames of `frames` start; the case is run with each.
    pub start_lanes: Vec<u8>,
    /// Seeds of the random pauses and stalls; the case is run once without and once with each.
    pub stalls: Vec<u64>,
    /// Raw words that come before the frames, for what a pcap file cannot carry.
    pub xgmii: Vec<Word>,
    /// Raw symbols of GMII that come before the frames.
    pub gmii: Vec<Symbol>,
    /// Frames received, FCS included.
    pub frames: Vec<Vec<u8>>,
    /// Frames that the card sends, FCS included, in order.
    pub replies: Vec<Vec<u8>>,
    /// Payloads that the UDP port delivers, in order.
    pub delivered: Vec<Vec<u8>>,
    /// Counters that moved, and how far; all others stay 0.
    pub counters: BTreeMap<String, u64>,
}

/// Shortest gap that a receiver has to stand at GMII, in octets (IEEE 802.3 clause 4.4.2).
pub const GIGABIT_GAP: u64 = 8;

/// The folder of all cases.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// Every case there is, by name.
///
/// # Errors
/// If a folder cannot be read as a case.
pub fn all() -> Result<Vec<Case>, Error> {
    let folder = folder();
    let failed = |cause| Error::File { path: folder.clone(), cause };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders.iter().map(|path| Case::load(path)).collect()
}

/// The configuration of this name from `configs/`.
///
/// # Errors
/// If it cannot be read or has faults.
pub fn configuration(name: &str) -> Result<Config, Error> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs").join(name).with_extension("toml");
    Config::load(&path).map_err(|faults| Error::Configuration { path, faults: Box::new(faults) })
}

/// The design on 1 GbE with the addresses and limits of a configuration, and a sampler that is silent.
///
/// # Errors
/// If the design takes other values than this one.
pub fn gigabit(config: &Config) -> Result<Config, Error> {
    let network = &config.network;
    let text = format!(
        "top = \"stream_1g\"\n[network]\nmac = \"{}\"\nip = \"{}\"\nnetmask = \"{}\"\nmtu = {}\n[sampler]\nenable = false\n",
        network.mac, network.ip, network.netmask, network.mtu
    );
    let path = "the same on 1 GbE";
    Config::parse(&text, path)
        .map_err(|faults| Error::Configuration { path: path.into(), faults: Box::new(faults) })
}
