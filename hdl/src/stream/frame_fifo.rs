//! Whole frames or nothing: from a flow that cannot wait to a stream that may.
//!
//! Promise: a frame comes out, complete and unchanged, if its flow ended without `error` and all
//! of it fitted; any other frame leaves no trace, and one that was good but did not fit is
//! counted. Whatever happened to a frame, the next one starts afresh. Frames end at least two
//! cycles apart, as received ones do.
use crate::stream::{EventSource, FlowSink, Outlet, StreamSource};
use nicforge_layout::counters::Counter;
use rust_hdl::prelude::*;

/// Holds 2^`A` - 1 words, and up to two more at the output.
#[derive(LogicBlock)]
pub struct FrameFifo<const W: usize, const K: usize, const A: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: empties the FIFO.
    pub reset: Signal<In, Bit>,
    /// Frames in.
    pub flow: FlowSink<W, K>,
    /// Good frames out, each only when it is complete. `error` is never raised.
    pub source: StreamSource<W, K>,
    /// A good frame did not fit; in the cycle of its last word.
    pub dropped: EventSource,

    outlet: Outlet<W, K, A>,
    write: DFF<Bits<A>>,
    following: DFF<Bits<A>>,
    committed: DFF<Bits<A>>,
    read: DFF<Bits<A>>,
    lost: DFF<Bit>,
    stores: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    commits: Signal<Local, Bit>,
    place: Signal<Local, Bits<A>>,
    drop_code: Constant<Bits<6>>,
}

impl<const W: usize, const K: usize, const A: usize> FrameFifo<W, K, A> {
    /// A FIFO that counts the frames it drops under `dropped`.
    pub fn new(dropped: Counter) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            flow: Default::default(),
            source: Default::default(),
            dropped: Default::default(),
            outlet: Default::default(),
            write: Default::default(),
            following: Default::default(),
            committed: Default::default(),
            read: Default::default(),
            lost: Default::default(),
            stores: Default::default(),
            ends: Default::default(),
            commits: Default::default(),
            place: Default::default(),
            drop_code: Constant::new(dropped.code.to_bits()),
        }
    }
}

impl<const W: usize, const K: usize, const A: usize> Logic for FrameFifo<W, K, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: frame_fifo - whole frames or nothing");
        dff_setup!(self, clock, write, following, committed, read, lost);
        self.outlet.clock.next = self.clock.val();
        self.outlet.reset.next = self.reset.val();

        // A word is stored while its frame still fits. One place stays free, so that equal
        // pointers always mean "empty".
        self.stores.next =
            self.flow.valid.val() & !self.lost.q.val() & (self.following.q.val() != self.read.q.val());
        self.ends.next = self.flow.valid.val() & self.flow.last.val();
        self.commits.next = self.stores.val() & self.flow.last.val() & !self.flow.error.val();
        self.dropped.valid.next = self.ends.val() & !self.flow.error.val() & !self.stores.val();
        self.dropped.code.next = self.drop_code.val();

        self.outlet.word.data.next = self.flow.data.val();
        self.outlet.word.keep.next = self.flow.keep.val();
        self.outlet.word.last.next = self.flow.last.val();
        self.outlet.word.error.next = false;
        self.outlet.word.valid.next = self.stores.val();
        self.outlet.write_address.next = self.write.q.val();
        self.outlet.read_address.next = self.read.q.val();
        self.outlet.available.next = self.read.q.val() != self.committed.q.val();
        StreamSource::<W, K>::link(&mut self.source, &mut self.outlet.source);

        if self.outlet.fetches.val() {
            self.read.d.next = self.read.q.val() + 1;
        }
        if self.flow.valid.val() & !self.stores.val() {
            self.lost.d.next = true;
        }
        if self.ends.val() {
            self.lost.d.next = false;
        }
        // Commit and discard are one decision, made with the last word.
        self.place.next = self.write.q.val();
        if self.stores.val() {
            self.place.next = self.following.q.val();
        }
        if self.commits.val() {
            self.committed.d.next = self.following.q.val();
        } else if self.ends.val() {
            self.place.next = self.committed.q.val();
        }
        self.write.d.next = self.place.val();
        self.following.d.next = self.place.val() + 1;

        if self.reset.val() {
            self.write.d.next = 0.into();
            self.following.d.next = 1.into();
            self.committed.d.next = 0.into();
            self.read.d.next = 0.into();
            self.lost.d.next = false;
        }
    }
}
