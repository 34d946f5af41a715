//! `boards`: the boards that gateware can be made for.

use std::sync::Arc;

use nicforge_hdl::config::{Board, Fault, NO_BOARD, Top};
use serde::Serialize;

use crate::boards::BoardFolders;
use crate::error::Error;
use crate::report::{Outcome, Report, table};

/// List the boards: those that are part of the program, and yours.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge boards --json")]
pub struct Boards {
    /// Write the file of this board instead, to start an own one from.
    #[arg(long, value_name = "BOARD")]
    file: Option<String>,
    #[command(flatten)]
    boards: BoardFolders,
}

#[derive(Serialize, Debug)]
pub struct Listed {
    /// What the designs of the board end at.
    designs: Vec<Design>,
    #[serde(flatten)]
    board: Board,
}

/// A design of a board.
#[derive(Serialize, Debug)]
pub struct Design {
    name: &'static str,
    /// Whether it has the board's pins, and so becomes a bitstream. Otherwise it ends inside the FPGA.
    has_shell: bool,
}

#[derive(Serialize, Debug)]
pub struct List {
    boards: Vec<Listed>,
    /// Every fault of every board that cannot be used.
    faults: Vec<Fault>,
}

impl Report for List {
    fn text(&self) -> String {
        let designs: Vec<&str> = Top::ALL.iter().map(|top| top.name()).collect();
        let own = [NO_BOARD, "-", &designs.join(", "), "a design alone, for an own one"];
        let rows = self.boards.iter().map(row).chain([own.map(str::to_owned).to_vec()]);
        let faults: String = self.faults.iter().map(|fault| format!("{fault}\n")).collect();
        table(&rows.collect::<Vec<_>>()) + &faults
    }
    fn failed(&self) -> bool {
        !self.faults.is_empty()
    }
    fn status_when_failed(&self) -> u8 {
        2
    }
}

fn row(listed: &Listed) -> Vec<String> {
    let design = |design: &Design| match design.has_shell {
        true => design.name.to_owned(),
        false => format!("{} (ends inside the FPGA)", design.name),
    };
    let designs: Vec<String> = listed.designs.iter().map(design).collect();
    let board = &listed.board;
    vec![board.name.clone(), board.part.name(), designs.join(", "), board.title.clone()]
}

/// The file of one board.
#[derive(Serialize, Debug)]
struct BoardFile {
    board: String,
    text: String,
}

impl Report for BoardFile {
    fn text(&self) -> String {
        self.text.clone()
    }
}

impl Boards {
    pub fn run(self) -> Result<Outcome, Error> {
        let boards = self.boards.boards(None)?;
        if let Some(board) = self.file {
            let text = boards.board(&board)?.text().to_owned();
            return Ok(Outcome::of(&BoardFile { board, text }));
        }
        let listed = |board: &Arc<Board>| Listed {
            designs: board
                .tops
                .iter()
                .map(|top| Design { name: top.name(), has_shell: board.has_shell(*top) })
                .collect(),
            board: Board::clone(board),
        };
        Ok(Outcome::of(&List {
            boards: boards.sound().map(listed).collect(),
            faults: boards.faulty().flat_map(|(_, faults)| faults.list().to_vec()).collect(),
        }))
    }
}
