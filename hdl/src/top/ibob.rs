//! The sampler board.
use crate::config::Config;
use crate::control::{AxiLiteSlave, BusSource, SamplerRegisters};
use crate::sampler::{SampleSource, TestSource, VdifFramer};
use crate::stream::StreamSource;
use crate::top::NetworkCore;
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

    core: NetworkCore,
    registers: SamplerRegisters,
    test_source: TestSource,
    framer: VdifFramer,
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
            core: NetworkCore::new(&words),
            registers: SamplerRegisters::new(&words),
            test_source: Default::default(),
            framer: Default::default(),
        }
    }
}

impl Logic for Ibob {
    #[hdl_gen]
    fn update(&mut self) {
        self.core.clock.next = self.clk.val();
        self.core.reset.next = self.rst.val();
        self.registers.clock.next = self.clk.val();
        self.registers.reset.next = self.rst.val();
        self.test_source.clock.next = self.clk.val();
        self.test_source.reset.next = self.rst.val();
        self.framer.clock.next = self.clk.val();
        self.framer.reset.next = self.rst.val();
        self.core.rxd.next = self.xgmii_rxd.val();
        self.core.rxc.next = self.xgmii_rxc.val();
        self.xgmii_txd.next = self.core.txd.val();
        self.xgmii_txc.next = self.core.txc.val();
        AxiLiteSlave::link(&mut self.s_axil, &mut self.core.control);
        BusSource::join(&mut self.core.more, &mut self.registers.bus);

        self.test_source.enable.next = self.registers.sampler_control_enable.val().any();
        self.test_source.source.next = self.registers.sampler_control_source.val();
        self.test_source.load.next = self.framer.loaded.val();
        self.test_source.numerator.next = self.registers.sampler_pace_numerator.val();
        self.test_source.denominator.next = self.registers.sampler_pace_denominator.val();
        self.test_source.tone_step.next = self.registers.tone_step.val();
        self.test_source.tone_amplitude.next = self.registers.tone_amplitude.val();
        SampleSource::join(&mut self.test_source.samples, &mut self.framer.samples);

        self.framer.enable.next = self.registers.sampler_control_enable.val().any();
        self.framer.load.next = self.registers.sampler_control_load.val().any();
        self.framer.limit.next = self.registers.sampler_packets.val();
        self.framer.seconds.next = self.registers.vdif_seconds.val();
        self.framer.epoch.next = self.registers.vdif_frame_epoch.val();
        self.framer.frame.next = self.registers.vdif_frame.val();
        self.framer.frames_per_second.next = self.registers.vdif_rate.val();
        self.framer.data_words.next = self.registers.vdif_layout_data_words.val();
        self.framer.station.next = self.registers.vdif_station_station.val();
        self.framer.thread.next = self.registers.vdif_station_thread.val();
        self.framer.serial.next = bit_cast::<64, 32>(self.registers.vtp_serial_high.val()) << 32
            | bit_cast::<64, 32>(self.registers.vtp_serial_low.val());
        self.registers.sampler_sent.next = self.framer.sent.val();
        StreamSource::<64, 8>::join(&mut self.framer.packets, &mut self.core.packets);
        self.core.sampler_event.valid.next = self.framer.event.valid.val();
        self.core.sampler_event.code.next = self.framer.event.code.val();

        self.core.port_event.valid.next = false;
        self.core.port_event.code.next = 0.into();
    }
}
