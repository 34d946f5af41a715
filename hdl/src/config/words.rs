//! What a configuration becomes in the gateware: words of registers, and digests.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use nicforge_layout::registers::{self as map, Register};
use nicforge_layout::wire::{ethernet, ipv4, udp};
use sha2::{Digest, Sha256};

use super::fields::{FIELDS, Form};
use super::{Config, Field, MacAddress, Pace, Source, Top};

impl Config {
    /// Words of the registers that the configuration sets, by register name: reset values and
    /// constants. Registers that are missing keep [`Register::reset`].
    pub fn register_words(&self) -> BTreeMap<&'static str, u32> {
        let mut words = Words::default();
        self.identity(&mut words);
        self.network_words(&mut words);
        self.stream_words(&mut words);
        if self.top.has_sampler() {
            self.sampler_words(&mut words);
            self.vdif_words(&mut words);
        }
        words.0
    }

    fn identity(&self, words: &mut Words) {
        let digest = self.digest();
        words.whole(&map::map_digest::REG, map::digest());
        words.put(&map::generator::REG, &map::generator::MAJOR, version(env!("CARGO_PKG_VERSION_MAJOR")));
        words.put(&map::generator::REG, &map::generator::MINOR, version(env!("CARGO_PKG_VERSION_MINOR")));
        words.put(&map::generator::REG, &map::generator::PATCH, version(env!("CARGO_PKG_VERSION_PATCH")));
        let first = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
        words.whole(&map::config_digest::REG, first);
        words.put(&map::features::REG, &map::features::SAMPLER, self.top.has_sampler().into());
    }

    fn network_words(&self, words: &mut Words) {
        let network = &self.network;
        words.mac([&map::mac_high::REG, &map::mac_low::REG], network.mac);
        words.whole(&map::ip::REG, network.ip.into());
        words.whole(&map::netmask::REG, network.netmask.into());
        let around = (ethernet::HEADER_OCTETS + ethernet::FCS_OCTETS) as u32;
        words.put(&map::rx_control::REG, &map::rx_control::MAX_FRAME, network.mtu + around);
        let inside = (ipv4::HEADER_OCTETS + udp::HEADER_OCTETS) as u32;
        words.put(&map::udp_tx_limit::REG, &map::udp_tx_limit::OCTETS, network.mtu - inside);
        // A design without a port delivers nothing: its datagrams count as `udp_no_port`.
        let port = if self.top == Top::UdpCore { self.udp.rx_port } else { 0 };
        words.put(&map::udp_rx::REG, &map::udp_rx::PORT, port.into());
    }

    fn stream_words(&self, words: &mut Words) {
        let stream = &self.stream;
        words.mac([&map::udp_tx_mac_high::REG, &map::udp_tx_mac_low::REG], stream.destination_mac);
        words.whole(&map::udp_tx_ip::REG, stream.destination_ip.into());
        let ports = &map::udp_tx_ports::REG;
        words.put(ports, &map::udp_tx_ports::DESTINATION, stream.destination_port.into());
        words.put(ports, &map::udp_tx_ports::SOURCE, stream.source_port.into());
        let control = &map::udp_tx_control::REG;
        words.put(control, &map::udp_tx_control::TTL, stream.ttl.into());
        words.put(control, &map::udp_tx_control::DSCP, stream.dscp.into());
        words.put(control, &map::udp_tx_control::CHECKSUM, stream.checksum.into());
    }

    fn sampler_words(&self, words: &mut Words) {
        let sampler = &self.sampler;
        let control = &map::sampler_control::REG;
        words.put(control, &map::sampler_control::ENABLE, sampler.enable.into());
        let source = match sampler.source {
            Source::Counter => 0,
            Source::Tone => 1,
        };
        words.put(control, &map::sampler_control::SOURCE, source);
        if let Some((numerator, denominator)) = pace(self) {
            words.put(&map::sampler_pace::REG, &map::sampler_pace::NUMERATOR, numerator.into());
            words.put(&map::sampler_pace::REG, &map::sampler_pace::DENOMINATOR, denominator.into());
        }
        words.whole(&map::sampler_packets::REG, sampler.packets);
        words.whole(&map::tone_step::REG, self.tone_step());
        let amplitude = &map::tone_amplitude::VALUE;
        words.put(&map::tone_amplitude::REG, amplitude, sampler.tone.amplitude.into());
    }

    fn vdif_words(&self, words: &mut Words) {
        let vdif = &self.vdif;
        words.put(&map::vdif_seconds::REG, &map::vdif_seconds::VALUE, vdif.seconds);
        words.put(&map::vdif_frame::REG, &map::vdif_frame::VALUE, vdif.frame);
        words.put(&map::vdif_frame::REG, &map::vdif_frame::EPOCH, vdif.epoch.into());
        let rate = self.frames_per_second() as u32;
        words.put(&map::vdif_rate::REG, &map::vdif_rate::VALUE, rate);
        words.put(&map::vdif_layout::REG, &map::vdif_layout::DATA_WORDS, vdif.data_octets / 8);
        let station = vdif.station.bytes().fold(0, |code, octet| code << 8 | u32::from(octet));
        words.put(&map::vdif_station::REG, &map::vdif_station::STATION, station);
        words.put(&map::vdif_station::REG, &map::vdif_station::THREAD, vdif.thread.into());
    }

    /// Phase step of the tone a sample, in units of 2^-32 turns, rounded to the nearest.
    pub fn tone_step(&self) -> u32 {
        let (frequency, rate) = (self.sampler.tone.frequency, self.sampler.sample_rate);
        (((u128::from(frequency) << 32) + u128::from(rate / 2)) / u128::from(rate)) as u32
    }

    /// Whether the field has a meaning in this configuration.
    pub fn has(&self, field: &Field) -> bool {
        field.belongs_to(self.top) && (self.board.is_some() || !field.needs_board())
    }

    /// Every field that the design has, each on a line `path = value`, and a digest of the board's
    /// facts: equal for equal gateware, whatever order, comments and defaults the files have.
    pub fn normalised(&self) -> String {
        let mut text = String::new();
        if let Some(board) = &self.board {
            text = format!("# board {}: {}\n", board.name, board.digest_hex());
        }
        for field in FIELDS.iter().filter(|field| self.has(field)) {
            let path = field.path();
            let value = self.show(&path).expect("every path of FIELDS is shown, and a test holds it");
            let quoted = match field.form {
                Form::Integer(..) | Form::Boolean => value,
                _ => format!("{value:?}"),
            };
            writeln!(text, "{path} = {quoted}").expect("a string takes all text");
        }
        text
    }

    /// SHA-256 over [`Config::normalised`].
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.normalised()).into()
    }

    /// [`Config::digest`] as 64 hexadecimal digits.
    pub fn digest_hex(&self) -> String {
        self.digest().iter().map(|octet| format!("{octet:02x}")).collect()
    }

    /// The value of a field as text, without quotes.
    fn show(&self, path: &str) -> Option<String> {
        let (network, stream, sampler, vdif) = (&self.network, &self.stream, &self.sampler, &self.vdif);
        Some(match path {
            "board" => self.board_name().to_owned(),
            "top" => self.top.name().to_owned(),
            "clock" => self.clock.clone()?,
            "network.mac" => network.mac.to_string(),
            "network.ip" => network.ip.to_string(),
            "network.netmask" => network.netmask.to_string(),
            "network.mtu" => network.mtu.to_string(),
            "udp.rx_port" => self.udp.rx_port.to_string(),
            "stream.destination_mac" => stream.destination_mac.to_string(),
            "stream.destination_ip" => stream.destination_ip.to_string(),
            "stream.destination_port" => stream.destination_port.to_string(),
            "stream.source_port" => stream.source_port.to_string(),
            "stream.ttl" => stream.ttl.to_string(),
            "stream.dscp" => stream.dscp.to_string(),
            "stream.checksum" => stream.checksum.to_string(),
            "sampler.enable" => sampler.enable.to_string(),
            "sampler.source" => super::SOURCE_NAMES[usize::from(sampler.source == Source::Tone)].to_owned(),
            "sampler.sample_rate" => sampler.sample_rate.to_string(),
            "sampler.pace" => super::PACE_NAMES[usize::from(sampler.pace == Pace::Link)].to_owned(),
            "sampler.packets" => sampler.packets.to_string(),
            "sampler.tone.frequency" => sampler.tone.frequency.to_string(),
            "sampler.tone.amplitude" => sampler.tone.amplitude.to_string(),
            "vdif.station" => vdif.station.clone(),
            "vdif.thread" => vdif.thread.to_string(),
            "vdif.data_octets" => vdif.data_octets.to_string(),
            "vdif.epoch" => vdif.epoch.to_string(),
            "vdif.seconds" => vdif.seconds.to_string(),
            "vdif.frame" => vdif.frame.to_string(),
            _ => return None,
        })
    }
}

/// Cycles with samples out of how many cycles; `None` where the ratio does not fit 16 bits a number.
pub(super) fn pace(config: &Config) -> Option<(u16, u16)> {
    if config.sampler.pace == Pace::Link {
        return Some((1, 1));
    }
    let limit = config.max_sample_rate();
    let (mut a, mut b) = (config.sampler.sample_rate, limit);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let reduce = |number: u64| u16::try_from(number / a).ok();
    Some((reduce(config.sampler.sample_rate)?, reduce(limit)?))
}

fn version(number: &str) -> u32 {
    number.parse().expect("Cargo's version numbers are numbers")
}

/// Words by register name, filled field by field over the reset values.
#[derive(Default)]
struct Words(BTreeMap<&'static str, u32>);

impl Words {
    fn put(&mut self, register: &Register, field: &map::Field, value: u32) {
        let word = self.0.entry(register.name).or_insert_with(|| register.reset());
        *word = field.put(*word, value);
    }
    fn whole(&mut self, register: &Register, value: u32) {
        self.0.insert(register.name, value);
    }
    fn mac(&mut self, [high, low]: [&Register; 2], mac: MacAddress) {
        let [a, b, c, d, e, f] = mac.0;
        self.whole(high, u32::from_be_bytes([0, 0, a, b]));
        self.whole(low, u32::from_be_bytes([c, d, e, f]));
    }
}
