//! The interface between sources of samples and those who frame them.
#![allow(missing_docs, reason = "the interface derive writes methods without comments")]
use rust_hdl::prelude::*;

/// A stream of samples as its producer sees it: eight 8-bit samples a word.
///
/// Lane 0, in bits 7..0, is the first in time. Samples are in two's complement. A word moves on
/// the clock edge where `valid` and `ready` are both high. Once raised, `valid` stays up with the
/// same lanes until that edge, except over a load of the source.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "SampleSink"]
pub struct SampleSource {
    /// The samples.
    pub lanes: Signal<Out, Bits<64>>,
    /// The samples are there.
    pub valid: Signal<Out, Bit>,
    /// The consumer takes them.
    pub ready: Signal<In, Bit>,
}

/// The same stream as its consumer sees it.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "SampleSource"]
pub struct SampleSink {
    /// The samples.
    pub lanes: Signal<In, Bits<64>>,
    /// The samples are there.
    pub valid: Signal<In, Bit>,
    /// The consumer takes them.
    pub ready: Signal<Out, Bit>,
}
