//! Cases as files.
use super::{Case, Error};
use nicforge_layout::counters;
use nicforge_sim::link::gmii::Symbol;
use nicforge_sim::link::xgmii::Word;
use nicforge_sim::pcap;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

fn usual_gap() -> u64 {
    12
}
fn usual_lanes() -> Vec<u8> {
    vec![0, 4]
}
fn usual_stalls() -> Vec<u64> {
    vec![1, 2]
}

/// `case.toml` as it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    title: String,
    config: String,
    #[serde(default = "usual_gap")]
    gap: u64,
    #[serde(default = "usual_lanes")]
    start_lanes: Vec<u8>,
    #[serde(default = "usual_stalls")]
    stalls: Vec<u64>,
    #[serde(default)]
    xgmii: Vec<String>,
    #[serde(default)]
    gmii: Vec<String>,
    #[serde(default)]
    delivered: Vec<String>,
    counters: BTreeMap<String, u64>,
}

impl Case {
    /// Reads the case in a folder.
    ///
    /// # Errors
    /// If a file is missing, or something in it has not the form of `testbench/vectors/README.md`.
    pub fn load(folder: &Path) -> Result<Case, Error> {
        let path = folder.join("case.toml");
        let text =
            std::fs::read_to_string(&path).map_err(|cause| Error::File { path: path.clone(), cause })?;
        let text: Text = toml::from_str(&text).map_err(|cause| Error::Toml { path: path.clone(), cause })?;
        let wrong = |field, wanted, found: &str| Error::Value {
            path: path.clone(),
            field,
            wanted,
            found: found.to_owned(),
        };
        if let Some(name) = text.counters.keys().find(|name| counters::by_name(name).is_none()) {
            return Err(wrong("counters", "the name of a counter", name));
        }
        if let Some(lane) = text.start_lanes.iter().find(|lane| ![0, 4].contains(*lane)) {
            return Err(wrong("start_lanes", "0 or 4", &lane.to_string()));
        }
        let hex = |text: &String| octets(text).ok_or_else(|| wrong("delivered", "pairs of hex digits", text));
        let raw = |text: &String| {
            word(text).ok_or_else(|| wrong("xgmii", "16 hex digits, a space, 2 hex digits", text))
        };
        let run = |text: &String| {
            symbols(text)
                .ok_or_else(|| wrong("gmii", "idle, data, bad or error, a space, pairs of hex digits", text))
        };
        Ok(Case {
            name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            xgmii: text.xgmii.iter().map(raw).collect::<Result<_, _>>()?,
            gmii: text.gmii.iter().map(run).collect::<Result<Vec<_>, _>>()?.concat(),
            delivered: text.delivered.iter().map(hex).collect::<Result<_, _>>()?,
            frames: read_capture(&folder.join("in.pcap"))?,
            replies: read_capture(&folder.join("expect.pcap"))?,
            title: text.title,
            config: text.config,
            gap: text.gap,
            start_lanes: text.start_lanes,
            stalls: text.stalls,
            counters: text.counters,
        })
    }

    /// The files of the case: names and contents.
    ///
    /// # Errors
    /// If a frame does not fit a capture.
    pub fn files(&self) -> Result<[(&'static str, Vec<u8>); 3], Error> {
        Ok([
            ("case.toml", self.text().into_bytes()),
            ("in.pcap", capture("in.pcap", &self.frames)?),
            ("expect.pcap", capture("expect.pcap", &self.replies)?),
        ])
    }

    fn text(&self) -> String {
        let mut text = String::from("# Written by `cargo run -p nicforge-testbench --bin vectors`.\n");
        let mut line = |line: String| text.extend([&line, "\n"]);
        line(format!("title = \"{}\"", self.title));
        line(format!("config = \"{}\"", self.config));
        line(format!("gap = {}", self.gap));
        line(format!("start_lanes = {:?}", self.start_lanes));
        line(format!("stalls = {:?}", self.stalls));
        if !self.xgmii.is_empty() {
            line("xgmii = [".into());
            for word in &self.xgmii {
                line(format!("    \"{:016x} {:02x}\",", word.data, word.control));
            }
            line("]".into());
        }
        if !self.gmii.is_empty() {
            line("gmii = [".into());
            for run in self.gmii.chunk_by(|a, b| (a.enable, a.error) == (b.enable, b.error)) {
                for part in run.chunks(RUN) {
                    let data: Vec<u8> = part.iter().map(|symbol| symbol.data).collect();
                    line(format!("    \"{} {}\",", kind(part[0]), hex(&data)));
                }
            }
            line("]".into());
        }
        if !self.delivered.is_empty() {
            line("delivered = [".into());
            for payload in &self.delivered {
                line(format!("    \"{}\",", hex(payload)));
            }
            line("]".into());
        }
        line("\n[counters]".into());
        for (name, value) in &self.counters {
            line(format!("{name} = {value}"));
        }
        text
    }
}

/// Octets as hexadecimal digits.
fn hex(octets: &[u8]) -> String {
    octets.iter().fold(String::new(), |mut text, octet| {
        write!(text, "{octet:02x}").expect("writing to a string cannot fail");
        text
    })
}

fn octets(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
            u8::from_str_radix(pair, 16).ok()
        })
        .collect()
}

/// Most symbols of a kind in one string of a written case.
const RUN: usize = 32;
/// The kinds of GMII symbols, by enable and error.
const KINDS: [(&str, bool, bool); 4] =
    [("idle", false, false), ("data", true, false), ("bad", true, true), ("error", false, true)];

fn kind(symbol: Symbol) -> &'static str {
    let same = |kind: &&(&str, bool, bool)| (kind.1, kind.2) == (symbol.enable, symbol.error);
    KINDS.iter().find(same).expect("two bits have four values").0
}

fn symbols(text: &str) -> Option<Vec<Symbol>> {
    let (name, data) = text.split_once(' ')?;
    let (_, enable, error) = *KINDS.iter().find(|kind| kind.0 == name)?;
    Some(octets(data)?.into_iter().map(|data| Symbol { data, enable, error }).collect())
}

fn word(text: &str) -> Option<Word> {
    let (data, control) = text.split_once(' ')?;
    if data.len() != 16 || control.len() != 2 {
        return None;
    }
    let data = u64::from_str_radix(data, 16).ok()?;
    Some(Word { data, control: u8::from_str_radix(control, 16).ok()? })
}

/// Frames of a capture, FCS included.
fn read_capture(path: &Path) -> Result<Vec<Vec<u8>>, Error> {
    Ok(pcap::read(path)?.into_iter().map(|record| record.octets).collect())
}

/// A capture of these frames, one a microsecond; `name` is what errors call it.
///
/// # Errors
/// If a frame does not fit a capture.
pub fn capture(name: &str, frames: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
    let mut writer = pcap::Writer::new(Vec::new(), Path::new(name))?;
    for (number, frame) in frames.iter().enumerate() {
        writer.write(Duration::from_micros(number as u64), frame)?;
    }
    Ok(writer.finish()?)
}
