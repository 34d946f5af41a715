//! A reset for another clock, which may be standing still.
//!
//! Promise: after every `reset` there is a time at which `near_reset` and `far_reset` are both high,
//! whatever the two clocks are, and the near side is let go only when the far side has been. As long as
//! the far clock stands still the near side stays in reset: its FIFOs are empty and not half reset.
use crate::stream::Synchronizer;
use rust_hdl::prelude::*;

/// A request that goes to the other clock, and an acknowledgement that comes back.
#[derive(LogicBlock, Default)]
pub struct DomainReset {
    /// The clock of `reset` and `near_reset`.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; a single cycle is enough.
    pub reset: Signal<In, Bit>,
    /// The other clock.
    pub far_clock: Signal<In, Clock>,
    /// Reset of what works on `clock` towards the other one; active high.
    pub near_reset: Signal<Out, Bit>,
    /// Reset of what works on `far_clock`; synchronous to it, active high.
    pub far_reset: Signal<Out, Bit>,

    /// A reset that has not become a request: the answer to the one before is still there.
    pending: DFF<Bit>,
    requested: DFF<Bit>,
    held: DFF<Bit>,
    there: Synchronizer,
    arrived: DFF<Bit>,
    back: Synchronizer,
}

impl Logic for DomainReset {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: domain_reset - reset for another clock");
        dff_setup!(self, clock, pending, requested, held);
        dff_setup!(self, far_clock, arrived);
        self.there.clock.next = self.far_clock.val();
        self.there.from.next = self.requested.q.val();
        self.arrived.d.next = self.there.level.val();
        self.far_reset.next = self.arrived.q.val();
        self.back.clock.next = self.clock.val();
        self.back.from.next = self.arrived.q.val();

        self.near_reset.next = self.held.q.val();
        self.held.d.next =
            self.reset.val() | self.pending.q.val() | self.requested.q.val() | self.back.level.val();
        if self.back.level.val() {
            self.requested.d.next = false;
        } else if self.pending.q.val() {
            self.requested.d.next = true;
            self.pending.d.next = false;
        }
        if self.reset.val() {
            self.pending.d.next = true;
        }
    }
}
