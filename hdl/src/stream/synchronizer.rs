//! One bit into another clock domain.
//!
//! Promise: `level` follows `from` two to three edges of `clock` later; a change that lasts longer
//! than a period of `clock` is never missed, and an output never hangs between two levels: a first
//! flip-flop that an edge caught in the act has a whole period to make up its mind.
use rust_hdl::prelude::*;

/// Two flip-flops behind one another. `from` must come straight from a flip-flop.
#[derive(LogicBlock, Default)]
pub struct Synchronizer {
    /// The clock that the bit goes to.
    pub clock: Signal<In, Clock>,
    /// From any other clock.
    pub from: Signal<In, Bit>,
    /// The same on `clock`.
    pub level: Signal<Out, Bit>,

    meta: DFF<Bit>,
    settled: DFF<Bit>,
}

impl Logic for Synchronizer {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: synchronizer - one bit into another clock domain");
        comment!("asynchronous: meta settled");
        dff_setup!(self, clock, meta, settled);
        self.meta.d.next = self.from.val();
        self.settled.d.next = self.meta.q.val();
        self.level.next = self.settled.q.val();
    }
}
