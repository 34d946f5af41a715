//! The part that every card shares: everything behind the MAC.
use crate::control::{AxiLite, AxiLiteSlave, BusSource, CoreRegisters, Statistics};
use crate::eth::AddressFilter;
use crate::ip::{ArpReply, EchoReply, PacketBuffer, Receive, UdpTransmit};
use crate::stream::{Arbiter, EventSink, EventSource, FlowSink, FlowSource, Slice, StreamSink, StreamSource};
use crate::top::MacOrder;
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// Address filter, ARP, ICMP echo, UDP both ways, registers and counters.
///
/// Wiring only, on one clock; it knows nothing of the line behind the MAC. Received datagrams leave as a flow that cannot wait (`payload`); packets to send
/// come as a stream. Register groups of the top hang on `more`, counters of the top on `port_event`
/// and `sampler_event`.
#[derive(LogicBlock)]
pub struct NetworkCore {
    /// The core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Frames that the MAC received, destination address to end of data.
    pub received: FlowSink<64, 8>,
    /// `rx_frames`, from the MAC.
    pub rx_total: EventSink,
    /// The MAC's verdict of each frame received.
    pub rx_verdict: EventSink,
    /// Whether the MAC shall receive.
    pub rx_enable: Signal<Out, Bit>,
    /// Longest frame that the MAC shall pass on, in octets with FCS.
    pub rx_max_frame: Signal<Out, Bits<15>>,
    /// Frames for the MAC to send, destination address to end of data.
    pub to_send: StreamSource<64, 8>,
    /// What the MAC did with each of them.
    pub tx_event: EventSink,
    /// What the line and its other end said.
    pub link_event: EventSink,
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

    filter: AddressFilter,
    receive: Receive,
    arp: ArpReply,
    echo: EchoReply,
    buffer: PacketBuffer<11>,
    transmit: UdpTransmit,
    arbiter: Arbiter<64, 8, 3>,
    chosen: Slice<64, 8>,
    bridge: AxiLite,
    registers: CoreRegisters,
    statistics: Statistics<11>,
    own_mac: MacOrder,
    destination_mac: MacOrder,
}

impl NetworkCore {
    /// The core with these reset values and constants, by register name.
    pub fn new(words: &BTreeMap<&'static str, u32>) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            received: Default::default(),
            rx_total: Default::default(),
            rx_verdict: Default::default(),
            rx_enable: Default::default(),
            rx_max_frame: Default::default(),
            to_send: Default::default(),
            tx_event: Default::default(),
            link_event: Default::default(),
            control: Default::default(),
            more: Default::default(),
            payload: Default::default(),
            packets: Default::default(),
            port_event: Default::default(),
            sampler_event: Default::default(),
            filter: Default::default(),
            receive: Default::default(),
            arp: Default::default(),
            echo: Default::default(),
            buffer: Default::default(),
            transmit: Default::default(),
            arbiter: Default::default(),
            chosen: Default::default(),
            bridge: Default::default(),
            registers: CoreRegisters::new(words),
            statistics: Default::default(),
            own_mac: Default::default(),
            destination_mac: Default::default(),
        }
    }
}

impl Logic for NetworkCore {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: network_core");
        clock!(
            self, clock, filter, receive, arp, echo, buffer, transmit, arbiter, chosen, bridge, registers,
            statistics
        );
        self.filter.reset.next = self.reset.val();
        self.receive.reset.next = self.reset.val();
        self.arp.reset.next = self.reset.val();
        self.echo.reset.next = self.reset.val();
        self.buffer.reset.next = self.reset.val();
        self.transmit.reset.next = self.reset.val();
        self.arbiter.reset.next = self.reset.val();
        self.chosen.reset.next = self.reset.val();
        self.bridge.reset.next = self.reset.val();
        self.registers.reset.next = self.reset.val();
        self.statistics.reset.next = self.reset.val();

        // The MAC to the payload.
        self.rx_enable.next = self.registers.rx_control_enable.val().any();
        self.rx_max_frame.next = self.registers.rx_control_max_frame.val();
        FlowSink::<64, 8>::link(&mut self.received, &mut self.filter.frames_in);
        self.filter.own_mac.next = self.own_mac.mac.val();
        FlowSource::<64, 8>::join(&mut self.filter.frames_out, &mut self.receive.frames);
        self.receive.broadcast.next = self.filter.broadcast.val();
        self.receive.own_mac.next = self.own_mac.mac.val();
        self.receive.own_ip.next = self.registers.ip.val();
        self.receive.netmask.next = self.registers.netmask.val();
        self.receive.udp_port.next = self.registers.udp_rx_port.val();
        FlowSource::<64, 8>::link(&mut self.payload, &mut self.receive.payload);

        // What the card answers by itself.
        self.arp.request.next = self.receive.arp_request.val();
        self.arp.sender_mac.next = self.receive.sender_mac.val();
        self.arp.sender_ip.next = self.receive.sender_ip.val();
        self.arp.own_mac.next = self.own_mac.mac.val();
        self.arp.own_ip.next = self.registers.ip.val();
        self.echo.frames.data.next = self.filter.frames_out.data.val();
        self.echo.frames.keep.next = self.filter.frames_out.keep.val();
        self.echo.frames.last.next = self.filter.frames_out.last.val();
        self.echo.frames.error.next = self.filter.frames_out.error.val();
        self.echo.frames.valid.next = self.filter.frames_out.valid.val();
        self.echo.echo_request.next = self.receive.echo_request.val();
        self.echo.sender_mac.next = self.receive.sender_mac.val();
        self.echo.sender_ip.next = self.receive.sender_ip.val();
        self.echo.own_mac.next = self.own_mac.mac.val();
        self.echo.own_ip.next = self.registers.ip.val();

        // The packet to the MAC.
        StreamSink::<64, 8>::link(&mut self.packets, &mut self.buffer.packets);
        self.buffer.limit.next = self.registers.udp_tx_limit_octets.val();
        StreamSource::<64, 8>::join(&mut self.buffer.source, &mut self.transmit.payload);
        self.transmit.length.next = self.buffer.length.val();
        self.transmit.sum.next = self.buffer.sum.val();
        self.transmit.own_mac.next = self.own_mac.mac.val();
        self.transmit.own_ip.next = self.registers.ip.val();
        self.transmit.destination_mac.next = self.destination_mac.mac.val();
        self.transmit.destination_ip.next = self.registers.udp_tx_ip.val();
        self.transmit.source_port.next = self.registers.udp_tx_ports_source.val();
        self.transmit.destination_port.next = self.registers.udp_tx_ports_destination.val();
        self.transmit.ttl.next = self.registers.udp_tx_control_ttl.val();
        self.transmit.dscp.next = self.registers.udp_tx_control_dscp.val();
        self.transmit.checksum.next = self.registers.udp_tx_control_checksum.val().any();
        StreamSource::<64, 8>::join(&mut self.transmit.frames, &mut self.arbiter.sinks[0]);
        StreamSource::<64, 8>::join(&mut self.arp.frames, &mut self.arbiter.sinks[1]);
        StreamSource::<64, 8>::join(&mut self.echo.reply, &mut self.arbiter.sinks[2]);
        // The arbiter's multiplexer ends in registers: behind it the MAC has its whole cycle.
        StreamSource::<64, 8>::join(&mut self.arbiter.source, &mut self.chosen.sink);
        StreamSource::<64, 8>::link(&mut self.to_send, &mut self.chosen.source);

        // Registers.
        AxiLiteSlave::link(&mut self.control, &mut self.bridge.s_axil);
        self.registers.bus.address.next = self.bridge.bus.address.val();
        self.registers.bus.data.next = self.bridge.bus.data.val();
        self.registers.bus.write.next = self.bridge.bus.write.val();
        self.registers.bus.read.next = self.bridge.bus.read.val();
        self.statistics.bus.address.next = self.bridge.bus.address.val();
        self.statistics.bus.data.next = self.bridge.bus.data.val();
        self.statistics.bus.write.next = self.bridge.bus.write.val();
        self.statistics.bus.read.next = self.bridge.bus.read.val();
        self.more.address.next = self.bridge.bus.address.val();
        self.more.data.next = self.bridge.bus.data.val();
        self.more.write.next = self.bridge.bus.write.val();
        self.more.read.next = self.bridge.bus.read.val();
        self.bridge.bus.answer.next =
            self.registers.bus.answer.val() | self.statistics.bus.answer.val() | self.more.answer.val();
        self.bridge.bus.hit.next =
            self.registers.bus.hit.val() | self.statistics.bus.hit.val() | self.more.hit.val();
        self.own_mac.high.next = self.registers.mac_high.val();
        self.own_mac.low.next = self.registers.mac_low.val();
        self.destination_mac.high.next = self.registers.udp_tx_mac_high.val();
        self.destination_mac.low.next = self.registers.udp_tx_mac_low.val();

        // Counters.
        EventSink::link(&mut self.rx_total, &mut self.statistics.events[0]);
        EventSink::link(&mut self.rx_verdict, &mut self.statistics.events[1]);
        EventSource::join(&mut self.filter.event, &mut self.statistics.events[2]);
        EventSource::join(&mut self.receive.verdict, &mut self.statistics.events[3]);
        EventSource::join(&mut self.arp.busy_event, &mut self.statistics.events[4]);
        EventSource::join(&mut self.echo.busy_event, &mut self.statistics.events[5]);
        EventSource::join(&mut self.buffer.event, &mut self.statistics.events[6]);
        EventSink::link(&mut self.tx_event, &mut self.statistics.events[7]);
        EventSink::link(&mut self.port_event, &mut self.statistics.events[8]);
        EventSink::link(&mut self.sampler_event, &mut self.statistics.events[9]);
        EventSink::link(&mut self.link_event, &mut self.statistics.events[10]);
        self.statistics.snapshot.next = self.registers.statistics_snapshot.val();
        self.statistics.preset.next = self.registers.statistics_preset.val();
        self.statistics.code.next = self.registers.statistics_code.val();
        self.statistics.preset_value.next = bit_cast::<64, 32>(self.registers.preset_high.val()) << 32
            | bit_cast::<64, 32>(self.registers.preset_low.val());
        self.registers.statistics_status_busy.next = self.statistics.busy.val();
        self.registers.statistics_status_lost.next = self.statistics.lost.val();
    }
}
