//! What the UDP header (RFC 768) or the ICMP header (RFC 792) of a datagram without options says.
use crate::ip::facts::{number, octet, wire16};
use crate::ip::span::Span;
use nicforge_layout::wire::{icmp, ipv4, udp};
use rust_hdl::prelude::*;

/// Reads the header behind an IPv4 header of five words. The answers are valid from the cycle
/// after the sixth word until the next frame's first word has passed.
#[derive(LogicBlock)]
pub struct TransportFields {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// A word of the frame.
    pub data: Signal<In, Bits<64>>,
    /// It is there.
    pub valid: Signal<In, Bit>,
    /// Its number in the frame; 7 stands for all behind the seventh.
    pub place: Signal<In, Bits<3>>,
    /// The datagram carries UDP.
    pub is_udp: Signal<In, Bit>,
    /// Octets behind the IPv4 header, by its total length.
    pub content_length: Signal<In, Bits<16>>,
    /// The octets of the present word that the total length covers.
    pub datagram_mask: Signal<In, Bits<8>>,
    /// The port that is delivered; 0 delivers none.
    pub port: Signal<In, Bits<16>>,

    /// The message is shorter than an ICMP header.
    pub icmp_short: Signal<Out, Bit>,
    /// It is an echo request.
    pub icmp_echo: Signal<Out, Bit>,
    /// It does not fit the reply buffer.
    pub icmp_long: Signal<Out, Bit>,
    /// The UDP length is below 8 or beyond the datagram.
    pub length_bad: Signal<Out, Bit>,
    /// The datagram is for the port that is delivered.
    pub port_fits: Signal<Out, Bit>,
    /// The UDP checksum was not computed.
    pub no_checksum: Signal<Out, Bit>,
    /// Octets of the last word of the payload.
    pub last_keep: Signal<Out, Bits<8>>,
    /// There is a payload.
    pub has_payload: Signal<Out, Bit>,

    /// The octets of the present word that the checksum covers.
    pub sum_mask: Signal<Out, Bits<8>>,
    /// The present word is the first that it covers.
    pub sum_first: Signal<Out, Bit>,
    /// The present word ends with the UDP length, which counts twice.
    pub sum_twice: Signal<Out, Bit>,
    /// What the sum starts with: the protocol number of the pseudo header.
    pub sum_seed: Signal<Out, Bits<16>>,
    /// Payload begins in this word or goes on in it beyond its first two octets.
    pub fills: Signal<Out, Bit>,
    /// The first two octets of this word end a payload word.
    pub ends_word: Signal<Out, Bit>,

    segment: Span<16>,
    length: DFF<Bits<16>>,
    segment_fits: DFF<Bit>,
    destination_fits: DFF<Bit>,
    echo: DFF<Bit>,
    checksum_zero: DFF<Bit>,

    udp_length: Signal<Local, Bits<16>>,
    destination: Signal<Local, Bits<16>>,
    length_bits: Signal<Local, Bits<3>>,
    header_octets: Constant<Bits<16>>,
    icmp_header_octets: Constant<Bits<16>>,
    longest_message: Constant<Bits<16>>,
    echo_type: Constant<Bits<8>>,
    protocol: Constant<Bits<16>>,
}

impl Default for TransportFields {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            data: Default::default(),
            valid: Default::default(),
            place: Default::default(),
            is_udp: Default::default(),
            content_length: Default::default(),
            datagram_mask: Default::default(),
            port: Default::default(),
            icmp_short: Default::default(),
            icmp_echo: Default::default(),
            icmp_long: Default::default(),
            length_bad: Default::default(),
            port_fits: Default::default(),
            no_checksum: Default::default(),
            last_keep: Default::default(),
            has_payload: Default::default(),
            sum_mask: Default::default(),
            sum_first: Default::default(),
            sum_twice: Default::default(),
            sum_seed: Default::default(),
            fills: Default::default(),
            ends_word: Default::default(),
            segment: Default::default(),
            length: Default::default(),
            segment_fits: Default::default(),
            destination_fits: Default::default(),
            echo: Default::default(),
            checksum_zero: Default::default(),
            udp_length: Default::default(),
            destination: Default::default(),
            length_bits: Default::default(),
            header_octets: number(udp::HEADER_OCTETS),
            icmp_header_octets: number(icmp::HEADER_OCTETS),
            longest_message: number(icmp::MAX_TOTAL_LENGTH - ipv4::HEADER_OCTETS),
            echo_type: octet(icmp::ECHO_REQUEST),
            protocol: wire16(ipv4::PROTOCOL_UDP.into()),
        }
    }
}

impl Logic for TransportFields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: transport_fields Fields of a UDP or ICMP header");
        dff_setup!(self, clock, length, segment_fits, destination_fits, echo, checksum_zero);
        clock!(self, clock, segment);

        // Six octets of the segment stand in the fifth word, the rest begins with the sixth.
        self.udp_length.next = (bit_cast::<16, 8>(self.data.val().get_bits::<8>(48)) << 8)
            | bit_cast::<16, 8>(self.data.val().get_bits::<8>(56));
        self.destination.next = (bit_cast::<16, 8>(self.data.val().get_bits::<8>(32)) << 8)
            | bit_cast::<16, 8>(self.data.val().get_bits::<8>(40));
        self.segment.load.next = self.valid.val() & (self.place.val() == 4);
        self.segment.count.next = self.udp_length.val() - 6;
        self.segment.step.next = self.valid.val();

        if self.valid.val() & (self.place.val() == 4) {
            self.length.d.next = self.udp_length.val();
            self.segment_fits.d.next = (self.udp_length.val() >= self.header_octets.val())
                & (self.udp_length.val() <= self.content_length.val());
            self.destination_fits.d.next =
                self.destination.val().any() & (self.destination.val() == self.port.val());
            self.echo.d.next = (self.data.val().get_bits::<8>(16) == self.echo_type.val())
                & !self.data.val().get_bits::<8>(24).any();
        }
        if self.valid.val() & (self.place.val() == 5) {
            self.checksum_zero.d.next = !self.data.val().get_bits::<16>(0).any();
        }

        self.icmp_short.next = self.content_length.val() < self.icmp_header_octets.val();
        self.icmp_long.next = self.content_length.val() > self.longest_message.val();
        self.icmp_echo.next = self.echo.q.val();
        // A datagram too short for a UDP header is shorter than any length that is not too small.
        self.length_bad.next = !self.segment_fits.q.val();
        self.port_fits.next = self.destination_fits.q.val();
        self.no_checksum.next = self.checksum_zero.q.val();
        self.has_payload.next = self.length.q.val() > self.header_octets.val();
        self.length_bits.next = self.length.q.val().get_bits::<3>(0);
        match self.length_bits.val().index() {
            1 => self.last_keep.next = 0x01.into(),
            2 => self.last_keep.next = 0x03.into(),
            3 => self.last_keep.next = 0x07.into(),
            4 => self.last_keep.next = 0x0f.into(),
            5 => self.last_keep.next = 0x1f.into(),
            6 => self.last_keep.next = 0x3f.into(),
            7 => self.last_keep.next = 0x7f.into(),
            _ => self.last_keep.next = 0xff.into(),
        }

        // UDP: both addresses in words 3 and 4, then ports and length; ICMP begins in word 4.
        self.sum_mask.next = 0.into();
        self.sum_seed.next = 0.into();
        if self.is_udp.val() {
            self.sum_seed.next = self.protocol.val();
        }
        if (self.place.val() == 3) & self.is_udp.val() {
            self.sum_mask.next = 0xfc.into();
        }
        if self.place.val() == 4 {
            self.sum_mask.next = 0xfc.into();
            if self.is_udp.val() {
                self.sum_mask.next = 0xff.into();
            }
        }
        if self.place.val() >= 5 {
            self.sum_mask.next = self.datagram_mask.val();
            if self.is_udp.val() {
                self.sum_mask.next = self.segment.mask.val();
            }
        }
        self.sum_first.next = self.place.val() == 3;
        self.sum_twice.next = (self.place.val() == 4) & self.is_udp.val();

        // Octets 0 and 1 of a word end one payload word, octets 2 to 7 begin the next.
        self.fills.next = (self.place.val() >= 5) & (self.segment.left.val() > 2);
        self.ends_word.next = self.place.val() >= 6;
    }
}
