//! Collects the tree of blocks and signals that rust-hdl's visitor shows.

use super::error::{Error, Fault};
use num_bigint::BigUint;
use rust_hdl::prelude::ast::{Verilog, VerilogLiteral};
use rust_hdl::prelude::{Atom, AtomKind, Block, Probe, TypeDescriptor, TypeKind, clog2};
use std::collections::BTreeMap;

/// A signal or Constant of a block.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// Name with its interfaces before it: `s$data`.
    pub(super) key: String,
    pub(super) kind: AtomKind,
    pub(super) width: usize,
    pub(super) signed: bool,
    /// Present value: what a Constant stands for.
    pub(super) value: BigUint,
    /// Whether something drives it, as far as `connect` knows.
    connected: bool,
}

/// The code of an enum value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    pub(super) value: usize,
    pub(super) width: usize,
    /// Two blocks below use the name for different values.
    pub(super) ambiguous: bool,
}

/// One instance of a block.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Field name in the parent, `stage$3` in arrays.
    pub(super) name: String,
    /// Names from the top down, with dots between.
    pub(super) path: String,
    pub(super) leaves: Vec<Leaf>,
    pub(super) children: Vec<Node>,
    pub(super) code: Verilog,
    /// Enum values in reach, by `Type$Variant`.
    pub(super) labels: BTreeMap<String, Label>,
}

/// Walks the design; the clocks and wires must have been connected before.
pub(super) fn collect(block: &dyn Block, top: &str) -> Result<Node, Error> {
    let mut walk = Walk::default();
    block.accept(top, &mut walk);
    let root = walk.root.ok_or_else(|| Error::of(top, Fault::NotABlock))?;
    check_driven(&root, true)?;
    Ok(root)
}

/// Every signal needs a driver, except the inputs of the top.
fn check_driven(node: &Node, top: bool) -> Result<(), Error> {
    for leaf in &node.leaves {
        let from_outside = top && matches!(leaf.kind, AtomKind::InputParameter | AtomKind::InOutParameter);
        if !(leaf.connected || from_outside) {
            return Err(Error::at(&node.path, &leaf.key, Fault::Undriven));
        }
        if leaf.width == 0 {
            return Err(Error::at(&node.path, &leaf.key, Fault::NoBits));
        }
    }
    node.children.iter().try_for_each(|c| check_driven(c, false))
}

#[derive(Default)]
struct Walk {
    stack: Vec<Node>,
    /// Interfaces around the present signal, one list for each block on the stack.
    namespaces: Vec<Vec<String>>,
    root: Option<Node>,
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, block: &dyn Block) {
        let path = match self.stack.last() {
            Some(parent) => format!("{}.{}", parent.path, name.replace('$', ".")),
            None => name.to_string(),
        };
        self.namespaces.push(Vec::new());
        self.stack.push(Node {
            name: name.into(),
            path,
            leaves: Vec::new(),
            children: Vec::new(),
            code: block.hdl(),
            labels: BTreeMap::new(),
        });
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        if let Some(names) = self.namespaces.last_mut() {
            names.push(name.into());
        }
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let (Some(names), Some(node)) = (self.namespaces.last(), self.stack.last_mut()) else {
            return; // a signal without a block around it: `collect` finds no root and says so
        };
        let mut key = names.clone();
        key.push(name.into());
        let descriptor = atom.descriptor();
        labels_of(&descriptor, &mut node.labels);
        node.leaves.push(Leaf {
            key: key.join("$"),
            kind: atom.kind(),
            width: atom.bits(),
            signed: matches!(descriptor.kind, TypeKind::Signed(_)),
            value: integer(&atom.verilog()).value,
            connected: atom.connected(),
        });
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        if let Some(names) = self.namespaces.last_mut() {
            names.pop();
        }
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.namespaces.pop();
        let Some(node) = self.stack.pop() else { return };
        match self.stack.last_mut() {
            Some(parent) => parent.adopt(node),
            None => self.root = Some(node),
        }
    }
}

impl Node {
    /// Adds a child; its enum values come into reach, for its ports may have such types.
    fn adopt(&mut self, child: Node) {
        for (name, label) in &child.labels {
            let known = self.labels.entry(name.clone()).or_insert_with(|| label.clone());
            known.ambiguous |= known.value != label.value || known.width != label.width;
        }
        self.children.push(child);
    }
}

/// Adds the values of every enum inside a type.
fn labels_of(descriptor: &TypeDescriptor, labels: &mut BTreeMap<String, Label>) {
    match &descriptor.kind {
        TypeKind::Enum(variants) => {
            let width = clog2(variants.len());
            for (value, variant) in variants.iter().enumerate() {
                // A type of the block's own signals is the one its source names.
                labels.insert(variant.replace("::", "$"), Label { value, width, ambiguous: false });
            }
        }
        TypeKind::Composite(fields) => fields.iter().for_each(|f| labels_of(&f.kind, labels)),
        TypeKind::Bits(_) | TypeKind::Signed(_) => {}
    }
}

/// An integer with the width that rust-hdl gave it.
pub(super) struct Integer {
    pub(super) value: BigUint,
    pub(super) width: usize,
}

/// Reads a literal; its fields are private, its text (`32'h-1f`) is not.
pub(super) fn integer(literal: &VerilogLiteral) -> Integer {
    parse_integer(&format!("{literal:x}")).expect("the text of a literal is width, 'h, digits")
}

/// Parses `8'h1f` or `8'h-1f`, the latter as two's complement.
pub(super) fn parse_integer(text: &str) -> Option<Integer> {
    let (width, digits) = text.split_once("'h")?;
    let width: usize = width.parse().ok()?;
    let magnitude = BigUint::parse_bytes(digits.trim_start_matches('-').as_bytes(), 16)?;
    let value = match digits.starts_with('-') {
        true => (BigUint::from(1_u8) << width) - magnitude,
        false => magnitude,
    };
    Some(Integer { value, width })
}
