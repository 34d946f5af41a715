//! Puts Ethernet, IPv4 and UDP headers in front of a payload: 42 octets, written by one block.
//!
//! Promise: every packet becomes one frame with correct lengths and checksums. One word a clock;
//! the frame's first word leaves two clocks after the payload's is offered, and one idle clock
//! lies between frames while payload waits. The datagrams are atomic: identification 0,
//! DF set (RFC 6864 section 4.1). A checksum that comes out as 0 is sent as 0xffff (RFC 768).
//!
//! All settings are copied in one clock before the header begins, and only the copies are used:
//! a frame never mixes two states of the ports.
use crate::ip::facts::{number, octet, wire16};
use crate::stream::{StreamSink, StreamSource};
use nicforge_layout::wire::{ethernet, ipv4, udp};
use rust_hdl::prelude::*;

/// Writes UDP frames.
#[derive(LogicBlock)]
pub struct UdpTransmit {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets a frame under way.
    pub reset: Signal<In, Bit>,
    /// Payload. A packet that is marked bad gives a frame that is.
    pub payload: StreamSink<64, 8>,
    /// With every word: octets of the payload.
    pub length: Signal<In, Bits<16>>,
    /// With every word: one's-complement sum of the payload's big-endian half-words.
    pub sum: Signal<In, Bits<16>>,
    /// Own MAC address, octet 0 in bits 7..0.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own IPv4 address, octet 0 in bits 31..24.
    pub own_ip: Signal<In, Bits<32>>,
    /// MAC address to send to, octet 0 in bits 7..0.
    pub destination_mac: Signal<In, Bits<48>>,
    /// IPv4 address to send to, octet 0 in bits 31..24.
    pub destination_ip: Signal<In, Bits<32>>,
    /// UDP port to send from.
    pub source_port: Signal<In, Bits<16>>,
    /// UDP port to send to.
    pub destination_port: Signal<In, Bits<16>>,
    /// Time to live.
    pub ttl: Signal<In, Bits<8>>,
    /// Differentiated services code point.
    pub dscp: Signal<In, Bits<6>>,
    /// Send the UDP checksum; otherwise 0, which says that none was computed.
    pub checksum: Signal<In, Bit>,
    /// Frames from DA to the end of the payload.
    pub frames: StreamSource<64, 8>,

    // The settings of the frame under way.
    own_mac_copy: DFF<Bits<48>>,
    own_ip_copy: DFF<Bits<32>>,
    destination_mac_copy: DFF<Bits<48>>,
    destination_ip_copy: DFF<Bits<32>>,
    source_port_copy: DFF<Bits<16>>,
    destination_port_copy: DFF<Bits<16>>,
    ttl_copy: DFF<Bits<8>>,
    dscp_copy: DFF<Bits<6>>,
    checksum_copy: DFF<Bit>,

    // Sums over the settings and the packet.
    addresses: DFF<Bits<18>>,
    ports: DFF<Bits<18>>,
    fields: DFF<Bits<18>>,
    content_start: DFF<Bits<19>>,
    total_length: DFF<Bits<16>>,
    udp_length: DFF<Bits<16>>,
    header_sum: DFF<Bits<19>>,
    header_folded: DFF<Bits<17>>,
    content_sum: DFF<Bits<20>>,
    content_folded: DFF<Bits<17>>,
    content_checksum: DFF<Bits<16>>,

    place: DFF<Bits<4>>,
    rest: DFF<Bits<16>>,
    rest_both: DFF<Bit>,
    rest_error: DFF<Bit>,
    data: DFF<Bits<64>>,
    keep: DFF<Bits<8>>,
    last: DFF<Bit>,
    error: DFF<Bit>,
    valid: DFF<Bit>,

    service: Signal<Local, Bits<8>>,
    own: Signal<Local, Bits<32>>,
    destination: Signal<Local, Bits<32>>,
    header_checksum: Signal<Local, Bits<16>>,
    content_complement: Signal<Local, Bits<16>>,
    sent_checksum: Signal<Local, Bits<16>>,
    copies: Signal<Local, Bit>,
    advances: Signal<Local, Bit>,
    in_payload: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    overhangs: Signal<Local, Bit>,
    payload_start: Signal<Local, Bits<48>>,

    frame_type: Constant<Bits<16>>,
    version: Constant<Bits<8>>,
    flags: Constant<Bits<16>>,
    version_and_flags: Constant<Bits<16>>,
    protocol: Constant<Bits<8>>,
    udp_header: Constant<Bits<16>>,
    both_headers: Constant<Bits<16>>,
}

impl Default for UdpTransmit {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            payload: Default::default(),
            length: Default::default(),
            sum: Default::default(),
            own_mac: Default::default(),
            own_ip: Default::default(),
            destination_mac: Default::default(),
            destination_ip: Default::default(),
            source_port: Default::default(),
            destination_port: Default::default(),
            ttl: Default::default(),
            dscp: Default::default(),
            checksum: Default::default(),
            frames: Default::default(),
            own_mac_copy: Default::default(),
            own_ip_copy: Default::default(),
            destination_mac_copy: Default::default(),
            destination_ip_copy: Default::default(),
            source_port_copy: Default::default(),
            destination_port_copy: Default::default(),
            ttl_copy: Default::default(),
            dscp_copy: Default::default(),
            checksum_copy: Default::default(),
            addresses: Default::default(),
            ports: Default::default(),
            fields: Default::default(),
            content_start: Default::default(),
            total_length: Default::default(),
            udp_length: Default::default(),
            header_sum: Default::default(),
            header_folded: Default::default(),
            content_sum: Default::default(),
            content_folded: Default::default(),
            content_checksum: Default::default(),
            place: Default::default(),
            rest: Default::default(),
            rest_both: Default::default(),
            rest_error: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            last: Default::default(),
            error: Default::default(),
            valid: Default::default(),
            service: Default::default(),
            own: Default::default(),
            destination: Default::default(),
            header_checksum: Default::default(),
            content_complement: Default::default(),
            sent_checksum: Default::default(),
            copies: Default::default(),
            advances: Default::default(),
            in_payload: Default::default(),
            takes: Default::default(),
            overhangs: Default::default(),
            payload_start: Default::default(),
            frame_type: wire16(ethernet::TYPE_IPV4),
            version: octet(ipv4::VERSION_IHL),
            flags: wire16(ipv4::FLAGS_DF),
            // The header's constant half-words, added up; the type of service is 0 here.
            version_and_flags: number((usize::from(ipv4::VERSION_IHL) << 8) + usize::from(ipv4::FLAGS_DF)),
            protocol: octet(ipv4::PROTOCOL_UDP),
            udp_header: number(udp::HEADER_OCTETS),
            both_headers: number(ipv4::HEADER_OCTETS + udp::HEADER_OCTETS),
        }
    }
}

impl Logic for UdpTransmit {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: udp_transmit Ethernet, IPv4 and UDP headers in front of payload");
        dff_setup!(self, clock, own_mac_copy, own_ip_copy, destination_mac_copy, destination_ip_copy);
        dff_setup!(self, clock, source_port_copy, destination_port_copy, ttl_copy, dscp_copy, checksum_copy);
        dff_setup!(self, clock, addresses, ports, fields, content_start, total_length, udp_length);
        dff_setup!(self, clock, header_sum, header_folded, content_sum, content_folded, content_checksum);
        dff_setup!(self, clock, place, rest, rest_both, rest_error, data, keep, last, error, valid);

        // The copies are taken between frames, whether or not the last word has left.
        self.copies.next = (self.place.q.val() == 0) & self.payload.valid.val();
        if self.copies.val() {
            self.own_mac_copy.d.next = self.own_mac.val();
            self.own_ip_copy.d.next = self.own_ip.val();
            self.destination_mac_copy.d.next = self.destination_mac.val();
            self.destination_ip_copy.d.next = self.destination_ip.val();
            self.source_port_copy.d.next = self.source_port.val();
            self.destination_port_copy.d.next = self.destination_port.val();
            self.ttl_copy.d.next = self.ttl.val();
            self.dscp_copy.d.next = self.dscp.val();
            self.checksum_copy.d.next = self.checksum.val();
        }

        // Sums of big-endian half-words (RFC 1071); carries stay in the upper bits. They run all the
        // time: the copies are there in a packet's second cycle, the header checksum in the fifth and
        // the other in the seventh, just when their words leave.
        self.service.next = bit_cast::<8, 6>(self.dscp_copy.q.val()) << 2;
        self.addresses.d.next = (bit_cast::<18, 16>(self.own_ip_copy.q.val().get_bits::<16>(16))
            + bit_cast::<18, 16>(self.own_ip_copy.q.val().get_bits::<16>(0)))
            + (bit_cast::<18, 16>(self.destination_ip_copy.q.val().get_bits::<16>(16))
                + bit_cast::<18, 16>(self.destination_ip_copy.q.val().get_bits::<16>(0)));
        self.total_length.d.next = self.length.val() + self.both_headers.val();
        self.udp_length.d.next = self.length.val() + self.udp_header.val();

        self.fields.d.next = (bit_cast::<18, 16>(self.version_and_flags.val())
            | bit_cast::<18, 8>(self.service.val()))
            + (((bit_cast::<18, 8>(self.ttl_copy.q.val()) << 8) | bit_cast::<18, 8>(self.protocol.val()))
                + bit_cast::<18, 16>(self.total_length.q.val()));
        self.header_sum.d.next =
            bit_cast::<19, 18>(self.addresses.q.val()) + bit_cast::<19, 18>(self.fields.q.val());
        self.header_folded.d.next = bit_cast::<17, 16>(self.header_sum.q.val().get_bits::<16>(0))
            + bit_cast::<17, 3>(self.header_sum.q.val().get_bits::<3>(16));
        self.header_checksum.next = !(self.header_folded.q.val().get_bits::<16>(0)
            + bit_cast::<16, 1>(self.header_folded.q.val().get_bits::<1>(16)));
        self.ports.d.next = bit_cast::<18, 16>(self.source_port_copy.q.val())
            + (bit_cast::<18, 16>(self.destination_port_copy.q.val()) + bit_cast::<18, 16>(self.sum.val()));
        self.content_start.d.next = bit_cast::<19, 18>(self.addresses.q.val())
            + (bit_cast::<19, 18>(self.ports.q.val()) + bit_cast::<19, 8>(self.protocol.val()));
        // The UDP length counts twice: in the header and in the pseudo header.
        self.content_sum.d.next = bit_cast::<20, 19>(self.content_start.q.val())
            + (bit_cast::<20, 16>(self.udp_length.q.val()) << 1);
        self.content_folded.d.next = bit_cast::<17, 16>(self.content_sum.q.val().get_bits::<16>(0))
            + bit_cast::<17, 4>(self.content_sum.q.val().get_bits::<4>(16));
        self.content_complement.next = !(self.content_folded.q.val().get_bits::<16>(0)
            + bit_cast::<16, 1>(self.content_folded.q.val().get_bits::<1>(16)));
        self.content_checksum.d.next = self.content_complement.val();
        self.sent_checksum.next = self.content_checksum.q.val();
        if !self.content_checksum.q.val().any() {
            self.sent_checksum.next = 0xffff.into();
        }
        if !self.checksum_copy.q.val() {
            self.sent_checksum.next = 0.into();
        }

        // Addresses as they lie in a word.
        self.own.next = (bit_cast::<32, 8>(self.own_ip_copy.q.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.own_ip_copy.q.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.own_ip_copy.q.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.own_ip_copy.q.val().get_bits::<8>(24));
        self.destination.next = (bit_cast::<32, 8>(self.destination_ip_copy.q.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.destination_ip_copy.q.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.destination_ip_copy.q.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.destination_ip_copy.q.val().get_bits::<8>(24));

        // Place 0 copies the settings, 1 to 5 are header, 6 is the checksum and the first payload, 7
        // stands for all words behind, and 8 for what of the payload hangs over the last of them.
        self.advances.next = !self.valid.q.val() | self.frames.ready.val();
        self.in_payload.next = (self.place.q.val() == 6) | (self.place.q.val() == 7);
        self.takes.next = self.advances.val() & self.in_payload.val() & self.payload.valid.val();
        self.overhangs.next = self.payload.keep.val().get_bit(6);
        self.payload_start.next = self.payload.data.val().get_bits::<48>(0);
        self.payload.ready.next = self.advances.val() & self.in_payload.val();

        if self.takes.val() {
            self.rest.d.next = self.payload.data.val().get_bits::<16>(48);
            self.rest_both.d.next = self.payload.keep.val().get_bit(7);
            self.rest_error.d.next = self.payload.error.val();
        }
        if self.copies.val() {
            self.place.d.next = 1.into();
        }
        if self.advances.val() {
            self.valid.d.next = self.payload.valid.val();
            self.keep.d.next = 0xff.into();
            self.last.d.next = false;
            self.error.d.next = false;
            if self.payload.valid.val() {
                self.place.d.next = self.place.q.val() + 1;
            }
            match self.place.q.val().index() {
                0 => {
                    self.valid.d.next = false;
                }
                1 => {
                    self.data.d.next = (bit_cast::<64, 16>(self.own_mac_copy.q.val().get_bits::<16>(0))
                        << 48)
                        | bit_cast::<64, 48>(self.destination_mac_copy.q.val());
                }
                2 => {
                    self.data.d.next = (bit_cast::<64, 8>(self.service.val()) << 56)
                        | (bit_cast::<64, 8>(self.version.val()) << 48)
                        | (bit_cast::<64, 16>(self.frame_type.val()) << 32)
                        | bit_cast::<64, 32>(self.own_mac_copy.q.val().get_bits::<32>(16));
                }
                3 => {
                    self.data.d.next = (bit_cast::<64, 8>(self.protocol.val()) << 56)
                        | (bit_cast::<64, 8>(self.ttl_copy.q.val()) << 48)
                        | (bit_cast::<64, 16>(self.flags.val()) << 32)
                        | (bit_cast::<64, 8>(self.total_length.q.val().get_bits::<8>(0)) << 8)
                        | bit_cast::<64, 8>(self.total_length.q.val().get_bits::<8>(8));
                }
                4 => {
                    self.data.d.next = (bit_cast::<64, 16>(self.destination.val().get_bits::<16>(0)) << 48)
                        | (bit_cast::<64, 32>(self.own.val()) << 16)
                        | (bit_cast::<64, 8>(self.header_checksum.val().get_bits::<8>(0)) << 8)
                        | bit_cast::<64, 8>(self.header_checksum.val().get_bits::<8>(8));
                }
                5 => {
                    self.data.d.next = (bit_cast::<64, 8>(self.udp_length.q.val().get_bits::<8>(0)) << 56)
                        | (bit_cast::<64, 8>(self.udp_length.q.val().get_bits::<8>(8)) << 48)
                        | (bit_cast::<64, 8>(self.destination_port_copy.q.val().get_bits::<8>(0)) << 40)
                        | (bit_cast::<64, 8>(self.destination_port_copy.q.val().get_bits::<8>(8)) << 32)
                        | (bit_cast::<64, 8>(self.source_port_copy.q.val().get_bits::<8>(0)) << 24)
                        | (bit_cast::<64, 8>(self.source_port_copy.q.val().get_bits::<8>(8)) << 16)
                        | bit_cast::<64, 16>(self.destination.val().get_bits::<16>(16));
                }
                6 => {
                    self.data.d.next = (bit_cast::<64, 48>(self.payload_start.val()) << 16)
                        | (bit_cast::<64, 8>(self.sent_checksum.val().get_bits::<8>(0)) << 8)
                        | bit_cast::<64, 8>(self.sent_checksum.val().get_bits::<8>(8));
                }
                7 => {
                    self.data.d.next = (bit_cast::<64, 48>(self.payload_start.val()) << 16)
                        | bit_cast::<64, 16>(self.rest.q.val());
                    self.place.d.next = 7.into();
                }
                _ => {
                    self.data.d.next = bit_cast::<64, 16>(self.rest.q.val());
                    self.valid.d.next = true;
                    self.keep.d.next = 0x01.into();
                    if self.rest_both.q.val() {
                        self.keep.d.next = 0x03.into();
                    }
                    self.last.d.next = true;
                    self.error.d.next = self.rest_error.q.val();
                    self.place.d.next = 0.into();
                }
            }
            if self.takes.val() & self.payload.last.val() {
                if self.overhangs.val() {
                    self.place.d.next = 8.into();
                } else {
                    self.keep.d.next = (bit_cast::<8, 6>(self.payload.keep.val().get_bits::<6>(0)) << 2) | 3;
                    self.last.d.next = true;
                    self.error.d.next = self.payload.error.val();
                    self.place.d.next = 0.into();
                }
            }
        }

        self.frames.data.next = self.data.q.val();
        self.frames.keep.next = self.keep.q.val();
        self.frames.last.next = self.last.q.val();
        self.frames.error.next = self.error.q.val();
        self.frames.valid.next = self.valid.q.val();

        if self.reset.val() {
            self.place.d.next = 0.into();
            self.valid.d.next = false;
        }
    }
}
