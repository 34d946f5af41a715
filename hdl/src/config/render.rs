//! Texts made from the table of fields: the configuration to start from, and the book's page.

use std::fmt::Write as _;

use super::board::{NO_BOARD, board, boards};
use super::fields::{FIELDS, Field, TABLES, Table};
use super::{Top, board_names, fields};

/// There is no board of this name.
#[derive(Debug, thiserror::Error)]
#[error("unknown board {found:?}, wanted {wanted}")]
pub struct NoSuchBoard {
    /// The name given.
    pub found: String,
    /// The names there are.
    pub wanted: String,
}

/// The configuration to start from for a board (or `none`): every field with its default and a comment.
///
/// # Errors
/// When there is no board of this name.
pub fn starting_file(board_name: &str) -> Result<String, NoSuchBoard> {
    let top = match board(board_name) {
        Some(board) => Top::by_name(&board.tops[0]).expect("a test holds board files to known tops"),
        None if board_name == NO_BOARD => Top::UdpCore,
        None => {
            let wanted = fields::one_of(board_names());
            return Err(NoSuchBoard { found: board_name.to_owned(), wanted });
        }
    };
    let title = board(board_name).map_or("the UDP core alone, for an own design", |board| &board.title);
    let mut text = format!("# nicforge configuration: {title}.\n# Every field is shown with its default.\n");
    for table in TABLES.iter().filter(|table| table.belongs_to(top)) {
        write_table(&mut text, table, board_name, top);
    }
    Ok(text)
}

fn write_table(text: &mut String, table: &Table, board: &str, top: Top) {
    text.push('\n');
    if !table.name.is_empty() {
        let _ = writeln!(text, "# {}\n[{}]", table.doc, table.name);
    }
    for field in FIELDS.iter().filter(|field| field.table == table.name) {
        let value = match field.key {
            "board" => format!("{board:?}"),
            "top" => format!("{:?}", top.name()),
            _ => field.default.to_owned(),
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
        let designs: Vec<String> = table.designs.iter().map(|top| format!("`{}`", top.name())).collect();
        let only = match table.designs == Top::ALL {
            true => String::new(),
            false => format!(" Only in {}.", designs.join(" and ")),
        };
        let _ = writeln!(page, "\n## {title}\n\n{}{only}\n", table.doc);
        page.push_str(
            "| field | value | default | kind | registers | meaning |\n|---|---|---|---|---|---|\n",
        );
        for field in FIELDS.iter().filter(|field| field.table == table.name) {
            write_row(&mut page, field);
        }
    }
    page.push_str("\n## Boards\n\n| board | what | FPGA | designs |\n|---|---|---|---|\n");
    for board in boards() {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} |",
            board.name,
            board.title,
            board.part,
            board.tops.join(", ")
        );
    }
    page
}

fn write_row(page: &mut String, field: &Field) {
    let registers: Vec<String> = field.registers.iter().map(|name| format!("`{name}`")).collect();
    let _ = writeln!(
        page,
        "| `{}` | {} | `{}` | {} | {} | {} |",
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
what differs. `nicforge new BOARD` writes a file with every field, `nicforge check FILE` lists every fault of one.

The kind of a field says how it reaches the gateware: a *register* field sets a reset value and can be changed while
the card runs, a *constant* is fixed in the design, a *choice* picks one of the designs there are.
";
