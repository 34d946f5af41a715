//! One lane of the tone: from a phase to a sample.
use super::sine::SineTable;
use rust_hdl::prelude::*;

/// The sample `(S * amplitude + 2^14) >> 15` for the entry `S` of the sine table at `phase`, four
/// enabled cycles later.
#[derive(LogicBlock, Default)]
pub struct ToneLane {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// All stages advance.
    pub enable: Signal<In, Bit>,
    /// Phase in units of 1/1024 turn.
    pub phase: Signal<In, Bits<10>>,
    /// Peak value.
    pub amplitude: Signal<In, Bits<7>>,
    /// The sample in two's complement.
    pub sample: Signal<Out, Bits<8>>,

    sines: SineTable,
    sine: DFF<Bits<16>>,
    product: DFF<Bits<23>>,
    rounded: DFF<Bits<8>>,
    factor: Signal<Local, Bits<16>>,
    full: Signal<Local, Signed<32>>,
    sum: Signal<Local, Bits<23>>,
}

impl Logic for ToneLane {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: tone_lane");
        dff_setup!(self, clock, sine, product, rounded);
        clock!(self, clock, sines);

        self.sines.enable.next = self.enable.val();
        self.sines.place.next = self.phase.val();
        self.factor.next = bit_cast::<16, 7>(self.amplitude.val());
        self.full.next = signed_cast(self.sine.q.val()) * signed_cast(self.factor.val());
        // 32767 * 127 and the half step for rounding fit 22 bits and a sign.
        self.sum.next = self.product.q.val() + 0x4000;
        self.sample.next = self.rounded.q.val();

        if self.enable.val() {
            self.sine.d.next = self.sines.value.val();
            self.product.d.next = bit_cast::<23, 32>(unsigned_cast(self.full.val()));
            self.rounded.d.next = self.sum.val().get_bits::<8>(15);
        }
    }
}
