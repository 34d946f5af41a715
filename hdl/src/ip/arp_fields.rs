//! What an ARP packet says (RFC 826), read word by word as the frame passes.
use crate::ip::facts::{octet, wire16};
use nicforge_layout::wire::{arp, ethernet};
use rust_hdl::prelude::*;

/// Reads the ARP packet of a frame. The answers are valid from the cycle after the frame's last
/// word until the next frame's first word has passed, and mean nothing for other frames.
#[derive(LogicBlock)]
pub struct ArpFields {
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
    /// Own MAC address, octet 0 in bits 7..0.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own IPv4 address, octet 0 in bits 7..0.
    pub own_ip: Signal<In, Bits<32>>,
    /// Broadcast address of the own subnet, octet 0 in bits 7..0.
    pub subnet_broadcast: Signal<In, Bits<32>>,
    /// Wrong type, length, operation, or a sender that is no host.
    pub bad: Signal<Out, Bit>,
    /// It asks for something that is not the own address, or asks nothing, or is our own echo.
    pub not_ours: Signal<Out, Bit>,

    ethernet_hardware: DFF<Bit>,
    ipv4_protocol: DFF<Bit>,
    lengths_fit: DFF<Bit>,
    asks: DFF<Bit>,
    replies: DFF<Bit>,
    sender_group: DFF<Bit>,
    sender_mac_starts_own: DFF<Bit>,
    sender_mac_ends_own: DFF<Bit>,
    sender_ip_own: DFF<Bit>,
    sender_ip_no_host: DFF<Bit>,
    target_starts_own: DFF<Bit>,
    target_ends_own: DFF<Bit>,
    long_enough: DFF<Bit>,

    sender_ip: Signal<Local, Bits<32>>,
    well_formed: Signal<Local, Bit>,
    own_echo: Signal<Local, Bit>,

    hardware_type: Constant<Bits<16>>,
    protocol_type: Constant<Bits<16>>,
    hardware_octets: Constant<Bits<8>>,
    protocol_octets: Constant<Bits<8>>,
    request: Constant<Bits<16>>,
    reply: Constant<Bits<16>>,
}

impl Default for ArpFields {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            last: Default::default(),
            valid: Default::default(),
            place: Default::default(),
            own_mac: Default::default(),
            own_ip: Default::default(),
            subnet_broadcast: Default::default(),
            bad: Default::default(),
            not_ours: Default::default(),
            ethernet_hardware: Default::default(),
            ipv4_protocol: Default::default(),
            lengths_fit: Default::default(),
            asks: Default::default(),
            replies: Default::default(),
            sender_group: Default::default(),
            sender_mac_starts_own: Default::default(),
            sender_mac_ends_own: Default::default(),
            sender_ip_own: Default::default(),
            sender_ip_no_host: Default::default(),
            target_starts_own: Default::default(),
            target_ends_own: Default::default(),
            long_enough: Default::default(),
            sender_ip: Default::default(),
            well_formed: Default::default(),
            own_echo: Default::default(),
            hardware_type: wire16(arp::HTYPE),
            protocol_type: wire16(ethernet::TYPE_IPV4),
            hardware_octets: octet(arp::HLEN),
            protocol_octets: octet(arp::PLEN),
            request: wire16(arp::OP_REQUEST),
            reply: wire16(arp::OP_REPLY),
        }
    }
}

impl Logic for ArpFields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: arp_fields Fields of an ARP packet");
        dff_setup!(self, clock, ethernet_hardware, ipv4_protocol, lengths_fit, asks, replies);
        dff_setup!(self, clock, sender_group, sender_mac_starts_own, sender_mac_ends_own);
        dff_setup!(self, clock, sender_ip_own, sender_ip_no_host);
        dff_setup!(self, clock, target_starts_own, target_ends_own, long_enough);

        self.sender_ip.next = self.data.val().get_bits::<32>(32);

        if self.valid.val() & (self.place.val() == 1) {
            self.ethernet_hardware.d.next = self.data.val().get_bits::<16>(48) == self.hardware_type.val();
        }
        if self.valid.val() & (self.place.val() == 2) {
            self.ipv4_protocol.d.next = self.data.val().get_bits::<16>(0) == self.protocol_type.val();
            self.lengths_fit.d.next = (self.data.val().get_bits::<8>(16) == self.hardware_octets.val())
                & (self.data.val().get_bits::<8>(24) == self.protocol_octets.val());
            self.asks.d.next = self.data.val().get_bits::<16>(32) == self.request.val();
            self.replies.d.next = self.data.val().get_bits::<16>(32) == self.reply.val();
            self.sender_group.d.next = self.data.val().get_bit(48);
            self.sender_mac_starts_own.d.next =
                self.data.val().get_bits::<16>(48) == self.own_mac.val().get_bits::<16>(0);
        }
        if self.valid.val() & (self.place.val() == 3) {
            self.sender_mac_ends_own.d.next =
                self.data.val().get_bits::<32>(0) == self.own_mac.val().get_bits::<32>(16);
            self.sender_ip_own.d.next = self.sender_ip.val() == self.own_ip.val();
            // 224/4, 255.255.255.255 and the subnet's broadcast address belong to no host.
            self.sender_ip_no_host.d.next = (self.data.val().get_bits::<4>(36) == 0xe)
                | self.sender_ip.val().all()
                | (self.sender_ip.val() == self.subnet_broadcast.val());
        }
        if self.valid.val() & (self.place.val() == 4) {
            self.target_starts_own.d.next =
                self.data.val().get_bits::<16>(48) == self.own_ip.val().get_bits::<16>(0);
        }
        if self.valid.val() & (self.place.val() == 5) {
            self.target_ends_own.d.next =
                self.data.val().get_bits::<16>(0) == self.own_ip.val().get_bits::<16>(16);
        }
        // The packet's last octet is octet 1 of the sixth word.
        if self.valid.val() & self.last.val() {
            self.long_enough.d.next =
                (self.place.val() > 5) | ((self.place.val() == 5) & self.keep.val().get_bit(1));
        }

        self.well_formed.next = self.long_enough.q.val()
            & self.ethernet_hardware.q.val()
            & self.ipv4_protocol.q.val()
            & self.lengths_fit.q.val()
            & (self.asks.q.val() | self.replies.q.val());
        self.own_echo.next = self.sender_ip_own.q.val()
            & self.sender_mac_starts_own.q.val()
            & self.sender_mac_ends_own.q.val();
        self.bad.next = !self.well_formed.val() | self.sender_group.q.val() | self.sender_ip_no_host.q.val();
        self.not_ours.next = !self.asks.q.val()
            | !self.target_starts_own.q.val()
            | !self.target_ends_own.q.val()
            | self.own_echo.val();
    }
}
