//! Answers ARP requests (RFC 826).
//!
//! Promise: one reply of 42 octets for each request, straight to whoever asked; the MAC pads it. A
//! request that comes while the reply before has not been handed over is dropped and counted. The
//! first word is valid two clocks after the request.
use crate::ip::facts::{code, octet, wire16};
use crate::stream::{EventSource, StreamSource};
use nicforge_layout::counters;
use nicforge_layout::wire::{arp, ethernet};
use rust_hdl::prelude::*;

/// Writes ARP replies.
#[derive(LogicBlock)]
pub struct ArpReply {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets a reply under way.
    pub reset: Signal<In, Bit>,
    /// High for one cycle: answer the sender.
    pub request: Signal<In, Bit>,
    /// With `request`: who asks. Octet 0 in bits 7..0.
    pub sender_mac: Signal<In, Bits<48>>,
    /// With `request`: its address. Octet 0 in bits 31..24.
    pub sender_ip: Signal<In, Bits<32>>,
    /// Own MAC address, octet 0 in bits 7..0.
    pub own_mac: Signal<In, Bits<48>>,
    /// Own IPv4 address, octet 0 in bits 31..24.
    pub own_ip: Signal<In, Bits<32>>,
    /// The reply, from DA to the end of the ARP packet.
    pub frames: StreamSource<64, 8>,
    /// A request was dropped.
    pub busy_event: EventSource,

    busy: DFF<Bit>,
    place: DFF<Bits<3>>,
    target_mac: DFF<Bits<48>>,
    target_ip: DFF<Bits<32>>,
    data: DFF<Bits<64>>,
    keep: DFF<Bits<8>>,
    last: DFF<Bit>,
    valid: DFF<Bit>,
    dropped: DFF<Bit>,

    own: Signal<Local, Bits<32>>,
    own_mac_start: Signal<Local, Bits<16>>,
    own_mac_end: Signal<Local, Bits<32>>,
    word: Signal<Local, Bits<64>>,
    ends: Signal<Local, Bit>,
    advances: Signal<Local, Bit>,

    frame_type: Constant<Bits<16>>,
    hardware_type: Constant<Bits<16>>,
    protocol_type: Constant<Bits<16>>,
    hardware_octets: Constant<Bits<8>>,
    protocol_octets: Constant<Bits<8>>,
    operation: Constant<Bits<16>>,
    busy_code: Constant<Bits<6>>,
}

impl Default for ArpReply {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            request: Default::default(),
            sender_mac: Default::default(),
            sender_ip: Default::default(),
            own_mac: Default::default(),
            own_ip: Default::default(),
            frames: Default::default(),
            busy_event: Default::default(),
            busy: Default::default(),
            place: Default::default(),
            target_mac: Default::default(),
            target_ip: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            last: Default::default(),
            valid: Default::default(),
            dropped: Default::default(),
            own: Default::default(),
            own_mac_start: Default::default(),
            own_mac_end: Default::default(),
            word: Default::default(),
            ends: Default::default(),
            advances: Default::default(),
            frame_type: wire16(ethernet::TYPE_ARP),
            hardware_type: wire16(arp::HTYPE),
            protocol_type: wire16(ethernet::TYPE_IPV4),
            hardware_octets: octet(arp::HLEN),
            protocol_octets: octet(arp::PLEN),
            operation: wire16(arp::OP_REPLY),
            busy_code: code(counters::ARP_BUSY),
        }
    }
}

impl Logic for ArpReply {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: arp_reply ARP replies");
        dff_setup!(self, clock, busy, place, target_mac, target_ip, data, keep, last, valid, dropped);

        self.frames.data.next = self.data.q.val();
        self.frames.keep.next = self.keep.q.val();
        self.frames.last.next = self.last.q.val();
        self.frames.error.next = false;
        self.frames.valid.next = self.valid.q.val();
        self.busy_event.valid.next = self.dropped.q.val();
        self.busy_event.code.next = self.busy_code.val();

        self.own.next = (bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.own_ip.val().get_bits::<8>(24));
        self.own_mac_start.next = self.own_mac.val().get_bits::<16>(0);
        self.own_mac_end.next = self.own_mac.val().get_bits::<32>(16);

        match self.place.q.val().index() {
            0 => {
                self.word.next = (bit_cast::<64, 16>(self.own_mac_start.val()) << 48)
                    | bit_cast::<64, 48>(self.target_mac.q.val());
            }
            1 => {
                self.word.next = (bit_cast::<64, 16>(self.hardware_type.val()) << 48)
                    | (bit_cast::<64, 16>(self.frame_type.val()) << 32)
                    | bit_cast::<64, 32>(self.own_mac_end.val());
            }
            2 => {
                self.word.next = (bit_cast::<64, 16>(self.own_mac_start.val()) << 48)
                    | (bit_cast::<64, 16>(self.operation.val()) << 32)
                    | (bit_cast::<64, 8>(self.protocol_octets.val()) << 24)
                    | (bit_cast::<64, 8>(self.hardware_octets.val()) << 16)
                    | bit_cast::<64, 16>(self.protocol_type.val());
            }
            3 => {
                self.word.next =
                    (bit_cast::<64, 32>(self.own.val()) << 32) | bit_cast::<64, 32>(self.own_mac_end.val());
            }
            4 => {
                self.word.next = (bit_cast::<64, 16>(self.target_ip.q.val().get_bits::<16>(0)) << 48)
                    | bit_cast::<64, 48>(self.target_mac.q.val());
            }
            _ => {
                self.word.next = bit_cast::<64, 16>(self.target_ip.q.val().get_bits::<16>(16));
            }
        }
        self.ends.next = self.place.q.val() == 5;
        self.advances.next = !self.valid.q.val() | self.frames.ready.val();

        if self.advances.val() {
            self.valid.d.next = self.busy.q.val();
            self.data.d.next = self.word.val();
            self.keep.d.next = 0xff.into();
            self.last.d.next = self.ends.val();
            if self.ends.val() {
                self.keep.d.next = 0x03.into();
            }
            if self.busy.q.val() {
                self.place.d.next = self.place.q.val() + 1;
                self.busy.d.next = !self.ends.val();
            }
        }

        self.dropped.d.next = self.request.val() & self.busy.q.val();
        if self.request.val() & !self.busy.q.val() {
            self.busy.d.next = true;
            self.place.d.next = 0.into();
            self.target_mac.d.next = self.sender_mac.val();
            self.target_ip.d.next = (bit_cast::<32, 8>(self.sender_ip.val().get_bits::<8>(0)) << 24)
                | (bit_cast::<32, 8>(self.sender_ip.val().get_bits::<8>(8)) << 16)
                | (bit_cast::<32, 8>(self.sender_ip.val().get_bits::<8>(16)) << 8)
                | bit_cast::<32, 8>(self.sender_ip.val().get_bits::<8>(24));
        }

        if self.reset.val() {
            self.busy.d.next = false;
            self.valid.d.next = false;
            self.dropped.d.next = false;
        }
    }
}
