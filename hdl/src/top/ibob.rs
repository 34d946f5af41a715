//! The sampler board.
use crate::config::Config;
use crate::control::{AxiLiteSlave, BusSource};
use crate::stream::{EventSource, StreamSource};
use crate::top::{TestSampler, XgmiiCore};
use rust_hdl::prelude::*;

/// Samples to VDIF packets on 10GbE, ending at XGMII.
///
/// The board listens on no UDP port: its configuration has none, so that datagrams for it count as
/// `udp_no_port`.
#[derive(LogicBlock)]
pub struct Ibob {
    /// 156.25 MHz.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// XGMII receive data.
    pub xgmii_rxd: Signal<In, Bits<64>>,
    /// XGMII receive control.
    pub xgmii_rxc: Signal<In, Bits<8>>,
    /// XGMII transmit data.
    pub xgmii_txd: Signal<Out, Bits<64>>,
    /// XGMII transmit control.
    pub xgmii_txc: Signal<Out, Bits<8>>,
    /// Registers and counters.
    pub s_axil: AxiLiteSlave,

    core: XgmiiCore,
    sampler: TestSampler,
}

impl Ibob {
    /// The board with the reset values of this configuration.
    pub fn new(config: &Config) -> Self {
        let words = config.register_words();
        Self {
            clk: Default::default(),
            rst: Default::default(),
            xgmii_rxd: Default::default(),
            xgmii_rxc: Default::default(),
            xgmii_txd: Default::default(),
            xgmii_txc: Default::default(),
            s_axil: Default::default(),
            core: XgmiiCore::new(&words),
            sampler: TestSampler::new(&words),
        }
    }
}

impl Logic for Ibob {
    #[hdl_gen]
    fn update(&mut self) {
        self.core.clock.next = self.clk.val();
        self.core.reset.next = self.rst.val();
        self.sampler.clock.next = self.clk.val();
        self.sampler.reset.next = self.rst.val();
        self.core.rxd.next = self.xgmii_rxd.val();
        self.core.rxc.next = self.xgmii_rxc.val();
        self.xgmii_txd.next = self.core.txd.val();
        self.xgmii_txc.next = self.core.txc.val();
        AxiLiteSlave::link(&mut self.s_axil, &mut self.core.control);
        BusSource::join(&mut self.core.more, &mut self.sampler.bus);
        StreamSource::<64, 8>::join(&mut self.sampler.packets, &mut self.core.packets);
        EventSource::join(&mut self.sampler.event, &mut self.core.sampler_event);

        self.core.port_event.valid.next = false;
        self.core.port_event.code.next = 0.into();
    }
}
