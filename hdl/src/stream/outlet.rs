//! The reading half of a FIFO: a stream memory, and the words fetched from it ahead of the reader.
use crate::stream::{FlowSink, StreamMemory, StreamSource};
use rust_hdl::prelude::*;

/// Turns "there is a word at this address" into a stream, one word a clock.
///
/// A block RAM answers late in the clock cycle. The word therefore goes through a register before
/// it leaves, and the next one is fetched while it waits there.
#[derive(LogicBlock, Default)]
pub struct Outlet<const W: usize, const K: usize, const A: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets the words fetched.
    pub reset: Signal<In, Bit>,
    /// `valid` stores the word at `write_address`.
    pub word: FlowSink<W, K>,
    /// Where to store.
    pub write_address: Signal<In, Bits<A>>,
    /// The next word to read is here ...
    pub read_address: Signal<In, Bits<A>>,
    /// ... if it was stored in an earlier cycle.
    pub available: Signal<In, Bit>,
    /// The word at `read_address` is taken in this cycle; its place is free from the next one.
    pub fetches: Signal<Out, Bit>,
    /// The words, two cycles after they became available at the earliest.
    pub source: StreamSource<W, K>,

    memory: StreamMemory<W, K, A>,
    fetched: DFF<Bit>,
    data: DFF<Bits<W>>,
    keep: DFF<Bits<K>>,
    last: DFF<Bit>,
    error: DFF<Bit>,
    valid: DFF<Bit>,
    advances: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize, const A: usize> Logic for Outlet<W, K, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: outlet - reading half of a FIFO");
        dff_setup!(self, clock, fetched, data, keep, last, error, valid);

        self.advances.next = !self.valid.q.val() | self.source.ready.val();
        self.takes.next = self.available.val() & (!self.fetched.q.val() | self.advances.val());
        self.fetches.next = self.takes.val();

        self.memory.clock.next = self.clock.val();
        self.memory.word.data.next = self.word.data.val();
        self.memory.word.keep.next = self.word.keep.val();
        self.memory.word.last.next = self.word.last.val();
        self.memory.word.error.next = self.word.error.val();
        self.memory.word.valid.next = self.word.valid.val();
        self.memory.write_address.next = self.write_address.val();
        self.memory.read_address.next = self.read_address.val();
        self.memory.read_enable.next = self.takes.val();

        self.source.data.next = self.data.q.val();
        self.source.keep.next = self.keep.q.val();
        self.source.last.next = self.last.q.val();
        self.source.error.next = self.error.q.val();
        self.source.valid.next = self.valid.q.val();

        if self.advances.val() {
            self.data.d.next = self.memory.read_data.val();
            self.keep.d.next = self.memory.read_keep.val();
            self.last.d.next = self.memory.read_last.val();
            self.error.d.next = self.memory.read_error.val();
            self.valid.d.next = self.fetched.q.val();
        }
        self.fetched.d.next = self.takes.val() | (self.fetched.q.val() & !self.advances.val());

        if self.reset.val() {
            self.fetched.d.next = false;
            self.valid.d.next = false;
        }
    }
}
