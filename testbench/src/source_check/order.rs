//! The order of assignments and reads within one body.
//!
//! The Rust simulator repeats `update` until nothing changes, so that every read gives the settled
//! value. A statement list in Verilog runs once from top to bottom: a read above an assignment
//! gives what was there before.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::visit::{self, Visit};

use super::{Finding, Rule, finding};

/// Every read of a signal above its first or last assignment.
pub(super) fn check(body: &syn::Block) -> Vec<Finding> {
    let mut order = Order::default();
    order.visit_block(body);
    order.reads.iter().filter(|read| order.is_early(read)).map(Read::finding).collect()
}

/// A signal's path within the block, such as `self.outlet.word.valid`, without indices.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Signal {
    name: String,
    /// Whether it had an index: elements of an array are assigned one after the other.
    indexed: bool,
}

struct Read {
    signal: Signal,
    turn: usize,
    place: Span,
}

impl Read {
    fn finding(&self) -> Finding {
        finding(self.place, Rule::EarlyRead, format!("{}.val()", self.signal.name))
    }
}

#[derive(Default)]
struct Order {
    turn: usize,
    reads: Vec<Read>,
    /// First and last assignment by name.
    writes: BTreeMap<String, (usize, usize)>,
}

impl Order {
    fn is_early(&self, read: &Read) -> bool {
        self.writes.get(&read.signal.name).is_some_and(|&(first, last)| {
            // In a chain, element i + 1 is made from element i in the same statement.
            read.turn < if read.signal.indexed { first } else { last }
        })
    }
}

impl Visit<'_> for Order {
    fn visit_expr_assign(&mut self, assignment: &syn::ExprAssign) {
        self.visit_expr(&assignment.right);
        self.turn += 1;
        if let Some(signal) = target(&assignment.left) {
            let turns = self.writes.entry(signal.name).or_insert((self.turn, self.turn));
            turns.1 = self.turn;
        }
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        if call.method == "val" {
            // Reads of flip-flop inputs have a rule of their own.
            if let Some(signal) = path(&call.receiver).filter(|signal| !signal.name.ends_with(".d")) {
                self.turn += 1;
                self.reads.push(Read { signal, turn: self.turn, place: call.method.span() });
            }
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// The signal that `signal.next = ...` or `signal.next.part = ...` assigns.
fn target(left: &syn::Expr) -> Option<Signal> {
    let syn::Expr::Field(field) = left else { return None };
    match &field.member {
        syn::Member::Named(name) if name == "next" => path(&field.base),
        _ => target(&field.base),
    }
}

fn path(expression: &syn::Expr) -> Option<Signal> {
    match expression {
        syn::Expr::Path(name) => {
            name.path.get_ident().map(|name| Signal { name: name.to_string(), indexed: false })
        }
        syn::Expr::Index(index) => path(&index.expr).map(|signal| Signal { indexed: true, ..signal }),
        syn::Expr::Paren(inner) => path(&inner.expr),
        syn::Expr::Field(field) => {
            let syn::Member::Named(name) = &field.member else { return None };
            path(&field.base).map(|signal| Signal { name: format!("{}.{name}", signal.name), ..signal })
        }
        _ => None,
    }
}
