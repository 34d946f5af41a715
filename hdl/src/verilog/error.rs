//! What the back end refuses, and where.

use std::fmt;

/// A design that cannot be printed as Verilog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A fault at one signal of one block.
    #[error("block `{block}`, signal `{signal}`: {fault}")]
    Signal {
        /// Instance path of the block, from the top.
        block: String,
        /// The signal as the Rust source calls it.
        signal: String,
        /// What is wrong with it.
        fault: Fault,
    },
    /// A fault of a block as a whole.
    #[error("block `{block}`: {fault}")]
    Block {
        /// Instance path of the block, from the top.
        block: String,
        /// What is wrong with it.
        fault: Fault,
    },
}

/// The kinds of fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A name that stands for nothing in the hardware.
    #[error(
        "`{0}` is neither a signal, a Constant nor an enum value; Rust constants, const generics and `_` \
         fields do not exist in Verilog: use a Constant<T> field"
    )]
    UnknownName(String),
    /// Two enums of the same name, but with different values, meet in one block.
    #[error("`{0}` has a different value in two enums of the same name below this block: rename one of them")]
    AmbiguousLabel(String),
    /// A signal that nothing drives.
    #[error("nothing drives it")]
    Undriven,
    /// A block writes one of its own inputs.
    #[error("it is an input of this block and must not be written here")]
    WritesInput,
    /// Something other than a signal stands left of an assignment.
    #[error("it cannot be assigned here: it is an output of a block below, a Constant or an enum value")]
    NotAssignable,
    /// A signal is read before the assignment that gives it the value.
    #[error(
        "it is read before it is assigned on every path and assigned again below: assign it above its first use"
    )]
    ReadBeforeWrite,
    /// A block reads the `d` of a flip-flop.
    #[error(
        "read d before the clock edge: the next state of a flip-flop must not be read, keep it in a Local"
    )]
    ReadsNextState,
    /// A path on which a combinational signal keeps its old value.
    #[error("latch: it is not assigned on every path; give it a default above the first `if`")]
    Latch,
    /// A path on which the input of a flip-flop keeps its old value.
    #[error("the flip-flop's d is not assigned on every path: list it in dff_setup!")]
    NoDefault,
    /// Signals that depend on each other without a flip-flop between.
    #[error("combinational loop: {}", Path(.0))]
    Loop(Vec<String>),
    /// A literal that the type beside it cannot hold.
    #[error("the literal {value} does not fit {width} bits")]
    LiteralTooWide {
        /// The literal, in decimal.
        value: String,
        /// Bits of the type that it meets.
        width: usize,
    },
    /// An expression whose width the source does not tell the back end.
    #[error(
        "the width of an operand is not known here (signed_bit_cast and literals take it from what they meet): assign it to a Local first"
    )]
    UnknownWidth,
    /// Operands or target and value of different widths, which Rust's types should have excluded.
    #[error("{wanted} bits are needed, the expression has {found}")]
    WidthMismatch {
        /// Bits of the target or of the other operand.
        wanted: usize,
        /// Bits of the expression.
        found: usize,
    },
    /// An array index that is not arithmetic over literals and loop variables.
    #[error("array index `{0}` is not made of literals and loop variables")]
    ArrayIndex(String),
    /// A pattern of `match` that is neither an integer, an enum value nor `_`.
    #[error("the pattern `{0}` of a match is neither an integer nor an enum value")]
    Pattern(String),
    /// A type without bits, for example an enum of one variant.
    #[error("its type has no bits")]
    NoBits,
    /// The design given is not a LogicBlock.
    #[error("it is not a LogicBlock with logic of its own")]
    NotABlock,
}

/// Signal names joined by arrows.
struct Path<'a>(&'a [String]);

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" -> "))
    }
}

impl Error {
    /// A fault at the signal with this key (`a$b` of the walk, `a.b` of the source).
    pub(super) fn at(block: &str, key: &str, fault: Fault) -> Self {
        Self::Signal { block: block.into(), signal: spoken(key), fault }
    }

    /// A fault of the whole block.
    pub(super) fn of(block: &str, fault: Fault) -> Self {
        Self::Block { block: block.into(), fault }
    }
}

/// A key of the walk as the Rust source writes it.
pub(super) fn spoken(key: &str) -> String {
    key.replace('$', ".")
}
