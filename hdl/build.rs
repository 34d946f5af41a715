//! Writes the register blocks `CoreRegisters` and `SamplerRegisters` as Rust-HDL source, from the
//! register map in `nicforge-layout`, a list of the boards in `constraints/`, and the tables of what the
//! gateware's source says of itself.
#[path = "build/sources.rs"]
mod sources;

use nicforge_layout::registers::{Access, Field, Group, MAP, Register};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts"));
    let text =
        block("CoreRegisters", "core", Group::Core) + &block("SamplerRegisters", "sampler", Group::Sampler);
    write(&folder.join("registers.rs"), &text);
    write(&folder.join("boards.rs"), &boards());
    let mut sources = sources::Sources::default();
    sources.read(&PathBuf::from("src"), "hdl/src");
    sources.add(&text, "");
    let formal = sources::formal(&PathBuf::from("formal"));
    write(&folder.join("sources.rs"), &(sources.tables() + &formal));
    for path in ["build.rs", "build", "src", "formal"] {
        println!("cargo:rerun-if-changed={path}");
    }
}

fn write(file: &Path, text: &str) {
    if let Err(cause) = std::fs::write(file, text) {
        panic!("cannot write {}: {cause}", file.display());
    }
}

/// Every board in `constraints/`: an array of name, file within the repository, and text.
fn boards() -> String {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let folder = root.parent().expect("the crate lies in the repository").join("constraints");
    println!("cargo:rerun-if-changed={}", folder.display());
    let listing = std::fs::read_dir(&folder).expect("the repository has the folder of boards");
    let mut names: Vec<_> = listing.map(|entry| entry.expect("a folder that is there").file_name()).collect();
    names.sort();
    let mut text = String::from("&[\n");
    for name in names {
        let file = folder.join(&name).join("board.toml");
        if file.is_file() {
            let name = name.to_str().expect("boards have plain names");
            let place = format!("constraints/{name}/board.toml");
            writeln!(text, "    ({name:?}, {place:?}, include_str!({:?})),", file.display().to_string())
                .expect("writing to a string cannot fail");
        }
    }
    text + "]"
}

/// A field together with its register and its names in the block.
struct Place {
    register: &'static Register,
    field: &'static Field,
    /// Name of the port, and of the state behind it.
    port: String,
}

impl Place {
    fn new(register: &'static Register, field: &'static Field) -> Self {
        let port = match field.name {
            "value" => register.name.to_string(),
            name => format!("{}_{name}", register.name),
        };
        Self { register, field, port }
    }
    fn is(&self, access: Access) -> bool {
        self.field.access == access
    }
    /// The field keeps what is written to it, for ever or for one cycle.
    fn writable(&self) -> bool {
        self.is(Access::ReadWrite) || self.is(Access::Pulse)
    }
    /// The field begins with a value from the configuration.
    fn configured(&self) -> bool {
        self.is(Access::ReadWrite) || self.is(Access::Constant)
    }
    /// The field's part of the word that a read gives, if it reads as anything but zero.
    fn read(&self) -> Option<String> {
        let value = match self.field.access {
            Access::Constant => format!("self.{}_initial.val()", self.port),
            Access::ReadOnly => format!("self.{}.val()", self.port),
            Access::ReadWrite => format!("self.{}_state.q.val()", self.port),
            Access::Pulse => return None,
        };
        let word = match self.field.width {
            32 => value,
            width => format!("bit_cast::<32, {width}>({value})"),
        };
        Some(match self.field.lsb {
            0 => word,
            lsb => format!("({word} << {lsb})"),
        })
    }
    /// The field's part of the word that was written.
    fn written(&self) -> String {
        match self.field.width {
            32 => "self.data.q.val()".to_string(),
            width => format!("self.data.q.val().get_bits::<{width}>({})", self.field.lsb),
        }
    }
    fn bits(&self) -> String {
        format!("Bits<{}>", self.field.width)
    }
}

/// A piece of the block: lines with their depth of indentation written out.
#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, text: impl AsRef<str>) {
        writeln!(self.0, "{}", text.as_ref()).expect("writing to a string cannot fail");
    }
    /// `target.next = a | b | ...`, one operand a line.
    fn join(&mut self, target: &str, operands: &[String]) {
        self.line(format!("        {target}.next = {};", operands.join("\n            | ")));
    }
}

fn block(name: &str, word: &str, group: Group) -> String {
    let registers: Vec<_> = MAP.iter().filter(|register| register.group == group).collect();
    let places: Vec<_> =
        registers.iter().flat_map(|r| r.fields.iter().map(|field| Place::new(r, field))).collect();
    let mut text = Text::default();
    structure(&mut text, name, word, &registers, &places);
    constructor(&mut text, name, &registers, &places);
    text.line(format!("impl Logic for {name} {{\n    #[hdl_gen]\n    fn update(&mut self) {{"));
    defaults(&mut text, word, &registers, &places);
    reading(&mut text, &registers, &places);
    writing(&mut text, &registers, &places);
    text.line("    }\n}\n");
    text.0
}

/// Registers that a read may find something in.
fn readable<'a>(
    registers: &'a [&'static Register],
    places: &'a [Place],
) -> impl Iterator<Item = (&'static str, Vec<String>)> + 'a {
    registers.iter().filter_map(|register| {
        let parts: Vec<_> =
            places.iter().filter(|p| p.register.name == register.name).filter_map(Place::read).collect();
        (!parts.is_empty()).then_some((register.name, parts))
    })
}

fn structure(text: &mut Text, name: &str, word: &str, registers: &[&'static Register], places: &[Place]) {
    text.line(format!("/// The registers of the {word} group."));
    text.line("#[derive(LogicBlock)]");
    text.line(format!("pub struct {name} {{"));
    text.line("    /// Clock of everything.\n    pub clock: Signal<In, Clock>,");
    text.line("    /// Synchronous, active high: every field takes its initial value.\n    pub reset: Signal<In, Bit>,");
    text.line("    /// The register bus.\n    pub bus: BusSink,");
    for place in places.iter().filter(|place| !place.is(Access::Constant)) {
        let direction = if place.writable() { "Out" } else { "In" };
        text.line(format!("    /// {} {}", place.register.doc, place.field.doc));
        text.line(format!("    pub {}: Signal<{direction}, {}>,", place.port, place.bits()));
    }
    text.line("\n    access: Signal<Local, Bit>,\n    write: DFF<Bit>,\n    data: DFF<Bits<32>>,");
    text.line("    answer: DFF<Bits<32>>,\n    hit: DFF<Bit>,");
    for register in registers {
        text.line(format!("    {}_here: DFF<Bit>,", register.name));
    }
    for (register, _) in readable(registers, places) {
        text.line(format!("    {register}_answer: Signal<Local, Bits<32>>,"));
    }
    for place in places {
        if place.writable() {
            text.line(format!("    {}_state: DFF<{}>,", place.port, place.bits()));
        }
        if place.configured() {
            text.line(format!("    {}_initial: Constant<{}>,", place.port, place.bits()));
        }
    }
    text.line("}\n");
}

fn constructor(text: &mut Text, name: &str, registers: &[&'static Register], places: &[Place]) {
    text.line(format!("impl {name} {{"));
    text.line("    /// The block whose registers begin with `words`, by register name; those not named");
    text.line("    /// begin as the map says.");
    text.line("    pub fn new(words: &BTreeMap<&str, u32>) -> Self {\n        Self {");
    let mut plain: Vec<String> =
        ["clock", "reset", "bus", "access", "write", "data", "answer", "hit"].map(String::from).into();
    plain.extend(registers.iter().map(|register| format!("{}_here", register.name)));
    plain.extend(readable(registers, places).map(|(register, _)| format!("{register}_answer")));
    plain.extend(places.iter().filter(|place| !place.is(Access::Constant)).map(|place| place.port.clone()));
    plain.extend(places.iter().filter(|place| place.writable()).map(|place| format!("{}_state", place.port)));
    for field in plain {
        text.line(format!("            {field}: Default::default(),"));
    }
    for place in places.iter().filter(|place| place.configured()) {
        let module = format!("registers::{}", place.register.name);
        text.line(format!(
            "            {}_initial: initial(words, &{module}::REG, &{module}::{}),",
            place.port,
            place.field.name.to_uppercase()
        ));
    }
    text.line("        }\n    }\n}\n");
}

fn defaults(text: &mut Text, word: &str, registers: &[&'static Register], places: &[Place]) {
    text.line(format!("        comment!(\"module: {word}_registers - the registers of the {word} group\");"));
    text.line("        dff_setup!(self, clock, write, data, answer, hit);");
    for register in registers {
        text.line(format!("        dff_setup!(self, clock, {}_here);", register.name));
    }
    for place in places.iter().filter(|place| place.writable()) {
        text.line(format!("        dff_setup!(self, clock, {}_state);", place.port));
    }
}

/// First cycle: which register; second cycle: its word, and those of the others as zero.
fn reading(text: &mut Text, registers: &[&'static Register], places: &[Place]) {
    text.line("\n        self.access.next = self.bus.read.val() | self.bus.write.val();");
    text.line("        self.write.d.next = self.bus.write.val();");
    text.line("        self.data.d.next = self.bus.data.val();");
    for register in registers {
        text.line(format!(
            "        self.{}_here.d.next = self.access.val() & (self.bus.address.val() == {:#05x});",
            register.name, register.offset
        ));
    }
    text.line("");
    for (register, parts) in readable(registers, places) {
        text.line(format!("        self.{register}_answer.next = 0.into();"));
        text.line(format!("        if self.{register}_here.q.val() & !self.write.q.val() {{"));
        text.line(format!("            self.{register}_answer.next = {};", parts.join(" | ")));
        text.line("        }");
    }
    let answers: Vec<_> =
        readable(registers, places).map(|(name, _)| format!("self.{name}_answer.val()")).collect();
    let hits: Vec<_> =
        registers.iter().map(|register| format!("self.{}_here.q.val()", register.name)).collect();
    text.join("self.answer.d", &answers);
    text.join("self.hit.d", &hits);
    text.line("        self.bus.answer.next = self.answer.q.val();");
    text.line("        self.bus.hit.next = self.hit.q.val();\n");
}

fn writing(text: &mut Text, registers: &[&'static Register], places: &[Place]) {
    for place in places.iter().filter(|place| place.writable()) {
        text.line(format!("        self.{0}.next = self.{0}_state.q.val();", place.port));
    }
    for place in places.iter().filter(|place| place.is(Access::Pulse)) {
        text.line(format!("        self.{}_state.d.next = 0.into();", place.port));
    }
    for register in registers {
        let here: Vec<_> =
            places.iter().filter(|p| p.register.name == register.name && p.writable()).collect();
        if here.is_empty() {
            continue;
        }
        text.line(format!("        if self.write.q.val() & self.{}_here.q.val() {{", register.name));
        for place in here {
            text.line(format!("            self.{}_state.d.next = {};", place.port, place.written()));
        }
        text.line("        }");
    }
    text.line("\n        if self.reset.val() {\n            self.write.d.next = false;\n            self.hit.d.next = false;");
    for register in registers {
        text.line(format!("            self.{}_here.d.next = false;", register.name));
    }
    for place in places.iter().filter(|place| place.writable()) {
        let value = match place.configured() {
            true => format!("self.{}_initial.val()", place.port),
            false => "0.into()".to_string(),
        };
        text.line(format!("            self.{}_state.d.next = {value};", place.port));
    }
    text.line("        }");
}
