//! Several packet streams onto one, a whole packet at a time.
//!
//! Promise: packets come out unbroken, each stream's in order, and a stream that has a packet
//! waits for at most one packet of each other stream. No cycle is lost between packets while any
//! stream has words, except that a stream which was silent at the end of the packet before waits
//! one cycle. Words pass straight through: no latency.
use crate::stream::{StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Round robin over `N` streams, at most 15.
#[derive(LogicBlock)]
pub struct Arbiter<const W: usize, const K: usize, const N: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets the packet in progress.
    pub reset: Signal<In, Bit>,
    /// Packets in.
    pub sinks: [StreamSink<W, K>; N],
    /// All packets out.
    pub source: StreamSource<W, K>,

    grant: DFF<Bits<4>>,
    busy: DFF<Bit>,
    choice: Signal<Local, Bits<4>>,
    moves: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize, const N: usize> Default for Arbiter<W, K, N> {
    fn default() -> Self {
        const { assert!(N >= 1 && N <= 15, "Arbiter: 1 to 15 streams") };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            sinks: array_init::array_init(|_| Default::default()),
            source: Default::default(),
            grant: Default::default(),
            busy: Default::default(),
            choice: Default::default(),
            moves: Default::default(),
        }
    }
}

impl<const W: usize, const K: usize, const N: usize> Logic for Arbiter<W, K, N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: arbiter - packet streams onto one, a packet at a time");
        dff_setup!(self, clock, grant, busy);

        self.source.data.next = 0.into();
        self.source.keep.next = 0.into();
        self.source.last.next = false;
        self.source.error.next = false;
        self.source.valid.next = false;
        for i in 0..N {
            self.sinks[i].ready.next = false;
            if self.grant.q.val().index() == i {
                self.source.data.next = self.sinks[i].data.val();
                self.source.keep.next = self.sinks[i].keep.val();
                self.source.last.next = self.sinks[i].last.val();
                self.source.error.next = self.sinks[i].error.val();
                self.source.valid.next = self.sinks[i].valid.val();
                self.sinks[i].ready.next = self.source.ready.val();
            }
        }
        self.moves.next = self.source.valid.val() & self.source.ready.val();

        // Turns go downwards: the next stream below the present one, or else the highest above.
        // With nobody else waiting the present one keeps its turn.
        self.choice.next = self.grant.q.val();
        for i in 1..N {
            if self.sinks[i].valid.val() & (self.grant.q.val().index() < i) {
                self.choice.next = i.to_bits();
            }
        }
        for i in 0..N {
            if self.sinks[i].valid.val() & (self.grant.q.val().index() > i) {
                self.choice.next = i.to_bits();
            }
        }

        if self.moves.val() {
            self.busy.d.next = !self.source.last.val();
        }
        // A packet that was offered must stay offered: the turn passes on only with a packet's
        // last word, or while its holder is silent between packets.
        if (self.moves.val() & self.source.last.val()) | (!self.source.valid.val() & !self.busy.q.val()) {
            self.grant.d.next = self.choice.val();
        }

        if self.reset.val() {
            self.grant.d.next = 0.into();
            self.busy.d.next = false;
        }
    }
}
