//! The sampler stream on 1 GbE.
use crate::config::Config;
use crate::control::{AxiLiteSlave, BusSource};
use crate::eth::{ClockWatch, GmiiRx, GmiiTx};
use crate::stream::{EventSource, FlowSource, StreamSource};
use crate::top::{Lamps, NetworkCore, TestSampler};
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
    /// What [`Lamps`] shows: 0 heartbeat of the core clock, 1 the receive clock runs at 125 MHz,
    /// 2 activity, 3 stream.
    pub status: Signal<Out, Bits<4>>,

    core: NetworkCore,
    sampler: TestSampler,
    receiver: GmiiRx,
    transmitter: GmiiTx,
    watch: ClockWatch,
    lamps: Lamps,
}

/// Ticks of the lamps in a second.
const TICKS: u64 = 1000;

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
            receiver: Default::default(),
            transmitter: Default::default(),
            watch: ClockWatch::new(config.core_clock_hertz()),
            lamps: Lamps::new(config.core_clock_hertz() / TICKS),
        }
    }
}

impl Logic for Stream1g {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: stream_1g - samples to VDIF packets on 1 GbE");
        self.core.clock.next = self.clk.val();
        self.core.reset.next = self.rst.val();
        self.sampler.clock.next = self.clk.val();
        self.sampler.reset.next = self.rst.val();
        AxiLiteSlave::link(&mut self.s_axil, &mut self.core.control);
        BusSource::join(&mut self.core.more, &mut self.sampler.bus);
        StreamSource::<64, 8>::join(&mut self.sampler.packets, &mut self.core.packets);
        self.core.sampler_event.valid.next = self.sampler.event.valid.val();
        self.core.sampler_event.code.next = self.sampler.event.code.val();
        self.core.port_event.valid.next = false;
        self.core.port_event.code.next = 0.into();

        self.receiver.clock.next = self.clk.val();
        self.receiver.reset.next = self.rst.val();
        self.receiver.rx_clk.next = self.gmii_rx_clk.val();
        self.receiver.rxd.next = self.gmii_rxd.val();
        self.receiver.rx_dv.next = self.gmii_rx_dv.val();
        self.receiver.rx_er.next = self.gmii_rx_er.val();
        self.receiver.enable.next = self.core.rx_enable.val();
        self.receiver.max_frame.next = self.core.rx_max_frame.val();
        FlowSource::<64, 8>::join(&mut self.receiver.frames, &mut self.core.received);
        EventSource::join(&mut self.receiver.total, &mut self.core.rx_total);
        self.core.rx_verdict.valid.next = self.receiver.verdict.valid.val();
        self.core.rx_verdict.code.next = self.receiver.verdict.code.val();

        self.transmitter.clock.next = self.clk.val();
        self.transmitter.reset.next = self.rst.val();
        self.transmitter.tx_clk.next = self.gmii_tx_clk.val();
        StreamSource::<64, 8>::join(&mut self.core.to_send, &mut self.transmitter.frames);
        self.gmii_txd.next = self.transmitter.txd.val();
        self.gmii_tx_en.next = self.transmitter.tx_en.val();
        self.gmii_tx_er.next = self.transmitter.tx_er.val();
        self.core.tx_event.valid.next = self.transmitter.event.valid.val();
        self.core.tx_event.code.next = self.transmitter.event.code.val();

        self.watch.clock.next = self.clk.val();
        self.watch.reset.next = self.rst.val();
        self.watch.watched.next = self.gmii_rx_clk.val();
        self.lamps.clock.next = self.clk.val();
        self.lamps.reset.next = self.rst.val();
        self.lamps.link.next = self.watch.runs.val();
        self.lamps.received.valid.next = self.receiver.verdict.valid.val();
        self.lamps.received.code.next = self.receiver.verdict.code.val();
        self.lamps.sent.valid.next = self.transmitter.event.valid.val();
        self.lamps.sent.code.next = self.transmitter.event.code.val();
        self.lamps.packets.valid.next = self.sampler.event.valid.val();
        self.lamps.packets.code.next = self.sampler.event.code.val();
        self.status.next = self.lamps.status.val();

        // GMII has no ordered sets.
        self.core.link_event.valid.next = false;
        self.core.link_event.code.next = 0.into();
    }
}
