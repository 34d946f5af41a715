//! What stands beside the wires of a block diagram, and at its foot.

use crate::config::Config;
use crate::outputs::rates::{self, Stream, WORD_BITS, si};
use nicforge_layout::registers as map;
use nicforge_layout::wire::{ethernet, udp};

/// What stands beside the wires.
pub(super) struct Labels {
    /// A stream at the core clock.
    pub(super) word: String,
    /// Samples.
    pub(super) samples: String,
    /// Packets to send.
    pub(super) payload: String,
    /// The stream on the wire.
    pub(super) wire: String,
}

impl Labels {
    /// The texts of a configuration.
    pub(super) fn new(config: &Config) -> Self {
        let word = format!("{WORD_BITS} bits, {}", si(rates::word_bits(config), "bit/s"));
        if !config.top.has_sampler() {
            return Self { samples: String::new(), payload: word.clone(), wire: word.clone(), word };
        }
        let Stream { sample_bits, payload_bits, wire_bits, share, .. } = rates::stream(config);
        Self {
            word,
            samples: format!("samples: 8 x 8 bits, {}", si(sample_bits, "bit/s")),
            payload: format!("{WORD_BITS} bits, {}", si(payload_bits, "bit/s")),
            wire: format!("{}, {:.1} % of the link", si(wire_bits, "bit/s"), 100.0 * share),
        }
    }
}

/// Three columns of text, each with a heading.
pub(super) fn foot(config: &Config) -> [Vec<String>; 3] {
    [link(config), stream(config), registers(config)]
}

fn link(config: &Config) -> Vec<String> {
    let network = &config.network;
    vec![
        "Link".to_owned(),
        format!("MAC {}", network.mac),
        format!("IPv4 {}, mask {}", network.ip, network.netmask),
        format!("MTU {} octets", network.mtu),
        format!("core clock {}", si(config.core_clock_hertz() as f64, "Hz")),
    ]
}

fn stream(config: &Config) -> Vec<String> {
    let to = &config.stream;
    let mut lines = vec![
        "UDP sent".to_owned(),
        format!("from {} port {}", config.network.ip, to.source_port),
        format!("to {} port {}", to.destination_ip, to.destination_port),
    ];
    if config.top.has_sampler() {
        let stream = rates::stream(config);
        lines.push(format!("{:.0} packets/s of {} octets", stream.packets, stream.payload_octets));
        lines.push(Labels::new(config).wire);
    } else {
        let limit = config.network.mtu - (udp::ALL_HEADERS_OCTETS - ethernet::HEADER_OCTETS) as u32;
        lines.push(format!("payloads to {limit} octets"));
    }
    lines
}

fn registers(config: &Config) -> Vec<String> {
    vec![
        "Registers".to_owned(),
        format!("map digest {:#010x}", map::digest()),
        format!("configuration digest 0x{}", config.digest_hex().get(..8).unwrap_or_default()),
        format!("window of {} octets", map::SPACE),
    ]
}
