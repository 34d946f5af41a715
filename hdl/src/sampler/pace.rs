//! How often words of samples are due.
use rust_hdl::prelude::*;

/// Counts the words that are due: `numerator` in every `denominator` cycles, spread evenly.
///
/// Words not taken when due stay due, up to 255 of them, so that the mean rate holds when the
/// consumer pauses. A numerator not below the denominator makes a word due every cycle.
#[derive(LogicBlock, Default)]
pub struct Pace {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Low: exactly one word is due at any time, however many are taken.
    pub enable: Signal<In, Bit>,
    /// Words ...
    pub numerator: Signal<In, Bits<16>>,
    /// ... in so many cycles.
    pub denominator: Signal<In, Bits<16>>,
    /// A word is taken; only while one is due.
    pub taken: Signal<In, Bit>,
    /// At least one word is due.
    pub due: Signal<Out, Bit>,

    /// Denominator less numerator, unless that is below one.
    excess: DFF<Bits<16>>,
    always: DFF<Bit>,
    /// Numerators since the last word, modulo the denominator.
    remainder: DFF<Bits<16>>,
    owed: DFF<Bits<8>>,
    ticks: Signal<Local, Bit>,
}

impl Logic for Pace {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: pace");
        dff_setup!(self, clock, excess, always, remainder, owed);

        self.excess.d.next = self.denominator.val() - self.numerator.val();
        self.always.d.next = self.numerator.val() >= self.denominator.val();
        self.ticks.next = self.always.q.val() | (self.remainder.q.val() >= self.excess.q.val());
        self.due.next = self.owed.q.val().any();

        if self.ticks.val() {
            self.remainder.d.next = self.remainder.q.val() - self.excess.q.val();
        } else {
            self.remainder.d.next = self.remainder.q.val() + self.numerator.val();
        }
        if self.ticks.val() & !self.taken.val() & !self.owed.q.val().all() {
            self.owed.d.next = self.owed.q.val() + 1;
        }
        if self.taken.val() & !self.ticks.val() {
            self.owed.d.next = self.owed.q.val() - 1;
        }
        if !self.enable.val() | self.always.q.val() {
            self.remainder.d.next = 0.into();
        }
        if !self.enable.val() {
            self.owed.d.next = 1.into();
        }

        if self.reset.val() {
            self.remainder.d.next = 0.into();
            self.owed.d.next = 1.into();
        }
    }
}
