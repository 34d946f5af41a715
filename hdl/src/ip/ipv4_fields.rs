//! What an IPv4 header says (RFC 791, RFC 1122 section 3.2.1), read word by word as the frame passes.
use crate::ip::facts::{number, octet};
use crate::ip::span::Span;
use nicforge_layout::wire::ipv4;
use rust_hdl::prelude::*;

/// Reads the IPv4 header of a frame. The answers are valid from the cycle after the word that
/// decides them until the next frame's first word has passed, and mean nothing for other frames.
#[derive(LogicBlock)]
pub struct Ipv4Fields {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// A word of the frame.
    pub data: Signal<In, Bits<64>>,
    /// Its octets.
    pub keep: Signal<In, Bits<8>>,
    /// It ends the frame.
    pub last: Signal<In, Bit>,
    /// It is there.
    pub valid: Signal<In, Bit>,
    /// Its number in the frame; 7 stands for all behind the seventh.
    pub place: Signal<In, Bits<3>>,
    /// Own IPv4 address, octet 0 in bits 7..0.
    pub own_ip: Signal<In, Bits<32>>,
    /// Broadcast address of the own subnet, octet 0 in bits 7..0.
    pub subnet_broadcast: Signal<In, Bits<32>>,

    /// The version is not 4.
    pub version_bad: Signal<Out, Bit>,
    /// The header is shorter than five words.
    pub header_short: Signal<Out, Bit>,
    /// The total length is below the header's.
    pub length_short: Signal<Out, Bit>,
    /// The total length is beyond the frame. Valid behind the last word.
    pub frame_short: Signal<Out, Bit>,
    /// The header is longer than five words.
    pub options: Signal<Out, Bit>,
    /// The source is no host, or ourselves.
    pub source_bad: Signal<Out, Bit>,
    /// The destination is the own address.
    pub for_us: Signal<Out, Bit>,
    /// The destination is a group, the subnet or everybody.
    pub for_many: Signal<Out, Bit>,
    /// The datagram is a fragment.
    pub fragment: Signal<Out, Bit>,
    /// It carries ICMP.
    pub is_icmp: Signal<Out, Bit>,
    /// It carries UDP.
    pub is_udp: Signal<Out, Bit>,
    /// Octets behind a header of five words, by the total length.
    pub content_length: Signal<Out, Bits<16>>,
    /// The octets of the present word that the header checksum covers.
    pub header_mask: Signal<Out, Bits<8>>,
    /// The octets of the present word that the total length covers; valid from the fourth word on.
    pub datagram_mask: Signal<Out, Bits<8>>,

    header: Span<6>,
    datagram: Span<16>,
    version: DFF<Bits<4>>,
    header_words: DFF<Bits<4>>,
    covers_header: DFF<Bit>,
    frame_covers: DFF<Bit>,
    content: DFF<Bits<16>>,
    fragmented: DFF<Bit>,
    protocol: DFF<Bits<8>>,
    source_no_host: DFF<Bit>,
    group: DFF<Bit>,
    own_start: DFF<Bit>,
    own_end: DFF<Bit>,
    all_start: DFF<Bit>,
    all_end: DFF<Bit>,
    subnet_start: DFF<Bit>,
    subnet_end: DFF<Bit>,

    total_length: Signal<Local, Bits<16>>,
    source: Signal<Local, Bits<32>>,
    missing: Signal<Local, Bits<8>>,
    header_octets: Constant<Bits<16>>,
    icmp: Constant<Bits<8>>,
    udp: Constant<Bits<8>>,
}

impl Default for Ipv4Fields {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            last: Default::default(),
            valid: Default::default(),
            place: Default::default(),
            own_ip: Default::default(),
            subnet_broadcast: Default::default(),
            version_bad: Default::default(),
            header_short: Default::default(),
            length_short: Default::default(),
            frame_short: Default::default(),
            options: Default::default(),
            source_bad: Default::default(),
            for_us: Default::default(),
            for_many: Default::default(),
            fragment: Default::default(),
            is_icmp: Default::default(),
            is_udp: Default::default(),
            content_length: Default::default(),
            header_mask: Default::default(),
            datagram_mask: Default::default(),
            header: Default::default(),
            datagram: Default::default(),
            version: Default::default(),
            header_words: Default::default(),
            covers_header: Default::default(),
            frame_covers: Default::default(),
            content: Default::default(),
            fragmented: Default::default(),
            protocol: Default::default(),
            source_no_host: Default::default(),
            group: Default::default(),
            own_start: Default::default(),
            own_end: Default::default(),
            all_start: Default::default(),
            all_end: Default::default(),
            subnet_start: Default::default(),
            subnet_end: Default::default(),
            total_length: Default::default(),
            source: Default::default(),
            missing: Default::default(),
            header_octets: number(ipv4::HEADER_OCTETS),
            icmp: octet(ipv4::PROTOCOL_ICMP),
            udp: octet(ipv4::PROTOCOL_UDP),
        }
    }
}

impl Logic for Ipv4Fields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: ipv4_fields Fields of an IPv4 header");
        dff_setup!(self, clock, version, header_words, covers_header, frame_covers, content);
        dff_setup!(self, clock, fragmented, protocol, source_no_host, group);
        dff_setup!(self, clock, own_start, own_end, all_start, all_end, subnet_start, subnet_end);
        clock!(self, clock, header, datagram);

        // Two octets of the header stand in the second word, the rest begins with the third.
        self.header.load.next = self.valid.val() & (self.place.val() == 1);
        self.header.count.next = (bit_cast::<6, 4>(self.data.val().get_bits::<4>(48)) << 2) - 2;
        self.header.step.next = self.valid.val();
        self.header_mask.next = 0.into();
        if self.place.val() == 1 {
            self.header_mask.next = 0xc0.into();
        }
        if self.place.val() >= 2 {
            self.header_mask.next = self.header.mask.val();
        }

        // Ten octets of the datagram lie before the fourth word.
        self.total_length.next = (bit_cast::<16, 8>(self.data.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.data.val().get_bits::<8>(8));
        self.datagram.load.next = self.valid.val() & (self.place.val() == 2);
        self.datagram.count.next = self.total_length.val() - 10;
        self.datagram.step.next = self.valid.val();
        self.datagram_mask.next = self.datagram.mask.val();
        self.missing.next = self.datagram.mask.val() & !self.keep.val();

        if self.valid.val() & (self.place.val() == 1) {
            self.version.d.next = self.data.val().get_bits::<4>(52);
            self.header_words.d.next = self.data.val().get_bits::<4>(48);
        }
        if self.valid.val() & (self.place.val() == 2) {
            self.covers_header.d.next =
                self.total_length.val() >= (bit_cast::<16, 4>(self.header_words.q.val()) << 2);
            self.content.d.next = self.total_length.val() - self.header_octets.val();
            // MF or an offset; the reserved bit and DF say nothing about fragments.
            self.fragmented.d.next =
                self.data.val().get_bits::<6>(32).any() | self.data.val().get_bits::<8>(40).any();
            self.protocol.d.next = self.data.val().get_bits::<8>(56);
        }

        // RFC 1122 section 3.2.1.3: what cannot be a source.
        self.source.next = self.data.val().get_bits::<32>(16);
        if self.valid.val() & (self.place.val() == 3) {
            self.source_no_host.d.next = !self.source.val().any()
                | self.source.val().all()
                | (self.data.val().get_bits::<4>(20) == 0xe)
                | (self.data.val().get_bits::<8>(16) == 127)
                | (self.source.val() == self.subnet_broadcast.val())
                | (self.source.val() == self.own_ip.val());
            self.group.d.next = self.data.val().get_bits::<4>(52) == 0xe;
            self.own_start.d.next = self.data.val().get_bits::<16>(48) == self.own_ip.val().get_bits::<16>(0);
            self.subnet_start.d.next =
                self.data.val().get_bits::<16>(48) == self.subnet_broadcast.val().get_bits::<16>(0);
            self.all_start.d.next = self.data.val().get_bits::<16>(48).all();
        }
        if self.valid.val() & (self.place.val() == 4) {
            self.own_end.d.next = self.data.val().get_bits::<16>(0) == self.own_ip.val().get_bits::<16>(16);
            self.subnet_end.d.next =
                self.data.val().get_bits::<16>(0) == self.subnet_broadcast.val().get_bits::<16>(16);
            self.all_end.d.next = self.data.val().get_bits::<16>(0).all();
        }
        if self.valid.val() & self.last.val() {
            self.frame_covers.d.next =
                (self.place.val() >= 3) & !self.datagram.goes_on.val() & !self.missing.val().any();
        }

        self.version_bad.next = self.version.q.val() != 4;
        self.header_short.next = self.header_words.q.val() < 5;
        self.options.next = self.header_words.q.val() > 5;
        self.length_short.next = !self.covers_header.q.val();
        self.frame_short.next = !self.frame_covers.q.val();
        self.source_bad.next = self.source_no_host.q.val();
        self.for_us.next = self.own_start.q.val() & self.own_end.q.val();
        self.for_many.next = self.group.q.val()
            | (self.all_start.q.val() & self.all_end.q.val())
            | (self.subnet_start.q.val() & self.subnet_end.q.val());
        self.fragment.next = self.fragmented.q.val();
        self.is_icmp.next = self.protocol.q.val() == self.icmp.val();
        self.is_udp.next = self.protocol.q.val() == self.udp.val();
        self.content_length.next = self.content.q.val();
    }
}
