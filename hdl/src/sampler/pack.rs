//! From samples to octets.
use rust_hdl::prelude::*;

/// Eight samples in two's complement to eight octets as VDIF wants them: offset binary, the first
/// sample in octet 0 (VDIF 1.1.1, data array). No delay.
#[derive(LogicBlock)]
pub struct Pack8 {
    /// Samples, the first in bits 7..0.
    pub lanes: Signal<In, Bits<64>>,
    /// Octets, octet 0 in bits 7..0.
    pub octets: Signal<Out, Bits<64>>,

    sign_bits: Constant<Bits<64>>,
}

impl Default for Pack8 {
    fn default() -> Self {
        Self {
            lanes: Signal::default(),
            octets: Signal::default(),
            sign_bits: Constant::new(0x8080_8080_8080_8080_u64.to_bits()),
        }
    }
}

impl Logic for Pack8 {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: pack8");
        self.octets.next = self.lanes.val() ^ self.sign_bits.val();
    }
}
