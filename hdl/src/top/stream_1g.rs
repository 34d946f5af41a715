//! The sampler stream on 1 GbE.
use crate::config::Config;
use crate::control::{AxiLiteSlave, BusSource};
use crate::stream::{EventSource, StreamSource};
use crate::top::{NetworkCore, TestSampler};
use rust_hdl::prelude::*;

/// Samples to VDIF packets on 1 GbE, ending at GMII.
///
/// Three clocks: the core's, and the two of the port. It listens on no UDP port.
#[derive(LogicBlock)]
pub struct Stream1g {
    /// Core clock, 31.25 to 156.25 MHz.
    pub clk: Signal<In, Clock>,
    /// Synchronous to `clk`, active high.
    pub rst: Signal<In, Bit>,
    /// 125 MHz from the PHY, when there is a link.
    pub gmii_rx_clk: Signal<In, Clock>,
    /// GMII receive data.
    pub gmii_rxd: Signal<In, Bits<8>>,
    /// GMII receive data valid.
    pub gmii_rx_dv: Signal<In, Bit>,
    /// GMII receive error.
    pub gmii_rx_er: Signal<In, Bit>,
    /// 125 MHz.
    pub gmii_tx_clk: Signal<In, Clock>,
    /// GMII transmit data.
    pub gmii_txd: Signal<Out, Bits<8>>,
    /// GMII transmit enable.
    pub gmii_tx_en: Signal<Out, Bit>,
    /// GMII transmit error.
    pub gmii_tx_er: Signal<Out, Bit>,
    /// Registers and counters.
    pub s_axil: AxiLiteSlave,
    /// For lamps: 0 core clock runs (blinks), 1 link, 2 activity, 3 stream.
    pub status: Signal<Out, Bits<4>>,

    core: NetworkCore,
    sampler: TestSampler,
}

impl Stream1g {
    /// The design with the reset values of this configuration.
    pub fn new(config: &Config) -> Self {
        let words = config.register_words();
        Self {
            clk: Default::default(),
            rst: Default::default(),
            gmii_rx_clk: Default::default(),
            gmii_rxd: Default::default(),
            gmii_rx_dv: Default::default(),
            gmii_rx_er: Default::default(),
            gmii_tx_clk: Default::default(),
            gmii_txd: Default::default(),
            gmii_tx_en: Default::default(),
            gmii_tx_er: Default::default(),
            s_axil: Default::default(),
            status: Default::default(),
            core: NetworkCore::new(&words),
            sampler: TestSampler::new(&words),
        }
    }
}

impl Logic for Stream1g {
    #[hdl_gen]
    fn update(&mut self) {
        self.core.clock.next = self.clk.val();
        self.core.reset.next = self.rst.val();
        self.sampler.clock.next = self.clk.val();
        self.sampler.reset.next = self.rst.val();
        AxiLiteSlave::link(&mut self.s_axil, &mut self.core.control);
        BusSource::join(&mut self.core.more, &mut self.sampler.bus);
        StreamSource::<64, 8>::join(&mut self.sampler.packets, &mut self.core.packets);
        EventSource::join(&mut self.sampler.event, &mut self.core.sampler_event);
        self.core.port_event.valid.next = false;
        self.core.port_event.code.next = 0.into();

        // The port is not connected to its lines yet: nothing comes in, and what goes out is lost.
        self.core.received.data.next = 0.into();
        self.core.received.keep.next = 0.into();
        self.core.received.last.next = false;
        self.core.received.error.next = false;
        self.core.received.valid.next = false;
        self.core.rx_total.valid.next = false;
        self.core.rx_total.code.next = 0.into();
        self.core.rx_verdict.valid.next = false;
        self.core.rx_verdict.code.next = 0.into();
        self.core.to_send.ready.next = true;
        self.core.tx_event.valid.next = false;
        self.core.tx_event.code.next = 0.into();
        // GMII has no ordered sets.
        self.core.link_event.valid.next = false;
        self.core.link_event.code.next = 0.into();
        self.gmii_txd.next = 0.into();
        self.gmii_tx_en.next = false;
        self.gmii_tx_er.next = false;
        self.status.next = 0.into();
    }
}
