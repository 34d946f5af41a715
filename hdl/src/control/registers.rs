//! The register blocks, one a group, written by the build script from the register map.
//!
//! A block answers its registers on the bus and shows each field on a port: `<register>_<field>`,
//! or `<register>` for a field called `value`. A written value is on its port two cycles after
//! the write was on the bus; a pulse field shows it for that one cycle and zero otherwise. Bits
//! of no field read as zero. A write to a register without writable fields is answered and
//! changes nothing.
use super::BusSink;
use nicforge_layout::registers::{self, Field, Register};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

include!(concat!(env!("OUT_DIR"), "/registers.rs"));

/// The value that a field begins with: from `words` by the register's name, else from the map.
fn initial<const N: usize>(
    words: &BTreeMap<&str, u32>,
    register: &Register,
    field: &Field,
) -> Constant<Bits<N>> {
    let word = words.get(register.name).copied().unwrap_or(register.reset());
    Constant::new(field.get(word).to_bits())
}
