//! Does another clock run, and as fast as it should?
//!
//! Promise: `runs` is high from at most 1.5 us after the watched clock reached its 125 MHz until at most
//! 2 us after it stopped, or fell below 80 MHz: a PHY without a link stops it or slows it down.
use crate::stream::Synchronizer;
use nicforge_layout::wire::gmii;
use rust_hdl::prelude::*;

/// Cycles of the watched clock between two changes of the bit that crosses.
const SPAN: u64 = 64;

/// Counts core cycles between two changes of a bit that the watched clock toggles.
#[derive(LogicBlock)]
pub struct ClockWatch {
    /// The core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The clock that is watched.
    pub watched: Signal<In, Clock>,
    /// It runs.
    pub runs: Signal<Out, Bit>,

    count: DFF<Bits<7>>,
    slow: DFF<Bit>,
    bit: Synchronizer,
    before: DFF<Bit>,
    age: DFF<Bits<8>>,
    running: DFF<Bit>,
    changes: Signal<Local, Bit>,
    late: Signal<Local, Bit>,
    limit: Constant<Bits<8>>,
}

impl ClockWatch {
    /// A watch with a core clock of this frequency in Hz, at most 200 MHz.
    pub fn new(core_hertz: u64) -> Self {
        // Half a span more than the time that a span takes at full speed.
        let limit = core_hertz * SPAN * 3 / (2 * gmii::CLOCK_HERTZ);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            watched: Default::default(),
            runs: Default::default(),
            count: Default::default(),
            slow: Default::default(),
            bit: Default::default(),
            before: Default::default(),
            age: Default::default(),
            running: Default::default(),
            changes: Default::default(),
            late: Default::default(),
            limit: Constant::new(limit.to_bits()),
        }
    }
}

impl Logic for ClockWatch {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: clock_watch - whether another clock runs");
        dff_setup!(self, watched, count, slow);
        dff_setup!(self, clock, before, age, running);
        self.count.d.next = self.count.q.val() + 1;
        self.slow.d.next = self.count.q.val().get_bit(6);
        self.bit.clock.next = self.clock.val();
        self.bit.from.next = self.slow.q.val();

        self.before.d.next = self.bit.level.val();
        self.changes.next = self.bit.level.val() ^ self.before.q.val();
        self.late.next = self.age.q.val() > self.limit.val();
        if !self.late.val() {
            self.age.d.next = self.age.q.val() + 1;
        }
        if self.late.val() {
            self.running.d.next = false;
        }
        if self.changes.val() {
            self.age.d.next = 0.into();
            self.running.d.next = !self.late.val();
        }
        self.runs.next = self.running.q.val();

        if self.reset.val() {
            self.age.d.next = self.limit.val() + 1;
            self.running.d.next = false;
        }
    }
}
