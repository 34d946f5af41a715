//! The first words of a frame that the card sends (RFC 791, RFC 768; IEEE 802.3 clauses 3 and 46).

use nicforge_layout::wire::{ethernet, ipv4, udp, xgmii};

use crate::config::Config;

/// A word of idle codes.
pub(super) const IDLE: u64 = u64::from_le_bytes([xgmii::IDLE; 8]);

/// What each of the [`words`] holds, in two lines.
pub(super) const CAPTIONS: [&str; 4] = [
    "START, preamble,\nSFD",
    "destination,\nsource",
    "source, type,\nversion, DSCP",
    "length, ID, DF,\nTTL, UDP",
];

/// Eight octets or less as a word: the first in bits 7..0.
pub(super) fn word(octets: &[u8]) -> u64 {
    octets.iter().rev().fold(0, |word, octet| word << 8 | u64::from(*octet))
}

/// The words of XGMII from START on, as far as [`CAPTIONS`] go.
pub(super) fn words(config: &Config, payload_octets: usize) -> Vec<u64> {
    let mut octets = vec![xgmii::START];
    octets.extend([xgmii::PREAMBLE; xgmii::PREAMBLE_OCTETS - 2]);
    octets.push(xgmii::SFD);
    octets.extend(header(config, payload_octets));
    octets.chunks_exact(8).take(CAPTIONS.len()).map(word).collect()
}

/// Control bits beside the words: START in lane 0 and nothing else.
pub(super) fn controls(count: usize) -> Vec<Option<u64>> {
    (0..count).map(|n| Some(u64::from(n == 0))).collect()
}

/// Ethernet header and IPv4 header up to its checksum.
pub(super) fn header(config: &Config, payload_octets: usize) -> Vec<u8> {
    let to = &config.stream;
    let length = (ipv4::HEADER_OCTETS + udp::HEADER_OCTETS + payload_octets) as u16;
    let mut octets = Vec::new();
    octets.extend(to.destination_mac.0);
    octets.extend(config.network.mac.0);
    octets.extend(ethernet::TYPE_IPV4.to_be_bytes());
    octets.extend([ipv4::VERSION_IHL, to.dscp << 2]);
    octets.extend(length.to_be_bytes());
    octets.extend(0_u16.to_be_bytes());
    octets.extend(ipv4::FLAGS_DF.to_be_bytes());
    octets.extend([to.ttl, ipv4::PROTOCOL_UDP]);
    octets
}
