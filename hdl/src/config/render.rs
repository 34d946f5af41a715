//! Texts made from the table of fields: the configuration to start from, and the book's page.

use std::fmt::Write as _;

use super::Top;
use super::board::{Board, NO_BOARD};
use super::board_file::designs;
use super::boards::{Boards, NoSuchBoard};
use super::fields::{FIELDS, Field, TABLES, Table};

/// The configuration to start from for a board (or `none`): every field with its default and a comment.
///
/// # Errors
/// When there is no board of this name, or its file has faults.
pub fn starting_file(name: &str, boards: &Boards) -> Result<String, NoSuchBoard> {
    let board = if name == NO_BOARD { None } else { Some(&**boards.board(name)?) };
    let top = board.map_or(Top::UdpCore, |board| board.tops[0]);
    let title = board.map_or("the UDP core alone, for an own design", |board| &board.title);
    let mut text = format!("# nicforge configuration: {title}.\n# Every field is shown with its default.\n");
    for table in TABLES.iter().filter(|table| table.belongs_to(top)) {
        write_table(&mut text, table, board, top);
    }
    Ok(text)
}

fn write_table(text: &mut String, table: &Table, board: Option<&Board>, top: Top) {
    text.push('\n');
    if !table.name.is_empty() {
        let _ = writeln!(text, "# {}\n[{}]", table.doc, table.name);
    }
    let shown = |field: &&Field| field.table == table.name && (board.is_some() || !field.needs_board());
    for field in FIELDS.iter().filter(shown) {
        let value = match field.key {
            "board" => format!("{:?}", board.map_or(NO_BOARD, |board| &board.name)),
            "top" => format!("{:?}", top.name()),
            "clock" => format!("{:?}", board.map_or("", |board| &board.core.clock)),
            _ => field.default_in(top).to_owned(),
        };
        let _ = writeln!(text, "# {}\n{} = {value}", field.doc, field.key);
    }
}

/// The configuration reference: the book's page of every field.
pub fn markdown() -> String {
    let mut page = String::from(INTRODUCTION);
    for table in TABLES {
        let title =
            if table.name.is_empty() { "Top of the file".to_owned() } else { format!("`[{}]`", table.name) };
        let only = match table.designs == Top::ALL {
            true => String::new(),
            false => format!(" Only with top = {}.", designs(table.designs)),
        };
        let _ = writeln!(page, "\n## {title}\n\n{}{only}\n", table.doc);
        page.push_str(
            "| field | value | default | kind | registers | meaning |\n|---|---|---|---|---|---|\n",
        );
        for field in FIELDS.iter().filter(|field| field.table == table.name) {
            write_row(&mut page, field);
        }
    }
    page.push_str("\n## Boards\n\nOne's own are added as [files](boards.md).\n\n| board | what | FPGA | designs |\n|---|---|---|---|\n");
    for board in Boards::built_in().sound() {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} |",
            board.name,
            board.title,
            board.part.name(),
            designs(&board.tops),
        );
    }
    page
}

fn write_row(page: &mut String, field: &Field) {
    let gigabit = field.gigabit_default.map_or(String::new(), |value| format!(", on 1 GbE `{value}`"));
    let registers: Vec<String> = field.registers.iter().map(|name| format!("`{name}`")).collect();
    let _ = writeln!(
        page,
        "| `{}` | {} | `{}`{gigabit} | {} | {} | {} |",
        field.key,
        field.form.describe(),
        field.default,
        field.kind.name(),
        registers.join(", "),
        field.doc,
    );
}

const INTRODUCTION: &str = "\
<!-- Written from the table of fields in hdl/src/config/fields.rs. Do not edit: run `NICFORGE_UPDATE=1 cargo test -p nicforge-hdl --test config`. -->
# Configuration reference

One TOML file says what a build of the gateware contains. Every field has a default, so that a file needs only
what differs. `nicforge new BOARD` writes a file with every field, `nicforge check FILE` lists every fault of one, and
`nicforge new --schema` writes a JSON Schema for editors that check and complete TOML.

The kind of a field says how it reaches the gateware: a *register* field sets a reset value and can be changed while
the card runs, a *constant* is fixed in the design, a *count* says how many there are of a block, a *choice* picks one
of the designs, boards and clocks there are. In this version no field is a constant or a count: what a design has
one of, and what a board fixes, is no field.
";
