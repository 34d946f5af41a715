//! A register slice: cuts every path of a stream, in both directions.
//!
//! Promise: the words that go in come out, in order, one cycle later at the earliest, one word a
//! clock. `ready` is a register, so chains of blocks do not add up to one long path.
use crate::stream::{StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Two words deep: one at the output, and a spare one for the word that arrives in the cycle in
/// which the output stops, since `ready` tells the producer of that only a cycle later.
#[derive(LogicBlock, Default)]
pub struct Slice<const W: usize, const K: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets both words.
    pub reset: Signal<In, Bit>,
    /// Words in.
    pub sink: StreamSink<W, K>,
    /// The same words out.
    pub source: StreamSource<W, K>,

    data: DFF<Bits<W>>,
    keep: DFF<Bits<K>>,
    last: DFF<Bit>,
    error: DFF<Bit>,
    valid: DFF<Bit>,
    spare_data: DFF<Bits<W>>,
    spare_keep: DFF<Bits<K>>,
    spare_last: DFF<Bit>,
    spare_error: DFF<Bit>,
    spare_valid: DFF<Bit>,
    advances: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize> Logic for Slice<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: slice - register slice");
        dff_setup!(self, clock, data, keep, last, error, valid);
        dff_setup!(self, clock, spare_data, spare_keep, spare_last, spare_error, spare_valid);

        self.source.data.next = self.data.q.val();
        self.source.keep.next = self.keep.q.val();
        self.source.last.next = self.last.q.val();
        self.source.error.next = self.error.q.val();
        self.source.valid.next = self.valid.q.val();
        self.sink.ready.next = !self.spare_valid.q.val();
        self.advances.next = !self.valid.q.val() | self.source.ready.val();

        // The spare place is written whenever it is free: what lands there counts only if the
        // output did not advance.
        if !self.spare_valid.q.val() {
            self.spare_data.d.next = self.sink.data.val();
            self.spare_keep.d.next = self.sink.keep.val();
            self.spare_last.d.next = self.sink.last.val();
            self.spare_error.d.next = self.sink.error.val();
        }
        if self.advances.val() {
            if self.spare_valid.q.val() {
                self.data.d.next = self.spare_data.q.val();
                self.keep.d.next = self.spare_keep.q.val();
                self.last.d.next = self.spare_last.q.val();
                self.error.d.next = self.spare_error.q.val();
            } else {
                self.data.d.next = self.sink.data.val();
                self.keep.d.next = self.sink.keep.val();
                self.last.d.next = self.sink.last.val();
                self.error.d.next = self.sink.error.val();
            }
            self.valid.d.next = self.sink.valid.val() | self.spare_valid.q.val();
            self.spare_valid.d.next = false;
        } else {
            self.spare_valid.d.next = self.sink.valid.val() | self.spare_valid.q.val();
        }

        if self.reset.val() {
            self.valid.d.next = false;
            self.spare_valid.d.next = false;
        }
    }
}
