//! The receive side of the card above the MAC: ARP, IPv4, ICMP and UDP in one pass.
//!
//! Every field is checked where it stands in the frame, and the payload is shifted once. Promise:
//! each frame that ends without `error` raises exactly one verdict, that of the first test it
//! fails in the order of `nicforge_layout::counters`, five clocks after its last word. A header
//! that fails never delivers payload; a fault known only at the end ends the payload with `error`.
//! Payload words leave three clocks after the frame word that completes them, the last one with
//! the verdict. One word a clock, gaps anywhere, and no gap needed between frames.
use crate::ip::arp_fields::ArpFields;
use crate::ip::extract::Extract;
use crate::ip::facts::wire16;
use crate::ip::ipv4_fields::Ipv4Fields;
use crate::ip::sender::Sender;
use crate::ip::sum::WordSum;
use crate::ip::transport_fields::TransportFields;
use crate::ip::verdict::Verdict;
use crate::stream::{EventSource, FlowSink, FlowSource};
use nicforge_layout::wire::ethernet;
use rust_hdl::prelude::*;

/// Reads frames for the own or the broadcast MAC address. A frame without `error` has at least 60
/// octets: the MAC marks shorter ones.
#[derive(LogicBlock)]
pub struct Receive {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Frames from DA to the end of the data, without FCS.
    pub frames: FlowSink<64, 8>,
    /// Beside every word: the frame's DA is the broadcast address.
    pub broadcast: Signal<In, Bit>,
    /// Own MAC address, octet 0 in bits 7..0.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own IPv4 address, octet 0 in bits 31..24.
    pub own_ip: Signal<In, Bits<32>>,
    /// Mask of the own subnet, octet 0 in bits 31..24.
    pub netmask: Signal<In, Bits<32>>,
    /// UDP destination port that is delivered; 0 delivers none.
    pub udp_port: Signal<In, Bits<16>>,
    /// UDP payload, first octet in octet 0. An empty datagram gives no word.
    pub payload: FlowSource<64, 8>,
    /// With the verdict: an ARP request for the own address.
    pub arp_request: Signal<Out, Bit>,
    /// With the verdict: an echo request that has to be answered.
    pub echo_request: Signal<Out, Bit>,
    /// Who sent the frame of the verdict: SHA for ARP, else SA. Octet 0 in bits 7..0; stable until the next frame's end.
    pub sender_mac: Signal<Out, Bits<48>>,
    /// Its address: SPA for ARP, else the IPv4 source. Octet 0 in bits 31..24; as stable.
    pub sender_ip: Signal<Out, Bits<32>>,
    /// The verdict.
    pub verdict: EventSource,

    arp: ArpFields,
    ipv4: Ipv4Fields,
    transport: TransportFields,
    sender: Sender,
    header_sum: WordSum,
    content_sum: WordSum,
    judge: Verdict,
    extract: Extract,

    // First stage: the word as it came, with its number.
    data: DFF<Bits<64>>,
    keep: DFF<Bits<8>>,
    last: DFF<Bit>,
    error: DFF<Bit>,
    to_all: DFF<Bit>,
    valid: DFF<Bit>,
    place: DFF<Bits<3>>,
    next_place: DFF<Bits<3>>,
    is_ipv4: DFF<Bit>,
    is_arp: DFF<Bit>,
    is_tagged: DFF<Bit>,

    // Second stage: the word beside what its fields say.
    read_data: DFF<Bits<64>>,
    read_valid: DFF<Bit>,
    read_last: DFF<Bit>,
    read_error: DFF<Bit>,
    read_to_all: DFF<Bit>,
    read_long: DFF<Bit>,
    read_payload: DFF<Bit>,
    header_mask: DFF<Bits<8>>,
    header_first: DFF<Bit>,
    content_mask: DFF<Bits<8>>,
    content_first: DFF<Bit>,
    content_twice: DFF<Bit>,
    content_seed: DFF<Bits<16>>,
    fills: DFF<Bit>,
    ends_word: DFF<Bit>,

    own: Signal<Local, Bits<32>>,
    subnet: Signal<Local, Bits<32>>,
    subnet_broadcast: Signal<Local, Bits<32>>,
    frame_type: Signal<Local, Bits<16>>,
    ends: Signal<Local, Bit>,

    type_ipv4: Constant<Bits<16>>,
    type_arp: Constant<Bits<16>>,
    type_vlan: Constant<Bits<16>>,
    type_qinq: Constant<Bits<16>>,
}

impl Default for Receive {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frames: Default::default(),
            broadcast: Default::default(),
            own_mac: Default::default(),
            own_ip: Default::default(),
            netmask: Default::default(),
            udp_port: Default::default(),
            payload: Default::default(),
            arp_request: Default::default(),
            echo_request: Default::default(),
            sender_mac: Default::default(),
            sender_ip: Default::default(),
            verdict: Default::default(),
            arp: Default::default(),
            ipv4: Default::default(),
            transport: Default::default(),
            sender: Default::default(),
            header_sum: Default::default(),
            content_sum: Default::default(),
            judge: Default::default(),
            extract: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            last: Default::default(),
            error: Default::default(),
            to_all: Default::default(),
            valid: Default::default(),
            place: Default::default(),
            next_place: Default::default(),
            is_ipv4: Default::default(),
            is_arp: Default::default(),
            is_tagged: Default::default(),
            read_data: Default::default(),
            read_valid: Default::default(),
            read_last: Default::default(),
            read_error: Default::default(),
            read_to_all: Default::default(),
            read_long: Default::default(),
            read_payload: Default::default(),
            header_mask: Default::default(),
            header_first: Default::default(),
            content_mask: Default::default(),
            content_first: Default::default(),
            content_twice: Default::default(),
            content_seed: Default::default(),
            fills: Default::default(),
            ends_word: Default::default(),
            own: Default::default(),
            subnet: Default::default(),
            subnet_broadcast: Default::default(),
            frame_type: Default::default(),
            ends: Default::default(),
            type_ipv4: wire16(ethernet::TYPE_IPV4),
            type_arp: wire16(ethernet::TYPE_ARP),
            type_vlan: wire16(ethernet::TYPE_VLAN),
            type_qinq: wire16(ethernet::TYPE_QINQ),
        }
    }
}

impl Logic for Receive {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: receive ARP, IPv4, ICMP and UDP receive side");
        dff_setup!(self, clock, data, keep, last, error, to_all, valid, place, next_place);
        dff_setup!(self, clock, is_ipv4, is_arp, is_tagged);
        dff_setup!(self, clock, read_data, read_valid, read_last, read_error, read_to_all);
        dff_setup!(self, clock, read_long, read_payload, header_mask, header_first);
        dff_setup!(self, clock, content_mask, content_first, content_twice, content_seed);
        dff_setup!(self, clock, fills, ends_word);
        clock!(self, clock, arp, ipv4, transport, sender, header_sum, content_sum, judge, extract);
        self.judge.reset.next = self.reset.val();
        self.extract.reset.next = self.reset.val();

        // Addresses as they lie in a word.
        self.own.next = (bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(24));
        self.subnet.next = (bit_cast::<32, 8>(self.netmask.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.netmask.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.netmask.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.netmask.val().get_bits::<8>(24));
        self.subnet_broadcast.next = self.own.val() | !self.subnet.val();

        // First stage.
        self.data.d.next = self.frames.data.val();
        self.keep.d.next = self.frames.keep.val();
        self.last.d.next = self.frames.last.val();
        self.error.d.next = self.frames.error.val();
        self.to_all.d.next = self.broadcast.val();
        self.valid.d.next = self.frames.valid.val();
        self.place.d.next = self.next_place.q.val();
        if self.frames.valid.val() {
            if self.frames.last.val() {
                self.next_place.d.next = 0.into();
            } else if !self.next_place.q.val().all() {
                self.next_place.d.next = self.next_place.q.val() + 1;
            }
        }

        self.frame_type.next = self.data.q.val().get_bits::<16>(32);
        if self.valid.q.val() & (self.place.q.val() == 1) {
            self.is_ipv4.d.next = self.frame_type.val() == self.type_ipv4.val();
            self.is_arp.d.next = self.frame_type.val() == self.type_arp.val();
            self.is_tagged.d.next = (self.frame_type.val() == self.type_vlan.val())
                | (self.frame_type.val() == self.type_qinq.val());
        }

        self.arp.data.next = self.data.q.val();
        self.arp.keep.next = self.keep.q.val();
        self.arp.last.next = self.last.q.val();
        self.arp.valid.next = self.valid.q.val();
        self.arp.place.next = self.place.q.val();
        self.arp.own_mac.next = self.own_mac.val();
        self.arp.own_ip.next = self.own.val();
        self.arp.subnet_broadcast.next = self.subnet_broadcast.val();

        self.ipv4.data.next = self.data.q.val();
        self.ipv4.keep.next = self.keep.q.val();
        self.ipv4.last.next = self.last.q.val();
        self.ipv4.valid.next = self.valid.q.val();
        self.ipv4.place.next = self.place.q.val();
        self.ipv4.own_ip.next = self.own.val();
        self.ipv4.subnet_broadcast.next = self.subnet_broadcast.val();

        self.transport.data.next = self.data.q.val();
        self.transport.valid.next = self.valid.q.val();
        self.transport.place.next = self.place.q.val();
        self.transport.is_udp.next = self.ipv4.is_udp.val();
        self.transport.content_length.next = self.ipv4.content_length.val();
        self.transport.datagram_mask.next = self.ipv4.datagram_mask.val();
        self.transport.port.next = self.udp_port.val();

        // Second stage.
        self.read_data.d.next = self.data.q.val();
        self.read_valid.d.next = self.valid.q.val();
        self.read_last.d.next = self.last.q.val();
        self.read_error.d.next = self.error.q.val();
        self.read_to_all.d.next = self.to_all.q.val();
        self.read_long.d.next = self.place.q.val() >= 4;
        self.read_payload.d.next = self.place.q.val() >= 5;
        self.header_mask.d.next = self.ipv4.header_mask.val();
        self.header_first.d.next = self.place.q.val() == 1;
        self.content_mask.d.next = self.transport.sum_mask.val();
        self.content_first.d.next = self.transport.sum_first.val();
        self.content_twice.d.next = self.transport.sum_twice.val();
        self.content_seed.d.next = self.transport.sum_seed.val();
        self.fills.d.next = self.transport.fills.val();
        self.ends_word.d.next = self.transport.ends_word.val();

        self.header_sum.data.next = self.read_data.q.val();
        self.header_sum.mask.next = self.header_mask.q.val();
        self.header_sum.twice.next = false;
        self.header_sum.first.next = self.header_first.q.val();
        self.header_sum.seed.next = 0.into();
        self.header_sum.valid.next = self.read_valid.q.val();

        self.content_sum.data.next = self.read_data.q.val();
        self.content_sum.mask.next = self.content_mask.q.val();
        self.content_sum.twice.next = self.content_twice.q.val();
        self.content_sum.first.next = self.content_first.q.val();
        self.content_sum.seed.next = self.content_seed.q.val();
        self.content_sum.valid.next = self.read_valid.q.val();

        // A damaged frame too short to have begun to deliver anything leaves no trace.
        self.ends.next = self.read_valid.q.val()
            & self.read_last.q.val()
            & (!self.read_error.q.val() | self.read_long.q.val());

        self.sender.data.next = self.data.q.val();
        self.sender.valid.next = self.valid.q.val();
        self.sender.place.next = self.place.q.val();
        self.sender.is_arp.next = self.is_arp.q.val();
        self.sender.ends.next = self.ends.val() & !self.read_error.q.val();

        self.judge.ends.next = self.ends.val();
        self.judge.error.next = self.read_error.q.val();
        self.judge.broadcast.next = self.read_to_all.q.val();
        self.judge.is_ipv4.next = self.is_ipv4.q.val();
        self.judge.is_arp.next = self.is_arp.q.val();
        self.judge.is_tagged.next = self.is_tagged.q.val();
        self.judge.arp_bad.next = self.arp.bad.val();
        self.judge.arp_not_ours.next = self.arp.not_ours.val();
        self.judge.version_bad.next = self.ipv4.version_bad.val();
        self.judge.header_short.next = self.ipv4.header_short.val();
        self.judge.length_short.next = self.ipv4.length_short.val();
        self.judge.frame_short.next = self.ipv4.frame_short.val();
        self.judge.options.next = self.ipv4.options.val();
        self.judge.source_bad.next = self.ipv4.source_bad.val();
        self.judge.for_us.next = self.ipv4.for_us.val();
        self.judge.for_many.next = self.ipv4.for_many.val();
        self.judge.fragment.next = self.ipv4.fragment.val();
        self.judge.is_icmp.next = self.ipv4.is_icmp.val();
        self.judge.is_udp.next = self.ipv4.is_udp.val();
        self.judge.icmp_short.next = self.transport.icmp_short.val();
        self.judge.icmp_echo.next = self.transport.icmp_echo.val();
        self.judge.icmp_long.next = self.transport.icmp_long.val();
        self.judge.udp_length_bad.next = self.transport.length_bad.val();
        self.judge.port_fits.next = self.transport.port_fits.val();
        self.judge.no_checksum.next = self.transport.no_checksum.val();
        self.judge.has_payload.next = self.transport.has_payload.val() & self.read_payload.q.val();
        self.judge.header_good.next = self.header_sum.all_ones.val();
        self.judge.content_good.next = self.content_sum.all_ones.val();

        // A header checksum is known before the first payload word is complete.
        self.extract.data.next = self.read_data.q.val();
        self.extract.valid.next = self.read_valid.q.val();
        self.extract.accepts.next = self.judge.accepts.val() & self.header_sum.all_ones.val();
        self.extract.fills.next = self.fills.q.val();
        self.extract.ends_word.next = self.ends_word.q.val();
        self.extract.ends.next = self.ends.val();
        self.extract.last_keep.next = self.transport.last_keep.val();
        self.extract.closes.next = self.judge.closes.val();
        self.extract.closes_bad.next = self.judge.closes_bad.val();

        self.payload.data.next = self.extract.payload.data.val();
        self.payload.keep.next = self.extract.payload.keep.val();
        self.payload.last.next = self.extract.payload.last.val();
        self.payload.error.next = self.extract.payload.error.val();
        self.payload.valid.next = self.extract.payload.valid.val();
        self.verdict.valid.next = self.judge.event.valid.val();
        self.verdict.code.next = self.judge.event.code.val();
        self.arp_request.next = self.judge.arp_request.val();
        self.echo_request.next = self.judge.echo_request.val();
        self.sender_mac.next = self.sender.mac.val();
        self.sender_ip.next = self.sender.ip.val();

        if self.reset.val() {
            self.valid.d.next = false;
            self.read_valid.d.next = false;
            self.next_place.d.next = 0.into();
        }
    }
}
