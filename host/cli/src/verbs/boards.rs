//! `boards`: the boards that gateware can be made for.

use nicforge_hdl::config::{Board, boards};
use serde::Serialize;

use crate::report::{Report, table};

/// List the boards.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge boards --json")]
pub struct Boards {}

#[derive(Serialize, Debug)]
pub struct List {
    boards: &'static [Board],
}

impl Report for List {
    fn text(&self) -> String {
        let row = |board: &Board| vec![board.name.clone(), board.part.clone(), board.title.clone()];
        let own = vec!["none".to_owned(), "-".to_owned(), "the UDP core alone, for an own design".to_owned()];
        table(&self.boards.iter().map(row).chain([own]).collect::<Vec<_>>())
    }
}

impl Boards {
    pub fn run(self) -> List {
        List { boards: boards() }
    }
}
