//! Recognises flip-flops among the blocks below, which become `reg` and not a module each.

use super::collect::{Node, parse_integer};
use num_bigint::BigUint;
use rust_hdl::prelude::ast::Verilog;

/// A flip-flop of a block.
#[derive(Clone, Debug)]
pub(super) struct Flop {
    /// Field name.
    pub(super) name: String,
    /// Key of the output, `x$q`.
    pub(super) q: String,
    /// Key of the input, `x$d`.
    pub(super) d: String,
    /// Key of the clock, `x$clock` or `x$clk`.
    pub(super) clock: String,
    pub(super) width: usize,
    pub(super) signed: bool,
    /// Value at power-up.
    pub(super) start: BigUint,
}

impl Flop {
    /// The flip-flop that a block is: its Verilog is that of rust-hdl's `DFF` or `EdgeDFF`.
    pub(super) fn of(node: &Node) -> Option<Self> {
        let Verilog::Custom(code) = &node.code else { return None };
        let text: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        let (clock, start) = ["clock", "clk"].iter().find_map(|c| Some((*c, start(&text, c)?)))?;
        let q = node.leaves.iter().find(|l| l.key == "q")?;
        let key = |port: &str| format!("{}${port}", node.name);
        Some(Self {
            name: node.name.clone(),
            q: key("q"),
            d: key("d"),
            clock: key(clock),
            width: q.width,
            signed: q.signed,
            start,
        })
    }
}

/// The power-up value in `initial begin q = 8'h0; end always @(posedge clock) q <= d;`.
fn start(text: &str, clock: &str) -> Option<BigUint> {
    let rest = text.strip_prefix("initialbeginq=")?;
    let edge = format!("always@(posedge{clock})");
    let bodies = [format!(";end{edge}beginq<=d;end"), format!(";end{edge}q<=d;")];
    let value = bodies.iter().find_map(|body| rest.strip_suffix(body.as_str()))?;
    Some(parse_integer(value)?.value)
}
