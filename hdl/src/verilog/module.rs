//! Builds the text of one module.

use super::collect::{Label, Leaf, Node};
use super::custom;
use super::depend::{self, Summary};
use super::error::{Error, Fault};
use super::expr::Printer;
use super::flop::Flop;
use super::logic::Logic;
use super::lower::{Marker, lower};
use super::names::Names;
use super::scope::{Role, range};
use super::text::Text;
use super::{Direction, Port};
use rust_hdl::prelude::AtomKind;
use rust_hdl::prelude::ast::Verilog;
use std::collections::{BTreeMap, BTreeSet};

/// A module that is ready to be instantiated.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub(super) name: String,
    /// Ports in order, each with its key.
    pub(super) ports: Vec<(String, Port)>,
    pub(super) summary: Summary,
    /// Names in the module and all below it.
    pub(super) names: Names,
}

/// The text of a module without its name.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) marker: Option<Marker>,
    pub(super) ports: Vec<(String, Port)>,
    /// From the port list to `endmodule`.
    pub(super) text: String,
    pub(super) summary: Summary,
    /// Names in the module and all below it.
    pub(super) names: Names,
    /// Declarations that the module needs beside it, from a Wrapper.
    pub(super) cores: String,
}

/// A block below, with its module.
#[derive(Debug)]
pub(super) struct Child<'a> {
    pub(super) node: &'a Node,
    pub(super) built: Built,
}

/// The ports of a block, in the order of its fields, with their names claimed in the printer's scope.
pub(super) fn ports(node: &Node, printer: &mut Printer) -> Vec<(String, Port)> {
    let mut ports = Vec::new();
    for leaf in node.leaves.iter().filter(|l| l.kind.is_parameter()) {
        let (direction, role) = match leaf.kind {
            AtomKind::InputParameter => (Direction::Input, Role::Input),
            AtomKind::InOutParameter => (Direction::InOut, Role::Input),
            _ => (Direction::Output, Role::Output),
        };
        let name = printer.scope.add(&leaf.key, &leaf.key, leaf.width, leaf.signed, role);
        ports.push((leaf.key.clone(), Port { name, width: leaf.width, direction }));
    }
    ports
}

/// Drafts the module of a block whose children are built.
pub(super) fn draft(node: &Node, children: Vec<Child>, flops: Vec<Flop>) -> Result<Draft, Error> {
    let mut printer = Printer::default();
    let ports = ports(node, &mut printer);
    let constants = node.leaves.iter().filter(|l| l.kind == AtomKind::Constant);
    for Leaf { key, width, signed, value, .. } in constants.clone() {
        printer.scope.add_value(key, *width, *signed, Role::Constant, value.clone());
    }
    match &node.code {
        Verilog::Combinatorial(code) => {
            let lowered = lower(code).map_err(|(key, fault)| Error::at(&node.path, &key, fault))?;
            Logic::new(node, printer, ports, lowered, children, flops).draft()
        }
        Verilog::Custom(code) => Ok(written(&mut printer, ports, code, true)),
        Verilog::Wrapper(wrapper) => {
            let draft = written(&mut printer, ports, &wrapper.code, false);
            Ok(Draft { cores: wrapper.cores.clone(), ..draft })
        }
        Verilog::Blackbox(_) | Verilog::Empty => Ok(written(&mut printer, ports, "", false)),
    }
}

/// A module around text of the author. Outputs are `reg` in `Custom` text unless it assigns them.
fn written(printer: &mut Printer, ports: Vec<(String, Port)>, code: &str, registers: bool) -> Draft {
    for word in custom::words(code) {
        let width = printer.scope.width(word);
        printer.scope.mark(word, 0, width);
    }
    let nets = custom::assigned_nets(code);
    let is_register = |key: &str| registers && !nets.contains(key);
    let inputs: BTreeSet<String> =
        ports.iter().filter(|(_, p)| p.direction == Direction::Input).map(|(k, _)| k.clone()).collect();
    let outputs = custom::combinational_outputs(code, &printer.scope);
    let summary = outputs.into_iter().map(|k| (k.to_string(), inputs.clone())).collect();
    let mut body = constants(printer);
    let renamed = custom::rename(code, &printer.scope);
    let marked = |line: &str| Marker::parse(line.trim().strip_prefix("//")?);
    let marker = renamed.lines().find_map(marked);
    let own = renamed.trim_matches('\n').lines().filter(|l| marked(l).is_none());
    body.extend(own.map(|l| l.trim_end().to_string()));
    let registers = ports.iter().map(|(k, _)| k.clone()).filter(|k| is_register(k)).collect();
    let text = finish(&ports, &registers, &body);
    let mut names = Names::default();
    custom::words(&text).into_iter().for_each(|word| drop(names.claim(word)));
    Draft { marker, ports, text, summary, names, cores: String::new() }
}

/// The `localparam` lines of the Constants and enum values in use.
pub(super) fn constants(printer: &Printer) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, symbol) in printer.scope.iter() {
        if let (Some(value), true) = (&symbol.value, printer.scope.is_used(key)) {
            let literal = Text::literal(value, symbol.width).code;
            lines.push(format!("localparam {}{} = {literal};", range(symbol.width), symbol.name));
        }
    }
    lines
}

/// Port list, indented body and `endmodule`.
pub(super) fn finish(ports: &[(String, Port)], registers: &BTreeSet<String>, body: &[String]) -> String {
    let mut text = String::from(" (\n");
    for (index, (key, port)) in ports.iter().enumerate() {
        let kind = match port.direction {
            Direction::Input => "input  wire",
            Direction::InOut => "inout  wire",
            Direction::Output if registers.contains(key) => "output reg ",
            Direction::Output => "output wire",
        };
        let comma = if index + 1 < ports.len() { "," } else { "" };
        text += &format!("    {kind} {}{}{comma}\n", range(port.width), port.name);
    }
    text += ");\n";
    for line in body {
        if line.is_empty() {
            text.push('\n');
        } else {
            text += &format!("    {line}\n");
        }
    }
    text + "endmodule\n"
}

/// Adds the symbols of locals, flip-flops, children and enum values.
pub(super) fn declare(node: &Node, printer: &mut Printer, children: &[Child], flops: &[Flop]) {
    let scope = &mut printer.scope;
    for leaf in node.leaves.iter().filter(|l| l.kind == AtomKind::LocalSignal) {
        scope.add(&leaf.key, &leaf.key, leaf.width, leaf.signed, Role::Local);
    }
    for flop in flops {
        scope.add(&flop.q, &flop.name, flop.width, flop.signed, Role::State);
        scope.add(&flop.d, &format!("{}_next", flop.name), flop.width, flop.signed, Role::NextState);
        scope.add(&flop.clock, &flop.clock, 1, false, Role::StateClock);
    }
    for child in children {
        let signed: BTreeMap<&str, bool> =
            child.node.leaves.iter().map(|l| (l.key.as_str(), l.signed)).collect();
        for (port, Port { width, direction, .. }) in &child.built.ports {
            let key = format!("{}${port}", child.node.name);
            let role = if *direction == Direction::Output { Role::ChildOutput } else { Role::ChildInput };
            scope.add(&key, &key, *width, signed[port.as_str()], role);
        }
    }
    let mut labels: Vec<(&String, &Label)> = node.labels.iter().collect();
    labels.sort_by_key(|(key, label)| (key.split('$').next(), label.value));
    for (key, Label { value, width, ambiguous }) in labels {
        scope.add_value(key, *width, false, Role::Label, (*value).into());
        if *ambiguous {
            scope.ambiguous.push(key.clone());
        }
    }
}

/// The block's summary, or the loop that it closes.
pub(super) fn summarise(
    node: &Node,
    statements: &[super::ir::Statement],
    printer: &Printer,
    children: &[Child],
) -> Result<Summary, Error> {
    let below: Vec<(&str, &Summary)> =
        children.iter().map(|c| (c.node.name.as_str(), &c.built.summary)).collect();
    depend::summarise(statements, &printer.scope, &below).map_err(|fault| {
        let first = match &fault {
            Fault::Loop(names) => names.first().cloned().unwrap_or_default(),
            _ => String::new(),
        };
        Error::at(&node.path, &first, fault)
    })
}
