//! Memories that synthesis maps to block RAM, or to LUT RAM where they are small.
//!
//! All have one write port and one read port; only [`CrossingMemory`] has a clock for each. The word read appears one cycle after
//! `read_enable` and stays until the next one. Reading the word that is being written in the same
//! cycle gives nothing to rely on: that is what lets synthesis use a block RAM as it is, without
//! logic around it that would make up a defined answer.
use crate::stream::FlowSink;
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// A memory of 2^`A` words of `D` bits. Its contents are undefined after power-up.
#[derive(LogicBlock, Default)]
pub struct Memory<const D: usize, const A: usize> {
    /// The one clock of both ports.
    pub clock: Signal<In, Clock>,
    /// Store `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Where to store.
    pub write_address: Signal<In, Bits<A>>,
    /// What to store.
    pub write_data: Signal<In, Bits<D>>,
    /// Fetch the word at `read_address`; otherwise `read_data` stays.
    pub read_enable: Signal<In, Bit>,
    /// What to fetch.
    pub read_address: Signal<In, Bits<A>>,
    /// The word fetched last, from the cycle after its `read_enable`.
    pub read_data: Signal<Out, Bits<D>>,

    _words: BTreeMap<Bits<A>, Bits<D>>,
}

impl<const D: usize, const A: usize> Logic for Memory<D, A> {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        if self.read_enable.val() {
            self.read_data.next = self._words.get(&self.read_address.val()).copied().unwrap_or_default();
        }
        if self.write_enable.val() {
            self._words.insert(self.write_address.val(), self.write_data.val());
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "\
// module: memory_{words}x{D} - block RAM, one write and one read port
(* no_rw_check *)
reg [{top}:0] words [0:{last}];

always @(posedge clock) begin
    if (write_enable) begin
        words[write_address] <= write_data;
    end
end

always @(posedge clock) begin
    if (read_enable) begin
        read_data <= words[read_address];
    end
end
",
            words = 1u64 << A,
            top = D - 1,
            last = (1u64 << A) - 1,
        ))
    }
}

/// A memory of 2^`A` words of `D` bits with a clock for each port.
#[derive(LogicBlock, Default)]
pub struct CrossingMemory<const D: usize, const A: usize> {
    /// Clock of the write port.
    pub write_clock: Signal<In, Clock>,
    /// Store `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Where to store.
    pub write_address: Signal<In, Bits<A>>,
    /// What to store.
    pub write_data: Signal<In, Bits<D>>,
    /// Clock of the read port.
    pub read_clock: Signal<In, Clock>,
    /// Fetch the word at `read_address`; otherwise `read_data` stays.
    pub read_enable: Signal<In, Bit>,
    /// What to fetch; never a word that is being written.
    pub read_address: Signal<In, Bits<A>>,
    /// The word fetched last.
    pub read_data: Signal<Out, Bits<D>>,

    _words: BTreeMap<Bits<A>, Bits<D>>,
}

impl<const D: usize, const A: usize> Logic for CrossingMemory<D, A> {
    fn update(&mut self) {
        if self.read_clock.pos_edge() && self.read_enable.val() {
            self.read_data.next = self._words.get(&self.read_address.val()).copied().unwrap_or_default();
        }
        if self.write_clock.pos_edge() && self.write_enable.val() {
            self._words.insert(self.write_address.val(), self.write_data.val());
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "\
// module: crossing_memory_{words}x{D} - RAM with a write clock and a read clock
(* no_rw_check *)
reg [{top}:0] words [0:{last}];

always @(posedge write_clock) begin
    if (write_enable) begin
        words[write_address] <= write_data;
    end
end

always @(posedge read_clock) begin
    if (read_enable) begin
        read_data <= words[read_address];
    end
end
",
            words = 1u64 << A,
            top = D - 1,
            last = (1u64 << A) - 1,
        ))
    }
}

/// A memory of 2^`A` stream words, kept side by side with what goes with them.
#[derive(LogicBlock, Default)]
pub struct StreamMemory<const W: usize, const K: usize, const A: usize> {
    /// The one clock of both ports.
    pub clock: Signal<In, Clock>,
    /// `valid` stores the word at `write_address`.
    pub word: FlowSink<W, K>,
    /// Where to store.
    pub write_address: Signal<In, Bits<A>>,
    /// Fetch the word at `read_address`; otherwise the word read stays.
    pub read_enable: Signal<In, Bit>,
    /// What to fetch.
    pub read_address: Signal<In, Bits<A>>,
    /// The word fetched last.
    pub read_data: Signal<Out, Bits<W>>,
    /// Its octets.
    pub read_keep: Signal<Out, Bits<K>>,
    /// It ends a packet.
    pub read_last: Signal<Out, Bit>,
    /// The packet it ends is bad.
    pub read_error: Signal<Out, Bit>,

    _words: BTreeMap<Bits<A>, (Bits<W>, Bits<K>, Bit, Bit)>,
}

impl<const W: usize, const K: usize, const A: usize> Logic for StreamMemory<W, K, A> {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        if self.read_enable.val() {
            let (data, keep, last, error) =
                self._words.get(&self.read_address.val()).copied().unwrap_or_default();
            self.read_data.next = data;
            self.read_keep.next = keep;
            self.read_last.next = last;
            self.read_error.next = error;
        }
        if self.word.valid.val() {
            let word =
                (self.word.data.val(), self.word.keep.val(), self.word.last.val(), self.word.error.val());
            self._words.insert(self.write_address.val(), word);
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
        self.read_keep.connect();
        self.read_last.connect();
        self.read_error.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "\
// module: stream_memory_{words}x{W} - stream words in block RAM
(* no_rw_check *)
reg [{top}:0] words [0:{last}];

always @(posedge clock) begin
    if (word$valid) begin
        words[write_address] <= {{word$error, word$last, word$keep, word$data}};
    end
end

always @(posedge clock) begin
    if (read_enable) begin
        {{read_error, read_last, read_keep, read_data}} <= words[read_address];
    end
end
",
            words = 1u64 << A,
            top = W + K + 1,
            last = (1u64 << A) - 1,
        ))
    }
}
