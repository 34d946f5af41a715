//! The register bus inside a card.
#![allow(missing_docs, reason = "the interface derive writes methods without comments")]
use rust_hdl::prelude::*;

/// The register bus as its master sees it.
///
/// `read` or `write` is high for one cycle, with `address` (bytes, a multiple of four) and `data`.
/// Exactly two cycles later the block that has the register raises `hit` for one cycle, with
/// `answer` for a read; every other block then gives zeros, so that several blocks' answers are
/// joined by OR. No `hit`: nobody has that register. The next access comes after that cycle.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "BusSink"]
pub struct BusSource {
    /// Byte address.
    pub address: Signal<Out, Bits<12>>,
    /// Value to write.
    pub data: Signal<Out, Bits<32>>,
    /// High for one cycle: write `data`.
    pub write: Signal<Out, Bit>,
    /// High for one cycle: read.
    pub read: Signal<Out, Bit>,
    /// Value read, zero unless `hit`.
    pub answer: Signal<In, Bits<32>>,
    /// High for one cycle: the access reached a register.
    pub hit: Signal<In, Bit>,
}

/// The register bus as a block with registers sees it.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "BusSource"]
pub struct BusSink {
    /// Byte address.
    pub address: Signal<In, Bits<12>>,
    /// Value to write.
    pub data: Signal<In, Bits<32>>,
    /// High for one cycle: write `data`.
    pub write: Signal<In, Bit>,
    /// High for one cycle: read.
    pub read: Signal<In, Bit>,
    /// Value read, zero unless `hit`.
    pub answer: Signal<Out, Bits<32>>,
    /// High for one cycle: the access reached a register.
    pub hit: Signal<Out, Bit>,
}
