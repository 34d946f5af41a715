//! The network core with its 10GbE port.
use crate::control::{AxiLiteSlave, BusSource};
use crate::eth::{LinkFault, MacRx, MacTx};
use crate::stream::{EventSink, EventSource, FlowSource, StreamSink, StreamSource};
use crate::top::NetworkCore;
use nicforge_layout::wire::ethernet;
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// The core between XGMII and payloads: [`NetworkCore`], [`MacRx`] and [`MacTx`]. Wiring only.
#[derive(LogicBlock)]
pub struct XgmiiCore {
    /// 156.25 MHz.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// XGMII receive data, lane 0 in bits 7..0.
    pub rxd: Signal<In, Bits<64>>,
    /// XGMII receive control, one bit a lane.
    pub rxc: Signal<In, Bits<8>>,
    /// XGMII transmit data.
    pub txd: Signal<Out, Bits<64>>,
    /// XGMII transmit control.
    pub txc: Signal<Out, Bits<8>>,
    /// Registers and counters.
    pub control: AxiLiteSlave,
    /// Register groups of the top.
    pub more: BusSource,
    /// UDP payloads received.
    pub payload: FlowSource<64, 8>,
    /// UDP payloads to send.
    pub packets: StreamSink<64, 8>,
    /// What happened to a payload behind this block.
    pub port_event: EventSink,
    /// What the sampler did.
    pub sampler_event: EventSink,

    mac_rx: MacRx,
    mac_tx: MacTx,
    fault: LinkFault,
    network: NetworkCore,
    largest: Constant<Bits<15>>,
}

impl XgmiiCore {
    /// The core with these reset values and constants, by register name.
    pub fn new(words: &BTreeMap<&'static str, u32>) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rxd: Default::default(),
            rxc: Default::default(),
            txd: Default::default(),
            txc: Default::default(),
            control: Default::default(),
            more: Default::default(),
            payload: Default::default(),
            packets: Default::default(),
            port_event: Default::default(),
            sampler_event: Default::default(),
            mac_rx: Default::default(),
            mac_tx: Default::default(),
            fault: Default::default(),
            network: NetworkCore::new(words),
            largest: Constant::new(ethernet::MAX_FRAME_OCTETS.to_bits()),
        }
    }
}

impl Logic for XgmiiCore {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: xgmii_core - the network core with its 10GbE port");
        clock!(self, clock, mac_rx, mac_tx, fault, network);
        self.mac_rx.reset.next = self.reset.val();
        self.mac_tx.reset.next = self.reset.val();
        self.fault.reset.next = self.reset.val();
        self.network.reset.next = self.reset.val();

        self.mac_rx.rxd.next = self.rxd.val();
        self.mac_rx.rxc.next = self.rxc.val();
        self.mac_rx.enable.next = self.network.rx_enable.val();
        self.mac_rx.max_frame.next = self.network.rx_max_frame.val();
        FlowSource::<64, 8>::join(&mut self.mac_rx.frames, &mut self.network.received);
        EventSource::join(&mut self.mac_rx.total, &mut self.network.rx_total);
        EventSource::join(&mut self.mac_rx.verdict, &mut self.network.rx_verdict);

        self.fault.rxd.next = self.rxd.val();
        self.fault.rxc.next = self.rxc.val();
        EventSource::join(&mut self.fault.event, &mut self.network.link_event);

        StreamSource::<64, 8>::join(&mut self.network.to_send, &mut self.mac_tx.frames);
        self.mac_tx.max_frame.next = self.largest.val();
        self.mac_tx.hold.next = self.fault.local_fault.val() | self.fault.remote_fault.val();
        self.mac_tx.answer.next = self.fault.local_fault.val();
        EventSource::join(&mut self.mac_tx.event, &mut self.network.tx_event);
        self.txd.next = self.mac_tx.txd.val();
        self.txc.next = self.mac_tx.txc.val();

        AxiLiteSlave::link(&mut self.control, &mut self.network.control);
        BusSource::link(&mut self.more, &mut self.network.more);
        FlowSource::<64, 8>::link(&mut self.payload, &mut self.network.payload);
        StreamSink::<64, 8>::link(&mut self.packets, &mut self.network.packets);
        EventSink::link(&mut self.port_event, &mut self.network.port_event);
        EventSink::link(&mut self.sampler_event, &mut self.network.sampler_event);
    }
}
