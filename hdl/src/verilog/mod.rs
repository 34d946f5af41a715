//! The Verilog back end.
//!
//! rust-hdl describes a design as a tree of blocks, each with an AST made from the tokens of its
//! `update` function. This module prints that tree as Verilog-2005 that a person would have written
//! and that computes exactly what the Rust source computes: one module for each distinct block,
//! names of `[a-z0-9_]`, flip-flops as `always @(posedge clk)`, everything else as `assign` or
//! `always @*`, and every operand at the width of its Rust type. What cannot be printed so is an
//! [`Error`] that names block and signal.
//!
//! A block names its module in its first statement, `comment!("module: name description")`, or in
//! the first line of its own Verilog, `// module: name description`.

mod choose;
mod collect;
mod custom;
mod depend;
mod error;
mod expr;
mod flop;
mod flow;
mod fold;
mod frame;
mod groups;
mod index;
mod ir;
mod logic;
mod lower;
mod module;
mod names;
mod needs;
mod primitive;
mod scope;
mod simplify;
mod source;
mod statement;
mod text;

pub use error::{Error, Fault};
pub use names::RESERVED;
pub use needs::Needs;
pub use primitive::Primitive;

use collect::{Node, collect};
use expr::Printer;
use flop::Flop;
use module::{Built, Child, Draft};
use names::Names;
use rust_hdl::prelude::Block;
use rust_hdl::prelude::ast::Verilog;
use std::collections::{BTreeSet, HashMap};

/// How to print a design.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Name of the top module.
    pub top: &'a str,
    /// Lines for the comment at the top of the file: generator, version, digest of the
    /// configuration. No date and no path, for the same design must give the same bytes.
    pub header: &'a str,
}

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name in the Verilog, such as `s_axis_udp_tdata`.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// Which way it goes.
    pub direction: Direction,
    /// What it is, as the block's source says; empty for a block of another crate.
    pub doc: String,
}

/// The direction of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
    /// Both ways.
    InOut,
}

/// One Verilog module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its text, from `module` (or the comment above it) to `endmodule`.
    pub text: String,
    /// Where the statements of the text stand in the Rust source.
    pub places: Places,
}

impl Module {
    /// The text with `// file:line` behind every statement whose place is known.
    #[must_use]
    pub fn with_places(&self) -> String {
        let mut text = String::new();
        for (index, code) in self.text.lines().enumerate() {
            text += code;
            if let Some(Some(line)) = self.places.lines.get(index) {
                text += &format!(" // {}:{line}", self.places.file);
            }
            text.push('\n');
        }
        text
    }
}

/// Where the statements of a module stand in the Rust source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The file, from the top of the project; empty if it is not known.
    pub file: &'static str,
    /// For each line of the module's text, the line of the file.
    pub lines: Vec<Option<usize>>,
}

/// What shall hold of a module, as SystemVerilog that goes inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Name of the file, without folder and ending.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// A printed design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// Name of the top module.
    pub top: String,
    /// All modules, children before parents, the top last.
    pub modules: Vec<Module>,
    /// Declarations of the part's [primitives](Primitive) in use, each once. Linters and simulators need
    /// them; synthesis tools have their own and must not read them.
    pub primitives: Vec<Module>,
    /// Properties to prove, which modules include as `formal/<name>.sv` where `FORMAL` is defined.
    pub properties: Vec<Properties>,
    /// Ports of the top module in the order of the block's fields.
    pub ports: Vec<Port>,
    /// What it has of registers and memories.
    pub needs: Needs,
    header: String,
}

impl Emitted {
    /// The same design with the place in the Rust source behind each statement.
    #[must_use]
    pub fn with_places(mut self) -> Self {
        for module in &mut self.modules {
            module.text = module.with_places();
        }
        self
    }

    /// The whole design as one file, primitives included.
    #[must_use]
    pub fn verilog(&self) -> String {
        let mut text = String::new();
        for line in self.header.lines() {
            text += format!("// {line}").trim_end();
            text.push('\n');
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text += "`default_nettype none\n";
        for module in self.primitives.iter().chain(&self.modules) {
            text.push('\n');
            text += &module.text;
        }
        text + "\n`default_nettype wire\n"
    }
}

/// Prints a design on which `connect_all` has been called.
///
/// # Errors
/// An [`Error`] naming block and signal if the design cannot be printed: undriven signals, latches,
/// combinational loops, names that do not exist in hardware.
pub fn emit(block: &dyn Block, options: &Options) -> Result<Emitted, Error> {
    let root = collect(block, options.top)?;
    let mut design = Design::default();
    let top = design.names.claim(options.top);
    let built = design.build(&root, Some(&top))?;
    Ok(Emitted {
        top,
        modules: design.modules,
        primitives: design.primitives,
        properties: design.properties,
        ports: built.ports.into_iter().map(|(_, port)| port).collect(),
        needs: design.needs,
        header: options.header.into(),
    })
}

/// Connects a design and prints it.
///
/// # Errors
/// As [`emit`].
pub fn emit_block<B: Block>(block: &mut B, options: &Options) -> Result<Emitted, Error> {
    block.connect_all();
    emit(block, options)
}

/// Runs `work` in a thread with room for large designs, and returns what it returns.
///
/// rust-hdl keeps blocks by value, so a chain of a few hundred stages is larger than the stack that
/// a thread is given by default. Build and print such a design inside `work`.
///
/// # Panics
/// If `work` does, or if no thread can be started.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    const STACK: usize = 256 << 20;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.expect("a process may start one thread more");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The modules of a design, while it is being built.
#[derive(Default)]
struct Design {
    modules: Vec<Module>,
    primitives: Vec<Module>,
    properties: Vec<Properties>,
    names: Names,
    /// Names of the modules by the text after the name.
    by_text: HashMap<String, String>,
    /// Declarations of the authors' own that are in a list already.
    cores: BTreeSet<String>,
    /// Counted block by block, as often as each is there.
    needs: Needs,
}

impl Design {
    /// Builds the module of a block and of all below it.
    fn build(&mut self, node: &Node, fixed: Option<&str>) -> Result<Built, Error> {
        if let Verilog::Blackbox(black) = &node.code {
            self.core(&black.code);
            let mut printer = Printer::default();
            let ports = module::ports(frame::Frame::of(node), &mut printer);
            // Its text must use the field names as they are.
            let ports = ports.into_iter().map(|(key, p)| (key.clone(), Port { name: key, ..p })).collect();
            return Ok(Built {
                name: black.name.clone(),
                ports,
                summary: depend::Summary::new(),
                names: Names::default(),
            });
        }
        let (mut children, mut flops) = (Vec::new(), Vec::new());
        let is_logic = matches!(node.code, Verilog::Combinatorial(_));
        for child in node.children.iter().filter(|_| is_logic) {
            match Flop::of(child) {
                Some(flop) => {
                    self.needs.flip_flops += flop.width as u64;
                    flops.push(flop);
                }
                None => children.push(Child { node: child, built: self.build(child, None)? }),
            }
        }
        if let Verilog::Custom(text) = &node.code {
            self.needs.memory_bits += needs::memory_bits(text);
        }
        let draft = module::draft(node, children, flops)?;
        Ok(self.add(node, draft, fixed))
    }

    /// Adds a module, unless one of the same text is there.
    fn add(&mut self, node: &Node, draft: Draft, fixed: Option<&str>) -> Built {
        self.core(&draft.cores);
        let Draft { marker, comment, file, ports, text, summary, names, .. } = draft;
        let (text, mut lines) = source::untag(&text);
        if let (Some(name), None) = (self.by_text.get(&text), fixed) {
            return Built { name: name.clone(), ports, summary, names };
        }
        let marker = marker.unwrap_or_default();
        if let Some((name, text)) = source::properties(&marker) {
            let known = self.properties.iter().any(|properties| properties.name == name);
            self.properties.extend((!known).then_some(Properties { name, text }));
        }
        let field = node.name.split('$').next().unwrap_or_default();
        let wish = if marker.name.is_empty() { field } else { &marker.name };
        let name = fixed.map_or_else(|| self.names.claim(wish), String::from);
        lines.splice(..0, comment.lines().map(|_| None));
        let whole = format!("{comment}module {name}{text}");
        self.modules.push(Module { name: name.clone(), text: whole, places: Places { file, lines } });
        self.by_text.insert(text, name.clone());
        Built { name, ports, summary, names }
    }

    /// Adds declarations that blocks share, each once.
    fn core(&mut self, code: &str) {
        for text in primitive::declarations(code) {
            if !self.cores.insert(text.clone()) {
                continue;
            }
            let name = custom::declared(&text).unwrap_or_default().to_owned();
            let list = if primitive::is_primitive(&text) { &mut self.primitives } else { &mut self.modules };
            list.push(Module { name, text, places: Places::default() });
        }
    }
}
