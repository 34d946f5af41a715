//! The register map and the counters in the forms that others read: a manual page, a C header,
//! JSON and CMSIS-SVD. Each is a function of the tables in `nicforge_layout` and of nothing else.
use nicforge_layout::counters::{COUNTERS, Counter};
use nicforge_layout::registers::{Access, COUNTER_WINDOW, Field, Group, MAP, Register, digest};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The manual page, `docs/src/registers.md`.
pub fn markdown() -> String {
    let mut page = String::from(INTRODUCTION);
    page += "\n## Overview\n\n| offset | register | group | what |\n| --- | --- | --- | --- |\n";
    for register in MAP {
        let Register { name, offset, doc, .. } = register;
        page += &format!("| `{offset:#05x}` | [`{name}`](#{name}) | {} | {doc} |\n", group(register));
    }
    let end = COUNTER_WINDOW + 8 * nicforge_layout::counters::PLACES as u32 - 4;
    page += &format!("| `{COUNTER_WINDOW:#05x}` to `{end:#05x}` | [counters](#counters) | core | ");
    page += "Snapshot of all counters. |\n\n## Registers\n";
    for register in MAP {
        page += &format!("\n### `{}`\n\n", register.name);
        page +=
            &format!("Offset `{:#05x}`, {} group. {}\n\n", register.offset, group(register), register.doc);
        page += "| bits | field | access | reset | what |\n| --- | --- | --- | --- | --- |\n";
        register.fields.iter().rev().for_each(|field| page += &markdown_field(field));
    }
    page += COUNTERS_CHAPTER;
    page += "\n| code | offset | counter | what |\n| --- | --- | --- | --- |\n";
    for counter in COUNTERS {
        let Counter { name, code, doc, .. } = counter;
        page += &format!("| {code} | `{:#05x}` | `{name}` | {doc} |\n", place(counter));
    }
    page
}

const INTRODUCTION: &str = "\
<!-- Written from the tables in hdl/layout. Do not edit: run `NICFORGE_UPDATE=1 cargo test -p nicforge-hdl --test register_outputs`. -->
# Registers

All registers are 32 bits wide and lie at byte offsets that are multiples of four, in a space of 4 KiB. A
register is read and written whole: a write with a partial strobe, an offset that is no multiple of four and an
offset without a register end with an error on the bus (SLVERR on AXI4-Lite) and change nothing. Bits without a
field read as zero and ignore what is written.

| access | a read gives | a write |
| --- | --- | --- |
| constant | what was fixed when the gateware was generated | changes nothing |
| read only | the present state | changes nothing |
| read, write | what was written last | takes effect at once |
| pulse | zero | shows its value for one clock cycle |

Reset values of read-write fields come from the configuration; the table shows those of the default one.
Registers of the sampler group exist where `features.sampler` is 1. Before anything else a driver compares
`map_digest` with the digest that it was built with.
";

const COUNTERS_CHAPTER: &str = "
## Counters

Every counter has 64 bits and wraps. It lies as two registers, low half first, in a window that shows the counters as
they were at the last snapshot: write 1 to `statistics.snapshot`, wait until `statistics_status.busy` is 0, then
read. The snapshot is of one moment; of events of the same clock cycle it has all or none. Two sums hold:

* `rx_frames` = `rx_good` + the counters with codes 2 to 8, in every snapshot;
* `rx_good` = the sum of the counters with codes 9 to 34, in every snapshot taken while no good frame is between
  its MAC verdict and the verdict on its contents, which are a few clock cycles apart.

`statistics.preset` loads the counter `statistics.code` with `preset_high` and `preset_low`, to approach a wrap from
just below. Wait for `busy` before the next wish: one that comes while it is 1 is not heard. After a reset `busy` is 1
until all counters are cleared.
";

fn markdown_field(field: &Field) -> String {
    let Field { name, lsb, width, doc, .. } = field;
    let bits = if *width == 1 { lsb.to_string() } else { format!("{}..{lsb}", lsb + width - 1) };
    let reset = match field.access {
        Access::ReadWrite if *width > 4 => format!("`{:#x}`", field.reset),
        Access::ReadWrite => format!("`{}`", field.reset),
        _ => String::new(),
    };
    format!("| {bits} | `{name}` | {} | {reset} | {doc} |\n", access(field))
}

fn group(register: &Register) -> &'static str {
    match register.group {
        Group::Core => "core",
        Group::Sampler => "sampler",
    }
}

fn access(field: &Field) -> &'static str {
    match field.access {
        Access::Constant => "constant",
        Access::ReadOnly => "read only",
        Access::ReadWrite => "read, write",
        Access::Pulse => "pulse",
    }
}

/// Where the low half of a counter lies.
pub(super) fn place(counter: &Counter) -> u32 {
    COUNTER_WINDOW + 8 * u32::from(counter.code)
}

/// A C header of macros, C90 and C++: `NICFORGE_<REGISTER>_OFFSET`,
/// `NICFORGE_<REGISTER>_<FIELD>_LSB`, `_WIDTH`, `_MASK`, `_RESET`, `NICFORGE_COUNTER_<NAME>_OFFSET`.
pub fn c_header() -> String {
    let mut text = String::from(
        "/* Registers and counters of a nicforge card: byte offsets, and fields within 32-bit words. */\n\
         #ifndef NICFORGE_REGISTERS_H\n#define NICFORGE_REGISTERS_H\n\n\
         /* What the register map_digest of a card with these registers says. */\n",
    );
    let mut define = |name: &str, value: u32| {
        writeln!(text, "#define NICFORGE_{} {value:#010x}UL", name.to_uppercase())
            .expect("writing to a string cannot fail");
    };
    define("digest", digest());
    for register in MAP {
        define(&format!("{}_offset", register.name), register.offset);
        for field in register.fields {
            let name = format!("{}_{}", register.name, field.name);
            define(&format!("{name}_lsb"), field.lsb);
            define(&format!("{name}_width"), field.width);
            define(&format!("{name}_mask"), field.mask());
            define(&format!("{name}_reset"), field.reset);
        }
    }
    for counter in COUNTERS {
        define(&format!("counter_{}_offset", counter.name), place(counter));
    }
    text + "\n#endif\n"
}

/// JSON: `map_digest`, `registers` (with `fields`) and `counters`, as the tables have them.
pub fn json() -> String {
    let field = |field: &Field| {
        json!({
            "name": field.name, "lsb": field.lsb, "width": field.width, "access": access(field),
            "reset": field.reset, "doc": field.doc,
        })
    };
    let register = |register: &Register| {
        json!({
            "name": register.name, "offset": register.offset, "group": group(register),
            "doc": register.doc, "fields": register.fields.iter().map(field).collect::<Vec<_>>(),
        })
    };
    let counter = |counter: &Counter| {
        json!({
            "name": counter.name, "code": counter.code, "offset": place(counter), "doc": counter.doc,
        })
    };
    let map: Value = json!({
        "map_digest": digest(),
        "registers": MAP.iter().map(register).collect::<Vec<_>>(),
        "counters": COUNTERS.iter().map(counter).collect::<Vec<_>>(),
    });
    format!("{map:#}\n")
}

/// CMSIS-SVD 1.3: one peripheral at address 0, a register for each of ours and one of 64 bits for
/// each counter.
pub fn svd() -> String {
    let mut file = Xml { text: String::new(), depth: 0 };
    file.line("<?xml version=\"1.0\" encoding=\"utf-8\"?>");
    file.open("device schemaVersion=\"1.3\"");
    file.value("name", "nicforge");
    file.value("version", super::VERSION);
    file.value("description", &format!("A nicforge card, register map {:#010x}", digest()));
    file.value("addressUnitBits", "8");
    file.value("width", "32");
    file.open("peripherals");
    file.open("peripheral");
    file.value("name", "nicforge");
    file.value("description", "Registers and counters");
    file.value("baseAddress", "0x0");
    file.open("addressBlock");
    file.value("offset", "0x0");
    file.value("size", &format!("{:#x}", nicforge_layout::registers::SPACE));
    file.value("usage", "registers");
    file.close("addressBlock");
    file.open("registers");
    MAP.iter().for_each(|register| svd_register(&mut file, register));
    for counter in COUNTERS {
        file.open("register");
        file.value("name", &format!("counter_{}", counter.name));
        file.value("description", counter.doc);
        file.value("addressOffset", &format!("{:#x}", place(counter)));
        file.value("size", "64");
        file.value("access", "read-only");
        file.value("resetValue", "0x0");
        file.close("register");
    }
    ["registers", "peripheral", "peripherals", "device"].into_iter().for_each(|name| file.close(name));
    file.text
}

fn svd_register(file: &mut Xml, register: &Register) {
    file.open("register");
    file.value("name", register.name);
    file.value("description", register.doc);
    file.value("addressOffset", &format!("{:#x}", register.offset));
    file.value("size", "32");
    file.value("resetValue", &format!("{:#x}", register.reset()));
    file.open("fields");
    for field in register.fields {
        file.open("field");
        file.value("name", field.name);
        file.value("description", field.doc);
        file.value("bitOffset", &field.lsb.to_string());
        file.value("bitWidth", &field.width.to_string());
        let access = match field.access {
            Access::Constant | Access::ReadOnly => "read-only",
            Access::ReadWrite => "read-write",
            Access::Pulse => "write-only",
        };
        file.value("access", access);
        file.close("field");
    }
    file.close("fields");
    file.close("register");
}

/// An XML file under construction, two spaces a level.
struct Xml {
    text: String,
    depth: usize,
}

impl Xml {
    fn line(&mut self, text: &str) {
        writeln!(self.text, "{:1$}{text}", "", 2 * self.depth).expect("writing to a string cannot fail");
    }
    fn open(&mut self, tag: &str) {
        self.line(&format!("<{tag}>"));
        self.depth += 1;
    }
    fn close(&mut self, name: &str) {
        self.depth -= 1;
        self.line(&format!("</{name}>"));
    }
    fn value(&mut self, name: &str, value: &str) {
        let value = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.line(&format!("<{name}>{value}</{name}>"));
    }
}
