//! What a PHY says on the data lines of RGMII while there is no frame (RGMII 2.0, section 3.4.1).
use crate::stream::Synchronizer;
use rust_hdl::prelude::*;

/// Keeps the link bit.
#[derive(LogicBlock, Default)]
pub struct InBand {
    /// The core clock.
    pub clock: Signal<In, Clock>,
    /// The receive clock.
    pub rx_clk: Signal<In, Clock>,
    /// GMII receive data.
    pub data: Signal<In, Bits<8>>,
    /// GMII receive data valid.
    pub valid: Signal<In, Bit>,
    /// GMII receive error.
    pub error: Signal<In, Bit>,
    /// The link is up, on the core clock.
    pub up: Signal<Out, Bit>,

    told: DFF<Bit>,
    crossing: Synchronizer,
}

impl Logic for InBand {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: in_band - link bit between frames");
        dff_setup!(self, rx_clk, told);
        if !self.valid.val() & !self.error.val() {
            self.told.d.next = self.data.val().get_bit(0);
        }
        self.crossing.clock.next = self.clock.val();
        self.crossing.from.next = self.told.q.val();
        self.up.next = self.crossing.level.val();
    }
}
