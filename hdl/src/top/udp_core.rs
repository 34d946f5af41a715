//! The standalone UDP core.
use crate::config::Config;
use crate::control::AxiLiteSlave;
use crate::stream::{AxisSink, AxisSource, FlowSource, FrameFifo};
use crate::top::XgmiiCore;
use nicforge_layout::counters;
use rust_hdl::prelude::*;

/// XGMII on one side, AXI4-Stream and AXI4-Lite on the other.
///
/// Received datagrams come out whole or not at all: the buffer behind the core holds 16 KiB and
/// drops, and counts, what does not fit.
#[derive(LogicBlock)]
pub struct UdpCore {
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
    /// UDP payloads to send.
    pub s_axis_udp: AxisSink,
    /// UDP payloads received.
    pub m_axis_udp: AxisSource,

    core: XgmiiCore,
    received: FrameFifo<64, 8, 11>,
}

impl UdpCore {
    /// The core with the reset values of this configuration.
    pub fn new(config: &Config) -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            xgmii_rxd: Default::default(),
            xgmii_rxc: Default::default(),
            xgmii_txd: Default::default(),
            xgmii_txc: Default::default(),
            s_axil: Default::default(),
            s_axis_udp: Default::default(),
            m_axis_udp: Default::default(),
            core: XgmiiCore::new(&config.register_words()),
            received: FrameFifo::new(counters::UDP_RX_OVERFLOW),
        }
    }
}

impl Logic for UdpCore {
    #[hdl_gen]
    fn update(&mut self) {
        self.core.clock.next = self.clk.val();
        self.core.reset.next = self.rst.val();
        self.received.clock.next = self.clk.val();
        self.received.reset.next = self.rst.val();
        self.core.rxd.next = self.xgmii_rxd.val();
        self.core.rxc.next = self.xgmii_rxc.val();
        self.xgmii_txd.next = self.core.txd.val();
        self.xgmii_txc.next = self.core.txc.val();
        AxiLiteSlave::link(&mut self.s_axil, &mut self.core.control);

        FlowSource::<64, 8>::join(&mut self.core.payload, &mut self.received.flow);
        self.m_axis_udp.tdata.next = self.received.source.data.val();
        self.m_axis_udp.tkeep.next = self.received.source.keep.val();
        self.m_axis_udp.tlast.next = self.received.source.last.val();
        self.m_axis_udp.tuser.next = self.received.source.error.val();
        self.m_axis_udp.tvalid.next = self.received.source.valid.val();
        self.received.source.ready.next = self.m_axis_udp.tready.val();
        self.core.port_event.valid.next = self.received.dropped.valid.val();
        self.core.port_event.code.next = self.received.dropped.code.val();

        self.core.packets.data.next = self.s_axis_udp.tdata.val();
        self.core.packets.keep.next = self.s_axis_udp.tkeep.val();
        self.core.packets.last.next = self.s_axis_udp.tlast.val();
        self.core.packets.error.next = self.s_axis_udp.tuser.val();
        self.core.packets.valid.next = self.s_axis_udp.tvalid.val();
        self.s_axis_udp.tready.next = self.core.packets.ready.val();

        // No sampler and no further registers here.
        self.core.sampler_event.valid.next = false;
        self.core.sampler_event.code.next = 0.into();
        self.core.more.answer.next = 0.into();
        self.core.more.hit.next = false;
    }
}
