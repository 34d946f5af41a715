//! Builds the text of one module.

use super::collect::{Label, Leaf, Node};
use super::custom;
use super::depend::{self, Summary};
use super::error::{Error, Fault};
use super::expr::Printer;
use super::flop::Flop;
use super::frame::Frame;
use super::logic::Logic;
use super::lower::{Marker, lower};
use super::names::Names;
use super::scope::{Role, Symbol, range};
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
    /// Lines above the module.
    pub(super) comment: String,
    /// The Rust file of the block, where it is known.
    pub(super) file: &'static str,
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
pub(super) fn ports(frame: Frame, printer: &mut Printer) -> Vec<(String, Port)> {
    let mut ports = Vec::new();
    for leaf in frame.node.leaves.iter().filter(|l| l.kind.is_parameter()) {
        let (direction, role) = match leaf.kind {
            AtomKind::InputParameter => (Direction::Input, Role::Input),
            AtomKind::InOutParameter => (Direction::InOut, Role::Input),
            _ => (Direction::Output, Role::Output),
        };
        let name = printer.scope.add(&leaf.key, &leaf.key, leaf.width, leaf.signed, role);
        let doc = frame.port_doc(&leaf.key);
        ports.push((leaf.key.clone(), Port { name, width: leaf.width, direction, doc }));
    }
    ports
}

/// Drafts the module of a block whose children are built.
pub(super) fn draft(node: &Node, children: Vec<Child>, flops: Vec<Flop>) -> Result<Draft, Error> {
    let mut printer = Printer::default();
    let frame = Frame::of(node);
    let ports = ports(frame, &mut printer);
    let constants = node.leaves.iter().filter(|l| l.kind == AtomKind::Constant);
    for Leaf { key, width, signed, value, .. } in constants.clone() {
        printer.scope.add_value(key, *width, *signed, Role::Constant, value.clone());
    }
    let draft = match &node.code {
        Verilog::Combinatorial(code) => {
            let lines = frame.source.map(|source| source.lines(code)).unwrap_or_default();
            let lowered = lower(code, lines).map_err(|(key, fault)| Error::at(&node.path, &key, fault))?;
            Logic::new(node, printer, ports, lowered, children, flops, frame).draft()?
        }
        Verilog::Custom(code) => written(frame, &mut printer, ports, code, true),
        Verilog::Wrapper(wrapper) => {
            let draft = written(frame, &mut printer, ports, &wrapper.code, false);
            Draft { cores: wrapper.cores.clone(), ..draft }
        }
        Verilog::Blackbox(_) | Verilog::Empty => written(frame, &mut printer, ports, "", false),
    };
    let comment = frame.comment(draft.marker.as_ref().unwrap_or(&Marker::default()));
    let file = frame.source.map_or("", |source| source.file);
    Ok(Draft { comment, file, ..draft })
}

/// A module around text of the author. Outputs are `reg` in `Custom` text unless it assigns them.
fn written(
    frame: Frame,
    printer: &mut Printer,
    ports: Vec<(String, Port)>,
    code: &str,
    registers: bool,
) -> Draft {
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
    let text = frame.module(marker.as_ref(), &ports, &registers, &body);
    let mut names = Names::default();
    custom::words(&text).into_iter().for_each(|word| drop(names.claim(word)));
    Draft { marker, ports, text, summary, names, ..Draft::default() }
}

/// The `localparam` lines of the Constants and enum values in use.
pub(super) fn constants(printer: &Printer) -> Vec<String> {
    let used = printer.scope.iter().filter(|(key, _)| printer.scope.is_used(key));
    let used: Vec<_> = used.filter_map(|(_, symbol)| Some((symbol, symbol.value.as_ref()?))).collect();
    let widest = used.iter().map(|(symbol, _)| range(symbol.width).len()).max().unwrap_or_default();
    let line = |(symbol, value): &(&Symbol, &num_bigint::BigUint)| {
        let literal = Text::literal(value, symbol.width).code;
        format!("localparam {:widest$}{} = {literal};", range(symbol.width), symbol.name)
    };
    used.iter().map(line).collect()
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
