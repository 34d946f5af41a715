//! The boards that gateware can be made for: data from `constraints/<board>/board.toml`.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// The name that a configuration gives for "no board": the gateware alone, for an own design.
pub const NO_BOARD: &str = "none";

/// One board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Name, as in a configuration.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// The FPGA, with package and speed grade.
    pub part: String,
    /// Tops that fit the board; the first is the default.
    pub tops: Vec<String>,
    /// Where the core clock comes from.
    pub clock: Clock,
}

/// A board's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// Net name.
    pub name: String,
    /// Frequency in Hz.
    pub hertz: u64,
}

/// The board files; a board is added by a folder and a line here.
const FILES: &[&str] = &[include_str!("../../../constraints/ibob/board.toml")];

/// Every known board, by name.
pub fn boards() -> &'static [Board] {
    static BOARDS: OnceLock<Vec<Board>> = OnceLock::new();
    BOARDS.get_or_init(|| {
        let parse = |text| toml::from_str(text).expect("board files are part of the program, and tested");
        let mut boards: Vec<Board> = FILES.iter().copied().map(parse).collect();
        boards.sort_by(|a, b| a.name.cmp(&b.name));
        boards
    })
}

/// The board of this name.
pub fn board(name: &str) -> Option<&'static Board> {
    boards().iter().find(|board| board.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_names_known_tops_and_its_own_name_only_once() {
        for board in boards() {
            assert_ne!(board.name, NO_BOARD);
            assert_eq!(boards().iter().filter(|other| other.name == board.name).count(), 1);
            assert!(!board.tops.is_empty());
            assert!(board.tops.iter().all(|top| crate::config::Top::by_name(top).is_some()), "{board:?}");
        }
    }
}
