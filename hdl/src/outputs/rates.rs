//! Rates of a design and of its stream, computed from the configuration.

use nicforge_layout::wire::{ethernet, udp, xgmii};

use crate::config::{Config, Pace};

/// Bits of a word of the card's streams.
pub(super) const WORD_BITS: u64 = 64;
/// Octets of the wire around a frame without FCS: preamble, FCS, gap.
const AROUND_OCTETS: u64 = (xgmii::PREAMBLE_OCTETS + ethernet::FCS_OCTETS + ethernet::IFG_OCTETS) as u64;

/// The packets of a sampler's stream, and what they fill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stream {
    /// UDP payload of a packet in octets.
    pub(super) payload_octets: u64,
    /// From preamble to gap, in octets.
    pub(super) wire_octets: u64,
    /// Packets a second.
    pub(super) packets: f64,
    /// Samples, in bits a second.
    pub(super) sample_bits: f64,
    /// UDP payload, in bits a second.
    pub(super) payload_bits: f64,
    /// Preamble, frame and gap, in bits a second.
    pub(super) wire_bits: f64,
    /// Share of the link that these fill, at most 1.
    pub(super) share: f64,
}

/// The stream of a configuration with a sampler.
pub(super) fn stream(config: &Config) -> Stream {
    let payload_octets = config.payload_octets();
    let data = (udp::ALL_HEADERS_OCTETS as u64 + payload_octets)
        .max((ethernet::MIN_FRAME_OCTETS - ethernet::FCS_OCTETS) as u64);
    let wire_octets = data + AROUND_OCTETS;
    let packets = match config.sampler.pace {
        Pace::SampleRate => config.sampler.sample_rate as f64 / f64::from(config.vdif.data_octets),
        // Frames that wait leave with a gap of twelve octets, on 10GbE on average.
        Pace::Link => config.link_bits_a_second() as f64 / (8 * wire_octets) as f64,
    };
    let bits = |octets: u64| 8.0 * octets as f64 * packets;
    Stream {
        payload_octets,
        wire_octets,
        packets,
        sample_bits: bits(u64::from(config.vdif.data_octets)),
        payload_bits: bits(payload_octets),
        wire_bits: bits(wire_octets),
        share: bits(wire_octets) / config.link_bits_a_second() as f64,
    }
}

/// What one word a core clock carries, in bits a second.
pub(super) fn word_bits(config: &Config) -> f64 {
    (WORD_BITS * config.core_clock_hertz()) as f64
}

/// A number with five digits that count and a prefix: `156.25 MHz`.
pub(super) fn si(value: f64, unit: &str) -> String {
    let (divisor, prefix) = match value {
        v if v >= 1e9 => (1e9, "G"),
        v if v >= 1e6 => (1e6, "M"),
        v if v >= 1e3 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let value = value / divisor;
    let decimals = match value {
        v if v >= 100.0 => 2,
        v if v >= 10.0 => 3,
        _ => 4,
    };
    let number = format!("{value:.decimals$}");
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number} {prefix}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_the_sampler_board_fills_what_a_hand_computes() {
        // 1 GS/s in packets of 8000: 125000 a second of 8 + 14 + 20 + 8 + 8 + 32 + 8000 + 4 + 12 octets.
        let config = Config::parse("board = \"ibob\"", "test").unwrap();
        let stream = stream(&config);
        assert_eq!((stream.payload_octets, stream.wire_octets), (8040, 8106));
        assert_eq!((stream.packets, stream.sample_bits), (125_000.0, 8e9));
        assert_eq!((stream.payload_bits, stream.wire_bits), (8.04e9, 8.106e9));
        assert!((stream.share - 0.8106).abs() < 1e-9);
    }

    #[test]
    fn as_fast_as_the_link_is_all_of_it() {
        let config = Config::parse("board = \"ibob\"\n[sampler]\npace = \"link\"", "test").unwrap();
        let stream = stream(&config);
        assert!((stream.packets - 1e10 / (8.0 * 8106.0)).abs() < 1e-6);
        assert!((stream.share - 1.0).abs() < 1e-9, "{}", stream.share);
    }

    #[test]
    fn numbers_have_five_digits_and_no_empty_ones() {
        let cases = [
            (8.106e9, "8.106 Gbit/s"),
            (1e10, "10 Gbit/s"),
            (156.25e6, "156.25 Mbit/s"),
            (3_906_250.0, "3.9062 Mbit/s"),
            (12.5e3, "12.5 kbit/s"),
            (100.0, "100 bit/s"),
        ];
        for (value, text) in cases {
            assert_eq!(si(value, "bit/s"), text);
        }
    }
}
