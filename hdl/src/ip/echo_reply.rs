//! Answers ICMP echo requests (RFC 792, RFC 1122 section 3.2.2.6).
//!
//! Promise: identifier, sequence number and data go back unchanged in an atomic datagram of
//! TTL 64, without the request's Ethernet padding. A request that ends while the reply before is
//! still leaving is dropped and counted. The first word is valid eleven clocks after the request.
//!
//! Every frame is recorded, since only its end tells whether it has to be answered. There are two
//! banks of 2048 octets: one holds the frame that waits for its verdict or is being answered, the
//! other takes the frames behind it.
use crate::ip::facts::{code, number, octet, wire16};
use crate::ip::span::Span;
use crate::stream::{EventSource, FlowSink, Memory, StreamSource};
use nicforge_layout::counters;
use nicforge_layout::wire::{ethernet, ipv4};
use rust_hdl::prelude::*;

/// Records frames and writes echo replies.
#[derive(LogicBlock)]
pub struct EchoReply {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets a reply under way.
    pub reset: Signal<In, Bit>,
    /// The frames that `Receive` judges.
    pub frames: FlowSink<64, 8>,
    /// High for one cycle, after the frame's last word and at the latest with the eighth word of
    /// the next frame: answer it.
    pub echo_request: Signal<In, Bit>,
    /// With `echo_request`: who asks. Octet 0 in bits 7..0.
    pub sender_mac: Signal<In, Bits<48>>,
    /// With `echo_request`: its address. Octet 0 in bits 31..24.
    pub sender_ip: Signal<In, Bits<32>>,
    /// Own MAC address, octet 0 in bits 7..0.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own IPv4 address, octet 0 in bits 31..24.
    pub own_ip: Signal<In, Bits<32>>,
    /// The reply, from DA to the end of the datagram.
    pub reply: StreamSource<64, 8>,
    /// A request was dropped.
    pub busy_event: EventSource,

    memory: Memory<64, 9>,
    span: Span<16>,

    // Recording.
    bank: DFF<Bit>,
    record_place: DFF<Bits<9>>,
    ended_bank: DFF<Bit>,
    ended_kept: DFF<Bit>,

    // Replying: first what the header needs is fetched and summed, then the words go out.
    busy: DFF<Bit>,
    step: DFF<Bits<3>>,
    runs: DFF<Bit>,
    read_bank: DFF<Bit>,
    read_place: DFF<Bits<8>>,
    fetched: DFF<Bit>,
    place: DFF<Bits<3>>,
    target_mac: DFF<Bits<48>>,
    target_ip: DFF<Bits<32>>,
    total_length: DFF<Bits<16>>,
    old_checksum: DFF<Bits<16>>,
    addresses: DFF<Bits<18>>,
    header_sum: DFF<Bits<19>>,
    header_folded: DFF<Bits<17>>,
    header_checksum: DFF<Bits<16>>,
    adjusted: DFF<Bits<17>>,
    new_checksum: DFF<Bits<16>>,
    old: DFF<Bits<64>>,
    valid: DFF<Bit>,
    dropped: DFF<Bit>,

    records: Signal<Local, Bit>,
    good_end: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    advances: Signal<Local, Bit>,
    own: Signal<Local, Bits<32>>,
    target: Signal<Local, Bits<32>>,
    fetch_place: Signal<Local, Bits<8>>,
    read_data: Signal<Local, Bits<64>>,
    word: Signal<Local, Bits<64>>,
    taken: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,

    frame_type: Constant<Bits<16>>,
    version: Constant<Bits<8>>,
    flags: Constant<Bits<16>>,
    ttl: Constant<Bits<8>>,
    protocol: Constant<Bits<8>>,
    fixed_fields: Constant<Bits<16>>,
    frame_header: Constant<Bits<16>>,
    busy_code: Constant<Bits<6>>,
}

impl Default for EchoReply {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frames: Default::default(),
            echo_request: Default::default(),
            sender_mac: Default::default(),
            sender_ip: Default::default(),
            own_mac: Default::default(),
            own_ip: Default::default(),
            reply: Default::default(),
            busy_event: Default::default(),
            memory: Default::default(),
            span: Default::default(),
            bank: Default::default(),
            record_place: Default::default(),
            ended_bank: Default::default(),
            ended_kept: Default::default(),
            busy: Default::default(),
            step: Default::default(),
            runs: Default::default(),
            read_bank: Default::default(),
            read_place: Default::default(),
            fetched: Default::default(),
            place: Default::default(),
            target_mac: Default::default(),
            target_ip: Default::default(),
            total_length: Default::default(),
            old_checksum: Default::default(),
            addresses: Default::default(),
            header_sum: Default::default(),
            header_folded: Default::default(),
            header_checksum: Default::default(),
            adjusted: Default::default(),
            new_checksum: Default::default(),
            old: Default::default(),
            valid: Default::default(),
            dropped: Default::default(),
            records: Default::default(),
            good_end: Default::default(),
            starts: Default::default(),
            advances: Default::default(),
            own: Default::default(),
            target: Default::default(),
            fetch_place: Default::default(),
            read_data: Default::default(),
            word: Default::default(),
            taken: Default::default(),
            ends: Default::default(),
            frame_type: wire16(ethernet::TYPE_IPV4),
            version: octet(ipv4::VERSION_IHL),
            flags: wire16(ipv4::FLAGS_DF),
            ttl: octet(ipv4::DEFAULT_TTL),
            protocol: octet(ipv4::PROTOCOL_ICMP),
            fixed_fields: number(fixed_fields()),
            frame_header: number(ethernet::HEADER_OCTETS),
            busy_code: code(counters::ICMP_BUSY),
        }
    }
}

/// Sum of the header's half-words that are the same in every reply.
fn fixed_fields() -> usize {
    let first = u16::from_be_bytes([ipv4::VERSION_IHL, 0]);
    let ninth = u16::from_be_bytes([ipv4::DEFAULT_TTL, ipv4::PROTOCOL_ICMP]);
    usize::from(first) + usize::from(ipv4::FLAGS_DF) + usize::from(ninth)
}

impl Logic for EchoReply {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: echo_reply ICMP echo replies");
        dff_setup!(self, clock, bank, record_place, ended_bank, ended_kept);
        dff_setup!(self, clock, busy, step, runs, read_bank, read_place, fetched, place);
        dff_setup!(self, clock, target_mac, target_ip, total_length, old_checksum, addresses);
        dff_setup!(self, clock, header_sum, header_folded, header_checksum, adjusted, new_checksum);
        dff_setup!(self, clock, old, valid, dropped);
        clock!(self, clock, memory, span);

        // Recording goes on in the other bank as soon as a frame may have to be answered. While a
        // reply leaves there is no other bank, and what ends then is lost.
        self.records.next = self.frames.valid.val() & !self.record_place.q.val().get_bit(8);
        self.good_end.next = self.frames.valid.val() & self.frames.last.val() & !self.frames.error.val();
        self.memory.write_enable.next = self.records.val();
        self.memory.write_address.next = (bit_cast::<9, 1>(self.bank.q.val().into()) << 8)
            | bit_cast::<9, 8>(self.record_place.q.val().get_bits::<8>(0));
        self.memory.write_data.next = self.frames.data.val();
        if self.records.val() {
            self.record_place.d.next = self.record_place.q.val() + 1;
        }
        if self.frames.valid.val() & self.frames.last.val() {
            self.record_place.d.next = 0.into();
        }
        if self.good_end.val() {
            self.ended_kept.d.next = !self.busy.q.val();
            if !self.busy.q.val() {
                self.ended_bank.d.next = self.bank.q.val();
                self.bank.d.next = !self.bank.q.val();
            }
        }

        self.starts.next = self.echo_request.val() & self.ended_kept.q.val();
        self.dropped.d.next = self.echo_request.val() & !self.ended_kept.q.val();
        self.busy_event.valid.next = self.dropped.q.val();
        self.busy_event.code.next = self.busy_code.val();

        // Total length and checksum stand in words 2 and 4 of the request; the rest follows from
        // registers, each a cycle behind the one before.
        self.read_data.next = self.memory.read_data.val();
        if self.step.q.val() == 1 {
            self.total_length.d.next = (bit_cast::<16, 8>(self.read_data.val().get_bits::<8>(0)) << 8)
                | bit_cast::<16, 8>(self.read_data.val().get_bits::<8>(8));
        }
        if self.step.q.val() == 2 {
            self.old_checksum.d.next = (bit_cast::<16, 8>(self.read_data.val().get_bits::<8>(32)) << 8)
                | bit_cast::<16, 8>(self.read_data.val().get_bits::<8>(40));
        }
        self.own.next = (bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(24));
        self.target.next = (bit_cast::<32, 8>(self.target_ip.q.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.target_ip.q.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.target_ip.q.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.target_ip.q.val().get_bits::<8>(24));
        self.addresses.d.next = (bit_cast::<18, 16>(self.own_ip.val().get_bits::<16>(16))
            + bit_cast::<18, 16>(self.own_ip.val().get_bits::<16>(0)))
            + (bit_cast::<18, 16>(self.target_ip.q.val().get_bits::<16>(16))
                + bit_cast::<18, 16>(self.target_ip.q.val().get_bits::<16>(0)));
        self.header_sum.d.next = bit_cast::<19, 18>(self.addresses.q.val())
            + (bit_cast::<19, 16>(self.total_length.q.val()) + bit_cast::<19, 16>(self.fixed_fields.val()));
        self.header_folded.d.next = bit_cast::<17, 16>(self.header_sum.q.val().get_bits::<16>(0))
            + bit_cast::<17, 3>(self.header_sum.q.val().get_bits::<3>(16));
        self.header_checksum.d.next = !(self.header_folded.q.val().get_bits::<16>(0)
            + bit_cast::<16, 1>(self.header_folded.q.val().get_bits::<1>(16)));
        // Type 8 becomes 0, so the checksum grows by 0x0800, carry going round. RFC 1624 would
        // make 0x0000 of 0xf7ff, which is wrong where all other octets are 0; 0xffff never is.
        self.adjusted.d.next = bit_cast::<17, 16>(self.old_checksum.q.val()) + 0x0800;
        self.new_checksum.d.next = self.adjusted.q.val().get_bits::<16>(0)
            + bit_cast::<16, 1>(self.adjusted.q.val().get_bits::<1>(16));

        self.advances.next = !self.valid.q.val() | self.reply.ready.val();
        self.taken.next = self.valid.q.val() & self.reply.ready.val();
        self.ends.next = !self.span.goes_on.val();
        self.fetch_place.next = self.read_place.q.val();
        if !self.runs.q.val() {
            self.fetch_place.next = 2.into();
            if self.step.q.val().any() {
                self.fetch_place.next = 4.into();
            }
        }
        self.memory.read_enable.next = self.advances.val() | !self.runs.q.val();
        self.memory.read_address.next =
            (bit_cast::<9, 1>(self.read_bank.q.val().into()) << 8) | bit_cast::<9, 8>(self.fetch_place.val());
        self.span.load.next = !self.runs.q.val();
        self.span.count.next = self.total_length.q.val() + self.frame_header.val();
        self.span.step.next = self.taken.val();

        match self.place.q.val().index() {
            0 => {
                self.word.next = (bit_cast::<64, 16>(self.own_mac.val().get_bits::<16>(0)) << 48)
                    | bit_cast::<64, 48>(self.target_mac.q.val());
            }
            1 => {
                self.word.next = (bit_cast::<64, 8>(self.version.val()) << 48)
                    | (bit_cast::<64, 16>(self.frame_type.val()) << 32)
                    | bit_cast::<64, 32>(self.own_mac.val().get_bits::<32>(16));
            }
            2 => {
                self.word.next = (bit_cast::<64, 8>(self.protocol.val()) << 56)
                    | (bit_cast::<64, 8>(self.ttl.val()) << 48)
                    | (bit_cast::<64, 16>(self.flags.val()) << 32)
                    | bit_cast::<64, 16>(self.old.q.val().get_bits::<16>(0));
            }
            3 => {
                self.word.next = (bit_cast::<64, 16>(self.target.val().get_bits::<16>(0)) << 48)
                    | (bit_cast::<64, 32>(self.own.val()) << 16)
                    | (bit_cast::<64, 8>(self.header_checksum.q.val().get_bits::<8>(0)) << 8)
                    | bit_cast::<64, 8>(self.header_checksum.q.val().get_bits::<8>(8));
            }
            4 => {
                self.word.next = (bit_cast::<64, 16>(self.old.q.val().get_bits::<16>(48)) << 48)
                    | (bit_cast::<64, 8>(self.new_checksum.q.val().get_bits::<8>(0)) << 40)
                    | (bit_cast::<64, 8>(self.new_checksum.q.val().get_bits::<8>(8)) << 32)
                    | bit_cast::<64, 16>(self.target.val().get_bits::<16>(16));
            }
            _ => {
                self.word.next = self.old.q.val();
            }
        }

        if self.busy.q.val() & !self.runs.q.val() {
            self.step.d.next = self.step.q.val() + 1;
            self.runs.d.next = self.step.q.val().all();
        }
        if self.advances.val() {
            self.valid.d.next = self.fetched.q.val();
            self.old.d.next = self.read_data.val();
            self.fetched.d.next = self.runs.q.val();
            if self.runs.q.val() {
                self.read_place.d.next = self.read_place.q.val() + 1;
            }
        }
        if self.taken.val() {
            if self.place.q.val() < 5 {
                self.place.d.next = self.place.q.val() + 1;
            }
            if self.ends.val() {
                self.busy.d.next = false;
                self.runs.d.next = false;
                self.fetched.d.next = false;
                self.valid.d.next = false;
            }
        }
        if self.starts.val() {
            self.busy.d.next = true;
            self.step.d.next = 0.into();
            self.read_bank.d.next = self.ended_bank.q.val();
            self.read_place.d.next = 0.into();
            self.place.d.next = 0.into();
            self.target_mac.d.next = self.sender_mac.val();
            self.target_ip.d.next = self.sender_ip.val();
        }

        self.reply.data.next = self.word.val();
        self.reply.keep.next = self.span.mask.val();
        self.reply.last.next = self.ends.val();
        self.reply.error.next = false;
        self.reply.valid.next = self.valid.q.val();

        if self.reset.val() {
            self.record_place.d.next = 0.into();
            self.ended_kept.d.next = false;
            self.busy.d.next = false;
            self.runs.d.next = false;
            self.fetched.d.next = false;
            self.valid.d.next = false;
            self.dropped.d.next = false;
        }
    }
}
