//! The gateware of nicforge, described in Rust-HDL.
//!
//! `stream` holds what every block speaks, `eth`, `ip`, `control` and `sampler` hold the blocks,
//! `top` wires them to cards, `board` puts pins and clocks around these, `config` reads what a card shall be, and `verilog` prints it.

/// A comment for the Verilog back end: Rust ignores it, `#[hdl_gen]` keeps it.
///
/// `comment!("module: name")` as the first statement of a block names its Verilog module.
/// `comment!("asynchronous: a b")` marks flip-flops that catch a signal of another clock: tools
/// place them close together, and leave them as they are.
#[macro_export]
macro_rules! comment {
    ($($text:tt)*) => {};
}

pub mod board;
pub mod config;
pub mod control;
pub mod eth;
pub mod ip;
pub mod outputs;
pub mod sampler;
pub mod stream;
pub mod top;
pub mod verilog;
