//! A FIFO on one clock.
//!
//! Promise: the words that go in come out, in order, three cycles later at the earliest, one word
//! a clock. It takes at least 2^`A` words while its output stands still.
use crate::stream::{Outlet, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// 2^`A` words in block RAM; `C` is `A` + 1, the bits of a count from 0 to 2^`A`.
#[derive(LogicBlock)]
pub struct Fifo<const W: usize, const K: usize, const A: usize, const C: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: empties the FIFO.
    pub reset: Signal<In, Bit>,
    /// Words in.
    pub sink: StreamSink<W, K>,
    /// The same words out.
    pub source: StreamSource<W, K>,
    /// Words in the memory, 0 to 2^`A`; up to two more wait at the output.
    pub level: Signal<Out, Bits<C>>,

    outlet: Outlet<W, K, A>,
    write: DFF<Bits<A>>,
    read: DFF<Bits<A>>,
    count: DFF<Bits<C>>,
    some: DFF<Bit>,
    full: DFF<Bit>,
    stores: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    almost_full: Constant<Bits<C>>,
}

impl<const W: usize, const K: usize, const A: usize, const C: usize> Default for Fifo<W, K, A, C> {
    fn default() -> Self {
        const { assert!(C == A + 1, "Fifo: C must be A + 1") };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            sink: Default::default(),
            source: Default::default(),
            level: Default::default(),
            outlet: Default::default(),
            write: Default::default(),
            read: Default::default(),
            count: Default::default(),
            some: Default::default(),
            full: Default::default(),
            stores: Default::default(),
            takes: Default::default(),
            almost_full: Constant::new(((1u64 << A) - 1).to_bits()),
        }
    }
}

impl<const W: usize, const K: usize, const A: usize, const C: usize> Logic for Fifo<W, K, A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: fifo - FIFO on one clock");
        dff_setup!(self, clock, write, read, count, some, full);
        self.outlet.clock.next = self.clock.val();
        self.outlet.reset.next = self.reset.val();

        self.stores.next = self.sink.valid.val() & !self.full.q.val();
        self.takes.next = self.outlet.fetches.val();
        self.sink.ready.next = !self.full.q.val();
        self.level.next = self.count.q.val();

        self.outlet.word.data.next = self.sink.data.val();
        self.outlet.word.keep.next = self.sink.keep.val();
        self.outlet.word.last.next = self.sink.last.val();
        self.outlet.word.error.next = self.sink.error.val();
        self.outlet.word.valid.next = self.stores.val();
        self.outlet.write_address.next = self.write.q.val();
        self.outlet.read_address.next = self.read.q.val();
        self.outlet.available.next = self.some.q.val();
        StreamSource::<W, K>::link(&mut self.source, &mut self.outlet.source);

        if self.stores.val() {
            self.write.d.next = self.write.q.val() + 1;
        }
        if self.takes.val() {
            self.read.d.next = self.read.q.val() + 1;
        }
        if self.stores.val() & !self.takes.val() {
            self.count.d.next = self.count.q.val() + 1;
            self.some.d.next = true;
            self.full.d.next = self.count.q.val() == self.almost_full.val();
        }
        if self.takes.val() & !self.stores.val() {
            self.count.d.next = self.count.q.val() - 1;
            self.some.d.next = self.count.q.val() != 1;
            self.full.d.next = false;
        }

        if self.reset.val() {
            self.write.d.next = 0.into();
            self.read.d.next = 0.into();
            self.count.d.next = 0.into();
            self.some.d.next = false;
            self.full.d.next = false;
        }
    }
}
