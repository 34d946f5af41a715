//! The register map as LiteX exports it, `csr.csv`: its `RemoteClient` and `litex_cli` then address
//! registers by name.
//!
//! LiteX puts the high word of a wide register first, the card puts it last, so a counter is two
//! registers here, `counter_<name>_low` and `_high`. The file has no place for fields; they stand as
//! constants under the names that LiteX's C export has, `csr_<register>_<field>_offset` and `_size`.

use std::fmt::Write as _;

use nicforge_layout::counters::{COUNTERS, Group as Counted};
use nicforge_layout::registers::{self as map, Access, Group, MAP, Register};

use super::registers::place;
use crate::config::Config;

/// Name of the one base address.
const BASE: &str = "nicforge";

/// `csr.csv`: rows of kind, name, value or byte address, 32-bit words, and `rw` or `ro`.
pub fn csr_csv(config: &Config) -> String {
    let mut rows = Rows::default();
    rows.add("csr_base", BASE, &hex(0), "", "");
    let there = |group| group == Group::Core || config.top.has_sampler();
    for register in MAP.iter().filter(|register| there(register.group)) {
        rows.add("csr_register", register.name, &hex(register.offset), "1", mode(register));
    }
    let counted = |group| group != Counted::Sampler || config.top.has_sampler();
    for counter in COUNTERS.iter().filter(|counter| counted(counter.group)) {
        for (half, offset) in [("low", 0), ("high", 4)] {
            let name = format!("counter_{}_{half}", counter.name);
            rows.add("csr_register", &name, &hex(place(counter) + offset), "1", "ro");
        }
    }
    for register in MAP.iter().filter(|register| there(register.group)) {
        for field in register.fields {
            let name = format!("csr_{}_{}", register.name, field.name);
            rows.constant(&format!("{name}_offset"), field.lsb);
            rows.constant(&format!("{name}_size"), field.width);
        }
    }
    rows.constant("config_bus_address_width", 32);
    rows.constant("config_bus_data_width", 32);
    rows.constant("config_clock_frequency", config.core_clock_hertz());
    rows.constant("config_csr_alignment", 32);
    rows.constant("config_csr_data_width", 32);
    rows.constant("nicforge_map_digest", map::digest());
    rows.add("memory_region", "csr", &hex(0), &map::SPACE.to_string(), "io");
    rows.text
}

/// A register is writable if one of its fields is.
fn mode(register: &Register) -> &'static str {
    let writable = |access| matches!(access, Access::ReadWrite | Access::Pulse);
    if register.fields.iter().any(|field| writable(field.access)) { "rw" } else { "ro" }
}

fn hex(value: u32) -> String {
    format!("{value:#010x}")
}

/// The file under construction.
#[derive(Default)]
struct Rows {
    text: String,
}

impl Rows {
    fn add(&mut self, kind: &str, name: &str, value: &str, size: &str, mode: &str) {
        writeln!(self.text, "{kind},{name},{value},{size},{mode}").expect("writing to a string cannot fail");
    }
    fn constant(&mut self, name: &str, value: impl ToString) {
        self.add("constant", name, &value.to_string(), "", "");
    }
}
