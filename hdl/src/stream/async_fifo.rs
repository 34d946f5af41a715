//! A FIFO between two clocks.
//!
//! Promise: the words that go in come out, each once, whole and in order, whatever the two clocks
//! are; one word a clock on either side while there is room, and words. A word that went in is offered
//! three to four edges of `read_clock` later. Nothing else than the two pointers crosses, each in Gray
//! code, of which one bit changes at a time: whatever an edge catches is the old or the new value.
//!
//! Reset: each side has its own, synchronous to its clock, and takes and offers nothing meanwhile. Both must have been high at a common time
//! before either side is used, as [`DomainReset`](crate::stream::DomainReset) sees to.
use crate::stream::CrossingMemory;
use rust_hdl::prelude::*;

/// 2^`A` words of `D` bits, and one more at the output; `P` is `A` + 1, the bits of a pointer.
#[derive(LogicBlock)]
pub struct AsyncFifo<const D: usize, const A: usize, const P: usize> {
    /// Clock of the ports `write_...`.
    pub write_clock: Signal<In, Clock>,
    /// Synchronous to `write_clock`, active high: empties this side.
    pub write_reset: Signal<In, Bit>,
    /// The word.
    pub write_data: Signal<In, Bits<D>>,
    /// The word is there.
    pub write_valid: Signal<In, Bit>,
    /// There is room for it.
    pub write_ready: Signal<Out, Bit>,
    /// Clock of the ports `read_...`.
    pub read_clock: Signal<In, Clock>,
    /// Synchronous to `read_clock`, active high: empties this side.
    pub read_reset: Signal<In, Bit>,
    /// The word.
    pub read_data: Signal<Out, Bits<D>>,
    /// The word is there, unchanged until it is taken.
    pub read_valid: Signal<Out, Bit>,
    /// It is taken.
    pub read_ready: Signal<In, Bit>,

    memory: CrossingMemory<D, A>,

    // The writing side: its pointer, and the other one as it arrives.
    write: DFF<Bits<P>>,
    write_gray: DFF<Bits<P>>,
    read_gray_meta: DFF<Bits<P>>,
    read_gray_settled: DFF<Bits<P>>,
    write_after: Signal<Local, Bits<P>>,
    full: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,

    // The reading side.
    read: DFF<Bits<P>>,
    read_gray: DFF<Bits<P>>,
    write_gray_meta: DFF<Bits<P>>,
    write_gray_settled: DFF<Bits<P>>,
    offered: DFF<Bit>,
    read_after: Signal<Local, Bits<P>>,
    takes: Signal<Local, Bit>,

    /// A full FIFO's pointers are 2^`A` apart: in Gray code they differ in the upper two bits.
    a_round_apart: Constant<Bits<P>>,
}

impl<const D: usize, const A: usize, const P: usize> Default for AsyncFifo<D, A, P> {
    fn default() -> Self {
        const { assert!(P == A + 1 && A >= 1, "AsyncFifo: P must be A + 1, and A at least 1") };
        Self {
            write_clock: Default::default(),
            write_reset: Default::default(),
            write_data: Default::default(),
            write_valid: Default::default(),
            write_ready: Default::default(),
            read_clock: Default::default(),
            read_reset: Default::default(),
            read_data: Default::default(),
            read_valid: Default::default(),
            read_ready: Default::default(),
            memory: Default::default(),
            write: Default::default(),
            write_gray: Default::default(),
            read_gray_meta: Default::default(),
            read_gray_settled: Default::default(),
            write_after: Default::default(),
            full: Default::default(),
            stores: Default::default(),
            read: Default::default(),
            read_gray: Default::default(),
            write_gray_meta: Default::default(),
            write_gray_settled: Default::default(),
            offered: Default::default(),
            read_after: Default::default(),
            takes: Default::default(),
            a_round_apart: Constant::new((0b11_u64 << (A - 1)).to_bits()),
        }
    }
}

impl<const D: usize, const A: usize, const P: usize> Logic for AsyncFifo<D, A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: async_fifo - FIFO between two clocks");
        comment!("asynchronous: read_gray_meta read_gray_settled write_gray_meta write_gray_settled");
        dff_setup!(self, write_clock, write, write_gray, read_gray_meta, read_gray_settled);
        dff_setup!(self, read_clock, read, read_gray, write_gray_meta, write_gray_settled, offered);

        // Writing.
        self.read_gray_meta.d.next = self.read_gray.q.val();
        self.read_gray_settled.d.next = self.read_gray_meta.q.val();
        self.full.next =
            self.write_gray.q.val() == (self.read_gray_settled.q.val() ^ self.a_round_apart.val());
        self.stores.next = self.write_valid.val() & !self.full.val() & !self.write_reset.val();
        self.write_ready.next = !self.full.val() & !self.write_reset.val();
        self.write_after.next = self.write.q.val() + 1;
        if self.stores.val() {
            self.write.d.next = self.write_after.val();
            self.write_gray.d.next = self.write_after.val() ^ (self.write_after.val() >> 1);
        }
        self.memory.write_clock.next = self.write_clock.val();
        self.memory.write_enable.next = self.stores.val();
        self.memory.write_address.next = self.write.q.val().get_bits::<A>(0);
        self.memory.write_data.next = self.write_data.val();

        // Reading. The memory's output register holds the word that is offered.
        self.write_gray_meta.d.next = self.write_gray.q.val();
        self.write_gray_settled.d.next = self.write_gray_meta.q.val();
        self.takes.next = (self.write_gray_settled.q.val() != self.read_gray.q.val())
            & (!self.offered.q.val() | self.read_ready.val());
        self.offered.d.next = self.takes.val() | (self.offered.q.val() & !self.read_ready.val());
        self.read_after.next = self.read.q.val() + 1;
        if self.takes.val() {
            self.read.d.next = self.read_after.val();
            self.read_gray.d.next = self.read_after.val() ^ (self.read_after.val() >> 1);
        }
        self.memory.read_clock.next = self.read_clock.val();
        self.memory.read_enable.next = self.takes.val();
        self.memory.read_address.next = self.read.q.val().get_bits::<A>(0);
        self.read_data.next = self.memory.read_data.val();
        self.read_valid.next = self.offered.q.val();

        if self.write_reset.val() {
            self.write.d.next = 0.into();
            self.write_gray.d.next = 0.into();
        }
        if self.read_reset.val() {
            self.read.d.next = 0.into();
            self.read_gray.d.next = 0.into();
            self.offered.d.next = false;
        }
    }
}
