//! Who sent a frame that may have to be answered.
use rust_hdl::prelude::*;

/// Keeps the sender of the last good frame: SHA and SPA of an ARP packet, else SA and the IPv4 source.
#[derive(LogicBlock, Default)]
pub struct Sender {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// A word of the frame.
    pub data: Signal<In, Bits<64>>,
    /// It is there.
    pub valid: Signal<In, Bit>,
    /// Its number in the frame; 7 stands for all behind the seventh.
    pub place: Signal<In, Bits<3>>,
    /// The frame carries ARP; valid from the third word on.
    pub is_arp: Signal<In, Bit>,
    /// The frame ended one cycle ago, and is good.
    pub ends: Signal<In, Bit>,
    /// MAC address, octet 0 in bits 7..0. Stable from the second cycle after `ends` to the next frame's.
    pub mac: Signal<Out, Bits<48>>,
    /// IPv4 address, octet 0 in bits 31..24. As stable.
    pub ip: Signal<Out, Bits<32>>,

    mac_start: DFF<Bits<16>>,
    mac_end: DFF<Bits<32>>,
    address: DFF<Bits<32>>,
    kept_mac: DFF<Bits<48>>,
    kept_address: DFF<Bits<32>>,
}

impl Logic for Sender {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: sender Who sent the last good frame");
        dff_setup!(self, clock, mac_start, mac_end, address, kept_mac, kept_address);

        // SA stands in words 0 and 1, SHA at the same octets of words 2 and 3.
        if self.valid.val() {
            if (self.place.val() == 0) | ((self.place.val() == 2) & self.is_arp.val()) {
                self.mac_start.d.next = self.data.val().get_bits::<16>(48);
            }
            if (self.place.val() == 1) | ((self.place.val() == 3) & self.is_arp.val()) {
                self.mac_end.d.next = self.data.val().get_bits::<32>(0);
            }
            if self.place.val() == 3 {
                self.address.d.next = self.data.val().get_bits::<32>(16);
                if self.is_arp.val() {
                    self.address.d.next = self.data.val().get_bits::<32>(32);
                }
            }
        }
        if self.ends.val() {
            self.kept_mac.d.next =
                (bit_cast::<48, 32>(self.mac_end.q.val()) << 16) | bit_cast::<48, 16>(self.mac_start.q.val());
            self.kept_address.d.next = self.address.q.val();
        }

        self.mac.next = self.kept_mac.q.val();
        self.ip.next = (bit_cast::<32, 8>(self.kept_address.q.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.kept_address.q.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.kept_address.q.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.kept_address.q.val().get_bits::<8>(24));
    }
}
