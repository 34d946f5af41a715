//! The register map itself, which needs no card.

use nicforge_layout::registers::{Access, Field, MAP, Register};
use serde::Serialize;

use crate::error::Error;
use crate::report::{Report, table};

/// The register map, or a part of it.
#[derive(Serialize, Debug)]
pub struct List {
    map_digest: String,
    registers: Vec<Row>,
}

#[derive(Serialize, Debug)]
struct Row {
    name: &'static str,
    offset: u32,
    doc: &'static str,
    fields: Vec<FieldRow>,
}

#[derive(Serialize, Debug)]
struct FieldRow {
    name: &'static str,
    lsb: u32,
    width: u32,
    access: &'static str,
    reset: u32,
    doc: &'static str,
}

/// The registers with this in their name.
pub fn list(part: &str) -> Result<List, Error> {
    let registers: Vec<Row> = MAP.iter().filter(|register| register.name.contains(part)).map(row).collect();
    if registers.is_empty() {
        return Err(Error::Usage {
            wanted: "a part of a register's name".to_owned(),
            found: part.to_owned(),
        });
    }
    Ok(List { map_digest: format!("{:08x}", nicforge_layout::registers::digest()), registers })
}

fn row(register: &Register) -> Row {
    let fields = register.fields.iter().map(field_row).collect();
    Row { name: register.name, offset: register.offset, doc: register.doc, fields }
}

fn field_row(field: &Field) -> FieldRow {
    let Field { name, lsb, width, reset, doc, .. } = *field;
    FieldRow { name, lsb, width, access: access(field.access), reset, doc }
}

fn access(access: Access) -> &'static str {
    match access {
        Access::Constant => "constant",
        Access::ReadOnly => "read",
        Access::ReadWrite => "read/write",
        Access::Pulse => "pulse",
    }
}

impl Report for List {
    fn text(&self) -> String {
        let mut rows = Vec::new();
        for register in &self.registers {
            for field in &register.fields {
                let bits = format!("{}..{}", field.lsb + field.width - 1, field.lsb);
                let name = format!("{}.{}", register.name, field.name);
                let reset = format!("{:#x}", field.reset);
                let offset = format!("{:#05x}", register.offset);
                rows.push(vec![offset, name, bits, field.access.to_owned(), reset, field.doc.to_owned()]);
            }
        }
        table(&rows)
    }
}
