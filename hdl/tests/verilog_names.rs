//! Every reserved word of every language as the name of a port, a signal, an instance and
//! a module: no tool may stumble over it.
use nicforge_hdl::verilog::{Emitted, Options, RESERVED, emit_block};
use rust_hdl::prelude::ast::{VerilogExpression as Expression, VerilogStatement as Statement};
use rust_hdl::prelude::*;
use std::collections::BTreeSet;
use std::process::Command;

fn words() -> BTreeSet<&'static str> {
    RESERVED.iter().flat_map(|(_, words)| words.split_ascii_whitespace()).collect()
}

fn assign(target: &str, value: Expression) -> Statement {
    Statement::Assignment(signal(&format!("{target}$next")), value)
}

fn signal(name: &str) -> Expression {
    Expression::Signal(name.into())
}

/// A block whose input has a name that Rust would refuse, so
/// it is described without the macro.
struct Named {
    word: &'static str,
    input: Signal<In, Bit>,
    output: Signal<Out, Bit>,
}

impl Named {
    fn new(word: &'static str) -> Self {
        Self { word, input: Default::default(), output: Default::default() }
    }
}

impl Logic for Named {
    fn update(&mut self) {
        self.output.next = self.input.val();
    }

    fn connect(&mut self) {
        self.output.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Combinatorial(vec![
            Statement::Comment(format!("module: {}", self.word)),
            assign("result", signal(self.word)),
        ])
    }
}

impl Block for Named {
    fn connect_all(&mut self) {
        self.connect();
    }

    fn update_all(&mut self) {
        self.update();
    }

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        self.input.accept(self.word, probe);
        self.output.accept("result", probe);
        probe.visit_end_scope(name, self);
    }
}

/// All the words as inputs, as local signals behind them, and as instances behind those.
struct All {
    inputs: Vec<(String, Signal<In, Bit>)>,
    locals: Vec<(String, Signal<Local, Bit>)>,
    blocks: Vec<Named>,
    outputs: Vec<(String, Signal<Out, Bit>)>,
}

impl All {
    fn new() -> Self {
        Self {
            inputs: words().iter().map(|word| ((*word).to_owned(), Default::default())).collect(),
            locals: words().iter().map(|word| (word.to_uppercase(), Default::default())).collect(),
            blocks: words().into_iter().map(Named::new).collect(),
            outputs: words().iter().map(|word| (format!("{word}_out"), Default::default())).collect(),
        }
    }
}

impl Logic for All {
    fn update(&mut self) {}

    fn connect(&mut self) {
        self.locals.iter_mut().for_each(|(_, local)| local.connect());
        self.outputs.iter_mut().for_each(|(_, output)| output.connect());
        self.blocks.iter_mut().for_each(|block| block.input.connect());
    }

    fn hdl(&self) -> Verilog {
        let wiring = words().into_iter().flat_map(|word| {
            let inverse = Expression::Unary(ast::VerilogOpUnary::Not, Box::new(signal(word)));
            [
                assign(&word.to_uppercase(), inverse),
                assign(&format!("{word}${word}"), signal(&word.to_uppercase())),
                assign(&format!("{word}_out"), signal(&format!("{word}$result"))),
            ]
        });
        Verilog::Combinatorial(wiring.collect())
    }
}

impl Block for All {
    fn connect_all(&mut self) {
        self.connect();
        self.blocks.iter_mut().for_each(Block::connect_all);
    }

    fn update_all(&mut self) {
        self.update();
    }

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        self.inputs.iter().for_each(|(name, input)| input.accept(name, probe));
        self.locals.iter().for_each(|(name, local)| local.accept(name, probe));
        self.outputs.iter().for_each(|(name, output)| output.accept(name, probe));
        self.blocks.iter().for_each(|block| block.accept(block.word, probe));
        probe.visit_end_scope(name, self);
    }
}

fn emitted() -> Emitted {
    emit_block(&mut All::new(), &Options { top: "top", header: "" }).unwrap()
}

#[test]
fn reserved_words_are_accepted_by_every_tool_once_they_are_printed() {
    let design = emitted();
    assert_eq!(design.modules.len(), words().len() + 1);
    assert_eq!(design.ports.len(), 2 * words().len());
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("design.v");
    std::fs::write(&file, design.verilog()).unwrap();
    let file = file.to_str().unwrap();
    let script = format!("read_verilog {file}; hierarchy -check -top top; proc; check -assert");
    let system_verilog = format!("read_verilog -sv {file}; hierarchy -check -top top; proc; check -assert");
    let lint = ["--lint-only", "-Wall", "-Wno-DECLFILENAME", "--top-module", "top", file];
    for (tool, arguments) in [
        ("verilator", &lint[..]),
        ("iverilog", &["-g2005", "-Wall", "-t", "null", "-s", "top", file]),
        ("iverilog", &["-g2012", "-Wall", "-t", "null", "-s", "top", file]),
        ("yosys", &["-q", "-p", &script]),
        ("yosys", &["-q", "-p", &system_verilog]),
    ] {
        let output = Command::new(tool).args(arguments).output().unwrap_or_else(|e| panic!("{tool}: {e}"));
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{tool} {arguments:?}: {said}");
    }
}

/// VHDL knows no difference between large and small letters, and no underscore at either end.
#[test]
fn no_name_is_reserved_in_any_language_or_refused_by_vhdl() {
    let design = emitted();
    let modules = design.modules.iter().map(|module| module.name.as_str());
    let ports = design.ports.iter().map(|port| port.name.as_str());
    let mut locals = BTreeSet::new();
    for line in design.modules.iter().flat_map(|module| module.text.lines()) {
        let code = line.trim();
        if let Some(name) = code.strip_prefix("wire ").and_then(|rest| rest.strip_suffix(';')) {
            locals.insert(name.trim());
        }
        if let Some(instance) = code.strip_suffix(" (").and_then(|head| head.split(' ').nth(1)) {
            locals.insert(instance);
        }
    }
    assert!(locals.len() > 3 * words().len(), "{} names", locals.len());
    for name in modules.chain(ports).chain(locals) {
        assert!(!words().contains(name.to_lowercase().as_str()), "{name} is reserved");
        let parts = name.split('_').all(|part| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        });
        assert!(parts && name.starts_with(|c: char| c.is_ascii_lowercase()), "{name} is no name in VHDL");
    }
}
