//! Timing diagrams of a design's ports, computed from the configuration and from the latencies that the blocks
//! promise. The test benches play each of them on the verilated design and compare every clock.

mod draw;
mod frame;

use nicforge_layout::registers;
use nicforge_layout::wire::xgmii;

use crate::config::{Config, Top};

/// Clocks from the last word of a packet at `s_axis_udp` to the word with START on XGMII: packet buffer 8, headers
/// 2, arbiter and slice 1, MAC 2.
const PACKET_TO_WIRE_CLOCKS: usize = 13;
/// Clocks from an address taken by the AXI4-Lite slave to its answer.
const READ_CLOCKS: usize = 5;
/// Octets of the packet that is shown.
const SHOWN_OCTETS: usize = 18;

/// What happens at some ports of a design, clock by clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// What is shown.
    pub title: String,
    /// The clock's port.
    pub clock: &'static str,
    /// The ports.
    pub lanes: Vec<Lane>,
    /// What stands below the last lane, one text of some lines a clock.
    pub captions: Vec<&'static str>,
    /// Clocks left out, and behind which of those shown.
    pub gap: Option<Gap>,
}

/// Clocks that a picture leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Index of the last clock shown before it.
    pub behind: usize,
    /// How many are left out.
    pub clocks: usize,
}

/// A port of a panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The port.
    pub port: &'static str,
    /// Its width in bits.
    pub width: usize,
    /// Its value in each clock; `None` where it means nothing.
    pub values: Vec<Option<u64>>,
}

impl Lane {
    fn new(port: &'static str, width: usize, values: &[Option<u64>]) -> Self {
        Self { port, width, values: values.to_vec() }
    }
    /// A bit that means something all the time.
    fn bit(port: &'static str, values: &[u8]) -> Self {
        Self { port, width: 1, values: values.iter().map(|value| Some(u64::from(*value))).collect() }
    }
}

/// The panels of a design, computed.
pub fn panels(config: &Config) -> Vec<Panel> {
    let mut panels = match config.top {
        Top::UdpCore => vec![packet_to_wire(config)],
        Top::Ibob => vec![start_on_xgmii(config)],
        Top::Stream1g => vec![start_on_gmii(config)],
    };
    panels.push(register_read());
    panels
}

/// The picture of all panels, under this comment.
pub(super) fn timing(config: &Config, header: &str) -> String {
    draw::picture(config.top.name(), &panels(config), header)
}

/// A read of the first register.
fn register_read() -> Panel {
    // Clock 0: nothing; 1: the address is taken; the answer comes and goes in one clock; nothing again.
    let (taken, clocks) = (1, READ_CLOCKS + 4);
    let answered = taken + READ_CLOCKS;
    let only = |clock: usize| -> Vec<u8> { (0..clocks).map(|n| u8::from(n == clock)).collect() };
    let at = |clock: usize, value: u64| -> Vec<Option<u64>> {
        (0..clocks).map(|n| (n == clock).then_some(value)).collect()
    };
    let free: Vec<u8> = (0..clocks).map(|n| u8::from(n <= taken || n > answered)).collect();
    Panel {
        title: "A register is read: map_digest through AXI4-Lite".to_owned(),
        clock: "clk",
        lanes: vec![
            Lane::bit("s_axil_arvalid", &only(taken)),
            Lane::bit("s_axil_arready", &free),
            Lane::new("s_axil_araddr", 12, &at(taken, registers::map_digest::REG.offset.into())),
            Lane::bit("s_axil_rvalid", &only(answered)),
            Lane::bit("s_axil_rready", &vec![1; clocks]),
            Lane::new("s_axil_rdata", 32, &at(answered, registers::digest().into())),
            Lane::new("s_axil_rresp", 2, &at(answered, 0)),
        ],
        captions: Vec::new(),
        gap: None,
    }
}

/// A packet of three words goes in and its frame comes out.
fn packet_to_wire(config: &Config) -> Panel {
    let payload: Vec<u8> = (0..SHOWN_OCTETS as u8).collect();
    let packet: Vec<u64> = payload.chunks(8).map(frame::word).collect();
    let shown = frame::words(config, SHOWN_OCTETS);
    let (before, after) = (packet.len() + 1, shown.len());
    let late = |value: u64| (0..before).map(|_| Some(value)).collect::<Vec<_>>();
    let input = |values: &[u64]| -> Vec<Option<u64>> {
        let filled = values.iter().map(|value| Some(*value)).chain(std::iter::repeat(None));
        filled.take(before + after).collect()
    };
    let keep = |octets: &[u8]| (1 << octets.len()) - 1;
    let valid: Vec<u8> = (0..before + after).map(|n| u8::from(n < packet.len())).collect();
    let last: Vec<u64> = (0..packet.len()).map(|n| u64::from(n + 1 == packet.len())).collect();
    Panel {
        title: format!("A packet of {SHOWN_OCTETS} octets becomes a frame: from s_axis_udp to XGMII"),
        clock: "clk",
        lanes: vec![
            Lane::bit("s_axis_udp_tvalid", &valid),
            Lane::new("s_axis_udp_tready", 1, &input(&vec![1; packet.len()])),
            Lane::new("s_axis_udp_tdata", 64, &input(&packet)),
            Lane::new("s_axis_udp_tkeep", 8, &input(&payload.chunks(8).map(keep).collect::<Vec<_>>())),
            Lane::new("s_axis_udp_tlast", 1, &input(&last)),
            Lane::new(
                "xgmii_txd",
                64,
                &[late(frame::IDLE), shown.iter().map(|w| Some(*w)).collect()].concat(),
            ),
            Lane::new("xgmii_txc", 8, &[late(0xff), frame::controls(after)].concat()),
        ],
        captions: [vec![""; before], frame::CAPTIONS.to_vec()].concat(),
        // The last word goes in in the clock before the last one shown.
        gap: Some(Gap { behind: before - 1, clocks: PACKET_TO_WIRE_CLOCKS - 2 }),
    }
}

/// The first words of a stream's frame.
fn start_on_xgmii(config: &Config) -> Panel {
    let shown = frame::words(config, config.payload_octets() as usize);
    let words = std::iter::once(frame::IDLE).chain(shown.iter().copied()).map(Some).collect::<Vec<_>>();
    let controls = [vec![Some(0xff)], frame::controls(shown.len())].concat();
    Panel {
        title: "The start of a packet of the stream on XGMII".to_owned(),
        clock: "clk",
        lanes: vec![Lane::new("xgmii_txd", 64, &words), Lane::new("xgmii_txc", 8, &controls)],
        captions: [vec!["idle"], frame::CAPTIONS.to_vec()].concat(),
        gap: None,
    }
}

/// The first octets of a stream's frame: preamble and the beginning of the header.
fn start_on_gmii(config: &Config) -> Panel {
    let header = frame::header(config, config.payload_octets() as usize);
    let preamble = [xgmii::PREAMBLE; xgmii::PREAMBLE_OCTETS - 1].into_iter().chain([xgmii::SFD]);
    let octets: Vec<u8> = preamble.chain(header.into_iter().take(14)).collect();
    let values = std::iter::once(None).chain(octets.iter().map(|octet| Some(u64::from(*octet))));
    let enable: Vec<u8> = std::iter::once(0).chain(octets.iter().map(|_| 1)).collect();
    Panel {
        title: "The start of a packet of the stream on GMII: preamble, destination, source, type".to_owned(),
        clock: "gmii_tx_clk",
        lanes: vec![
            Lane::bit("gmii_tx_en", &enable),
            Lane::new("gmii_txd", 8, &values.collect::<Vec<_>>()),
            Lane::bit("gmii_tx_er", &vec![0; enable.len()]),
        ],
        captions: Vec::new(),
        gap: None,
    }
}
