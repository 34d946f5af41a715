//! Holds packets while their length and checksum are formed, which the headers in front need.
//!
//! Promise: packets leave whole, in order and unchanged; those above the limit, those that the
//! memory cannot hold and those marked bad vanish whole, and each raises its event. Takes and gives
//! one word a clock; after a packet's last word it takes none for four clocks, which is less than
//! preamble, headers, FCS and gap cost on the wire. The first word leaves eight clocks after the
//! last one came, or two after the packet before.
//!
//! A packet lies in the memory behind one word with its length and sum, which is written last:
//! header and payload cannot lose step, and a dropped packet is forgotten by moving one pointer.
use crate::ip::facts::code;
use crate::ip::span::SpanWord;
use crate::ip::sum::WordSum;
use crate::stream::{EventSource, Memory, StreamSink, StreamSource};
use nicforge_layout::counters;
use rust_hdl::prelude::*;

/// A buffer of 2^`A` words; the longest packet has two words less.
#[derive(LogicBlock)]
pub struct PacketBuffer<const A: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets all packets.
    pub reset: Signal<In, Bit>,
    /// Packets in.
    pub packets: StreamSink<64, 8>,
    /// Longest packet in octets.
    pub limit: Signal<In, Bits<15>>,
    /// The same packets out. Never marked bad.
    pub source: StreamSource<64, 8>,
    /// With every word: octets of the packet.
    pub length: Signal<Out, Bits<16>>,
    /// With every word: one's-complement sum of the packet's big-endian half-words (RFC 1071).
    pub sum: Signal<Out, Bits<16>>,
    /// A packet was taken over or dropped.
    pub event: EventSource,

    memory: Memory<64, A>,
    word_sum: WordSum,
    place: SpanWord<16>,

    // In: the word taken, where it goes, and what is known of the packet so far.
    data: DFF<Bits<64>>,
    keep: DFF<Bits<8>>,
    error: DFF<Bit>,
    first: DFF<Bit>,
    taken: DFF<Bit>,
    address: DFF<Bits<A>>,
    stores: DFF<Bit>,
    base: DFF<Bits<A>>,
    write: DFF<Bits<A>>,
    begins: DFF<Bit>,
    octets: DFF<Bits<16>>,
    too_long: DFF<Bit>,
    discards: DFF<Bit>,
    closing: DFF<Bits<3>>,
    folded: DFF<Bits<17>>,
    happens: DFF<Bit>,
    happening: DFF<Bits<6>>,

    // Out: a word or a packet's header in the memory's output register, then the word that leaves.
    read: DFF<Bits<A>>,
    fetched: DFF<Bit>,
    is_header: DFF<Bit>,
    is_first: DFF<Bit>,
    left: DFF<Bits<16>>,
    out_data: DFF<Bits<64>>,
    out_keep: DFF<Bits<8>>,
    out_last: DFF<Bit>,
    out_valid: DFF<Bit>,
    out_length: DFF<Bits<16>>,
    out_sum: DFF<Bits<16>>,

    room: Signal<Local, Bit>,
    alone: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    oversize: Signal<Local, Bit>,
    commits: Signal<Local, Bit>,
    count: Signal<Local, Bits<4>>,
    low: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<14>>,
    total: Signal<Local, Bits<16>>,
    fetches: Signal<Local, Bit>,
    advances: Signal<Local, Bit>,
    octets_left: Signal<Local, Bits<16>>,

    good_code: Constant<Bits<6>>,
    oversize_code: Constant<Bits<6>>,
    error_code: Constant<Bits<6>>,
}

impl<const A: usize> Default for PacketBuffer<A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            packets: Default::default(),
            limit: Default::default(),
            source: Default::default(),
            length: Default::default(),
            sum: Default::default(),
            event: Default::default(),
            memory: Default::default(),
            word_sum: Default::default(),
            place: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            error: Default::default(),
            first: Default::default(),
            taken: Default::default(),
            address: Default::default(),
            stores: Default::default(),
            base: Default::default(),
            write: Default::default(),
            begins: Default::default(),
            octets: Default::default(),
            too_long: Default::default(),
            discards: Default::default(),
            closing: Default::default(),
            folded: Default::default(),
            happens: Default::default(),
            happening: Default::default(),
            read: Default::default(),
            fetched: Default::default(),
            is_header: Default::default(),
            is_first: Default::default(),
            left: Default::default(),
            out_data: Default::default(),
            out_keep: Default::default(),
            out_last: Default::default(),
            out_valid: Default::default(),
            out_length: Default::default(),
            out_sum: Default::default(),
            room: Default::default(),
            alone: Default::default(),
            accepts: Default::default(),
            moves: Default::default(),
            closes: Default::default(),
            oversize: Default::default(),
            commits: Default::default(),
            count: Default::default(),
            low: Default::default(),
            high: Default::default(),
            total: Default::default(),
            fetches: Default::default(),
            advances: Default::default(),
            octets_left: Default::default(),
            good_code: code(counters::UDP_TX_GOOD),
            oversize_code: code(counters::UDP_TX_OVERSIZE),
            error_code: code(counters::UDP_TX_ERROR),
        }
    }
}

impl<const A: usize> Logic for PacketBuffer<A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: packet_buffer Packets with their length and sum");
        dff_setup!(self, clock, data, keep, error, first, taken, address, stores, base, write);
        dff_setup!(self, clock, begins, octets, too_long, discards, closing, folded);
        dff_setup!(self, clock, happens, happening);
        dff_setup!(self, clock, read, fetched, is_header, is_first, left);
        dff_setup!(self, clock, out_data, out_keep, out_last, out_valid, out_length, out_sum);
        clock!(self, clock, memory, word_sum);

        // One place stays free behind the packet, so that `base` meets `read` only when all is read.
        self.room.next =
            (self.write.q.val() != self.read.q.val()) & ((self.write.q.val() + 1) != self.read.q.val());
        self.alone.next = self.base.q.val() == self.read.q.val();
        self.accepts.next = self.closing.q.val() == 0;
        self.packets.ready.next = self.accepts.val() & (self.room.val() | self.discards.q.val());
        self.moves.next =
            self.packets.valid.val() & self.accepts.val() & (self.room.val() | self.discards.q.val());

        self.data.d.next = self.packets.data.val();
        self.keep.d.next = self.packets.keep.val();
        self.first.d.next = self.begins.q.val();
        self.address.d.next = self.write.q.val();
        self.taken.d.next = self.moves.val();
        self.stores.d.next = self.moves.val() & !self.discards.q.val();
        if self.moves.val() {
            self.begins.d.next = self.packets.last.val();
            if !self.discards.q.val() {
                self.write.d.next = self.write.q.val() + 1;
            }
            if self.packets.last.val() {
                self.error.d.next = self.packets.error.val();
                self.closing.d.next = 1.into();
            }
        }

        // Length and sum follow one and three cycles behind.
        match self.keep.q.val().index() {
            0x01 => self.count.next = 1.into(),
            0x03 => self.count.next = 2.into(),
            0x07 => self.count.next = 3.into(),
            0x0f => self.count.next = 4.into(),
            0x1f => self.count.next = 5.into(),
            0x3f => self.count.next = 6.into(),
            0x7f => self.count.next = 7.into(),
            _ => self.count.next = 8.into(),
        }
        if self.taken.q.val() & !self.discards.q.val() {
            self.octets.d.next = self.octets.q.val() + bit_cast::<16, 4>(self.count.val());
        }
        self.too_long.d.next = self.octets.q.val() > bit_cast::<16, 15>(self.limit.val());
        self.word_sum.data.next = self.data.q.val();
        self.word_sum.mask.next = self.keep.q.val();
        self.word_sum.twice.next = false;
        self.word_sum.first.next = self.first.q.val();
        self.word_sum.seed.next = 0.into();
        self.word_sum.valid.next = self.taken.q.val();
        self.low.next = self.word_sum.total.val().get_bits::<16>(0);
        self.high.next = self.word_sum.total.val().get_bits::<14>(16);
        self.folded.d.next = bit_cast::<17, 16>(self.low.val()) + bit_cast::<17, 14>(self.high.val());
        self.total.next =
            self.folded.q.val().get_bits::<16>(0) + bit_cast::<16, 1>(self.folded.q.val().get_bits::<1>(16));

        // A packet that fills the memory alone would wait for ever.
        if self.accepts.val()
            & !self.begins.q.val()
            & (self.too_long.q.val() | (!self.room.val() & self.alone.val()))
        {
            self.discards.d.next = true;
        }

        self.closes.next = self.closing.q.val() == 4;
        self.oversize.next = self.discards.q.val() | self.too_long.q.val();
        self.commits.next = self.closes.val() & !self.oversize.val() & !self.error.q.val();
        if self.closing.q.val().any() {
            self.closing.d.next = self.closing.q.val() + 1;
        }
        self.happens.d.next = self.closes.val();
        self.happening.d.next = self.good_code.val();
        if self.error.q.val() {
            self.happening.d.next = self.error_code.val();
        }
        if self.oversize.val() {
            self.happening.d.next = self.oversize_code.val();
        }
        if self.closes.val() {
            self.closing.d.next = 0.into();
            self.discards.d.next = false;
            self.octets.d.next = 0.into();
            self.write.d.next = self.base.q.val() + 1;
        }
        if self.commits.val() {
            self.base.d.next = self.write.q.val();
            self.write.d.next = self.write.q.val() + 1;
        }
        self.event.valid.next = self.happens.q.val();
        self.event.code.next = self.happening.q.val();

        self.memory.write_enable.next = self.stores.q.val() | self.commits.val();
        self.memory.write_address.next = self.address.q.val();
        self.memory.write_data.next = self.data.q.val();
        if self.commits.val() {
            self.memory.write_address.next = self.base.q.val();
            self.memory.write_data.next = (bit_cast::<64, 8>(self.total.val().get_bits::<8>(0)) << 24)
                | (bit_cast::<64, 8>(self.total.val().get_bits::<8>(8)) << 16)
                | bit_cast::<64, 16>(self.octets.q.val());
        }

        // Headers and words are fetched one after the other as they lie; a header leaves as one
        // empty place, which is when length and sum change.
        self.advances.next = !self.out_valid.q.val() | self.source.ready.val();
        self.fetches.next =
            (self.base.q.val() != self.read.q.val()) & (!self.fetched.q.val() | self.advances.val());
        self.memory.read_enable.next = self.fetches.val();
        self.memory.read_address.next = self.read.q.val();
        if self.fetches.val() {
            self.read.d.next = self.read.q.val() + 1;
        }
        self.fetched.d.next = self.fetches.val() | (self.fetched.q.val() & !self.advances.val());

        self.octets_left.next = self.left.q.val();
        if self.is_first.q.val() {
            self.octets_left.next = self.out_length.q.val();
        }
        self.place.left.next = self.octets_left.val();
        if self.fetched.q.val() & self.advances.val() {
            self.is_first.d.next = self.is_header.q.val();
            if self.is_header.q.val() {
                self.is_header.d.next = false;
                self.out_length.d.next = self.memory.read_data.val().get_bits::<16>(0);
                self.out_sum.d.next = self.memory.read_data.val().get_bits::<16>(16);
            } else {
                self.is_header.d.next = !self.place.goes_on.val();
                self.left.d.next = self.place.rest.val();
            }
        }
        if self.advances.val() {
            self.out_valid.d.next = self.fetched.q.val() & !self.is_header.q.val();
            self.out_data.d.next = self.memory.read_data.val();
            self.out_keep.d.next = self.place.mask.val();
            self.out_last.d.next = !self.place.goes_on.val();
        }

        self.source.data.next = self.out_data.q.val();
        self.source.keep.next = self.out_keep.q.val();
        self.source.last.next = self.out_last.q.val();
        self.source.error.next = false;
        self.source.valid.next = self.out_valid.q.val();
        self.length.next = self.out_length.q.val();
        self.sum.next = self.out_sum.q.val();

        if self.reset.val() {
            self.base.d.next = 0.into();
            self.write.d.next = 1.into();
            self.read.d.next = 0.into();
            self.begins.d.next = true;
            self.octets.d.next = 0.into();
            self.taken.d.next = false;
            self.stores.d.next = false;
            self.discards.d.next = false;
            self.closing.d.next = 0.into();
            self.happens.d.next = false;
            self.fetched.d.next = false;
            self.is_header.d.next = true;
            self.is_first.d.next = false;
            self.out_valid.d.next = false;
        }
    }
}
