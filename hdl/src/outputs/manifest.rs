//! The manifest: what made a folder, from what, and a digest of every file in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{GENERATOR, VERSION, sha256};
use crate::config::Config;
use crate::verilog::{Direction, Emitted};

/// Name of the manifest's file.
pub const MANIFEST: &str = "manifest.json";

/// What made a folder, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name of the program.
    pub generator: String,
    /// Its version.
    pub version: String,
    /// Name of the board, `none` for an own design.
    pub board: String,
    /// SHA-256 over the facts of the board's file, hexadecimal; absent without a board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board_file: Option<String>,
    /// Name of the top module.
    pub top: String,
    /// Name of the design in it.
    pub design: String,
    /// SHA-256 over the normalised configuration, hexadecimal.
    pub configuration: String,
    /// Digest of the register map, hexadecimal.
    pub register_map: String,
    /// Ports of the top module, in the order of the Verilog.
    pub ports: Vec<Port>,
    /// SHA-256 of every other file, hexadecimal, by path within the folder.
    pub files: BTreeMap<String, String>,
}

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// Name.
    pub name: String,
    /// `input`, `output` or `inout`.
    pub direction: String,
    /// Width in bits.
    pub width: usize,
}

impl Manifest {
    pub(super) fn new(config: &Config, design: &Emitted, files: &BTreeMap<String, String>) -> Self {
        let port = |port: &crate::verilog::Port| Port {
            name: port.name.clone(),
            direction: direction(port.direction).to_owned(),
            width: port.width,
        };
        Self {
            generator: GENERATOR.to_owned(),
            version: VERSION.to_owned(),
            board: config.board_name().to_owned(),
            board_file: config.board.as_ref().map(|board| board.digest_hex()),
            top: design.top.clone(),
            design: config.top.name().to_owned(),
            configuration: config.digest_hex(),
            register_map: format!("{:08x}", nicforge_layout::registers::digest()),
            ports: design.ports.iter().map(port).collect(),
            files: files.iter().map(|(path, text)| (path.clone(), sha256(text.as_bytes()))).collect(),
        }
    }

    pub(super) fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("text and numbers always have a JSON form") + "\n"
    }

    /// A manifest from the text of its file, if the text is one of this program's.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str::<Self>(text).ok().filter(|manifest| manifest.generator == GENERATOR)
    }
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Input => "input",
        Direction::Output => "output",
        Direction::InOut => "inout",
    }
}
