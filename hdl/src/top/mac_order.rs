//! Register order to wire order.
use rust_hdl::prelude::*;

/// Turns a MAC address as the registers hold it into the order of the wire.
///
/// Combinational. In the registers octet 0 is the most significant one, as people write it; in a
/// stream's word octet 0 is in bits 7..0.
#[derive(LogicBlock, Default)]
pub struct MacOrder {
    /// Octets 0 and 1, octet 0 in bits 15..8.
    pub high: Signal<In, Bits<16>>,
    /// Octets 2 to 5, octet 2 in bits 31..24.
    pub low: Signal<In, Bits<32>>,
    /// The address with octet 0 in bits 7..0.
    pub mac: Signal<Out, Bits<48>>,
}

impl Logic for MacOrder {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: mac_order");
        self.mac.next = bit_cast::<48, 8>(self.low.val().get_bits::<8>(0)) << 40
            | bit_cast::<48, 8>(self.low.val().get_bits::<8>(8)) << 32
            | bit_cast::<48, 8>(self.low.val().get_bits::<8>(16)) << 24
            | bit_cast::<48, 8>(self.low.val().get_bits::<8>(24)) << 16
            | bit_cast::<48, 8>(self.high.val().get_bits::<8>(0)) << 8
            | bit_cast::<48, 8>(self.high.val().get_bits::<8>(8));
    }
}
