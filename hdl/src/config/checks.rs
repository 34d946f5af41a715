//! What fields must be together, or mean beyond their form. A check whose fields have no sound
//! value is left out: that fault is reported already.

use std::net::Ipv4Addr;

use nicforge_layout::wire::{ethernet, ipv4, udp, xgmii};

use super::board_file::designs;
use super::document::Values;
use super::faults::Faults;
use super::fields::FIELDS;
use super::{Config, Pace, words};

/// Adds the faults of a configuration whose fields were read into `values`.
pub(super) fn check(config: &Config, values: &Values, faults: &mut Faults) {
    let mut check = Check { config, values, faults };
    check.top();
    check.own_addresses();
    check.destination();
    if config.top.has_sampler() {
        check.rate_fits_the_clock();
        check.frame_fits_the_mtu();
        check.frames_fill_a_second();
        check.pace();
        check.tone();
    }
    check.no_foreign_fields();
}

struct Check<'a> {
    config: &'a Config,
    values: &'a Values,
    faults: &'a mut Faults,
}

impl Check<'_> {
    /// Adds a fault at `path` unless `fine`, where all of `paths` (the first is `path`) are sound.
    fn hold(&mut self, paths: &[&str], fine: bool, wanted: impl Into<String>, found: impl Into<String>) {
        if !fine && self.values.are_sound(paths) {
            // A default may clash with what the file gives: then the fault is shown there.
            let span = paths.iter().find_map(|path| self.values.span(path));
            self.faults.add(span, paths[0], wanted, found);
        }
    }

    fn top(&mut self) {
        let Some(board) = &self.config.board else { return };
        let top = self.config.top;
        let wanted = format!("a design for board {:?}: {}", board.name, designs(&board.tops));
        let fits = board.tops.contains(&top);
        self.hold(&["top", "board"], fits, wanted, format!("{:?}", top.name()));
        let Some(name) = &self.config.clock else { return };
        let Some(clock) = board.clock(name) else {
            let wanted = format!("a clock of board {:?}: {}", board.name, board.clock_names());
            self.hold(&["clock", "board"], false, wanted, format!("{name:?}"));
            return;
        };
        let found = format!("{name:?} of {} Hz", clock.hertz);
        self.hold(
            &["clock", "top", "board"],
            !fits || board.serves(clock, top),
            board.wanted_clock(top),
            found,
        );
    }

    fn own_addresses(&mut self) {
        let network = &self.config.network;
        let mac = network.mac;
        self.hold(
            &["network.mac"],
            mac.0[0] & ethernet::GROUP_BIT == 0 && mac.0 != [0; 6],
            "a unicast MAC address (lowest bit of the first octet 0, not all zero)",
            format!("{:?}", mac.to_string()),
        );
        let mask = u32::from(network.netmask);
        let contiguous = mask.leading_ones() + mask.trailing_zeros() == 32;
        let usable = contiguous && (1..=30).contains(&mask.leading_ones());
        self.hold(
            &["network.netmask"],
            usable,
            "1 to 30 leading ones, then only zeros",
            format!("{:?}", network.netmask.to_string()),
        );
        let found = format!("{:?}", network.ip.to_string());
        if !is_unicast(network.ip) {
            self.hold(&["network.ip"], false, "a unicast address outside 0.0.0.0/8 and 127.0.0.0/8", found);
        } else if usable {
            let host = u32::from(network.ip) & !mask;
            let wanted = format!("an address of one host in the subnet of mask {}", network.netmask);
            self.hold(&["network.ip", "network.netmask"], host != 0 && host != !mask, wanted, found);
        }
    }

    fn destination(&mut self) {
        let (stream, network) = (&self.config.stream, &self.config.network);
        let (ip, mac) = (stream.destination_ip, stream.destination_mac);
        let usable = is_unicast(ip) || ip.is_multicast() || ip.is_broadcast();
        let found = format!("{:?}", ip.to_string());
        self.hold(
            &["stream.destination_ip"],
            usable,
            "an address to send to, outside 0.0.0.0/8 and 127.0.0.0/8",
            found.clone(),
        );
        self.hold(
            &["stream.destination_ip", "network.ip"],
            ip != network.ip,
            "an address other than the own one",
            found,
        );
        let found = format!("{:?}", mac.to_string());
        let paths = ["stream.destination_mac", "network.mac"];
        self.hold(&paths, mac != network.mac, "an address other than the own one", found.clone());
        if mac.0 == [0; 6] {
            self.hold(&paths[..1], false, "an address to send to", found);
        } else if ip.is_multicast() {
            let octets = ip.octets();
            let wanted = [0x01, 0x00, 0x5e, octets[1] & 0x7f, octets[2], octets[3]];
            let text = format!("{:?}, the MAC address of group {ip}", super::MacAddress(wanted).to_string());
            self.hold(&["stream.destination_mac", "stream.destination_ip"], mac.0 == wanted, text, found);
        } else if !ip.is_broadcast() {
            let unicast = mac.0[0] & ethernet::GROUP_BIT == 0;
            let paths = ["stream.destination_mac", "stream.destination_ip"];
            self.hold(&paths, unicast || mac.0 == [0xff; 6], "a unicast or the broadcast MAC address", found);
        }
    }

    fn rate_fits_the_clock(&mut self) {
        let (rate, limit) = (self.config.sampler.sample_rate, self.config.max_sample_rate());
        let wanted = format!(
            "at most {limit} samples a second, {} in each cycle of the core clock",
            super::SAMPLES_A_CYCLE
        );
        self.hold(&["sampler.sample_rate", "top"], rate <= limit, wanted, rate.to_string());
    }

    fn frame_fits_the_mtu(&mut self) {
        let config = self.config;
        let octets = u64::from(config.vdif.data_octets);
        self.hold(&["vdif.data_octets"], octets % 8 == 0, "a multiple of 8", octets.to_string());
        let headers = (ipv4::HEADER_OCTETS + udp::HEADER_OCTETS) as u64 + config.payload_octets() - octets;
        let mtu = u64::from(config.network.mtu);
        let wanted = format!(
            "at most {} octets, so that the packet with its {headers} octets of headers fits network.mtu = {mtu}",
            (mtu - headers) / 8 * 8
        );
        let found = format!("{octets} ({} with the headers)", octets + headers);
        self.hold(&["vdif.data_octets", "network.mtu"], octets + headers <= mtu, wanted, found);
    }

    fn frames_fill_a_second(&mut self) {
        let config = self.config;
        let (rate, octets) = (config.sampler.sample_rate, u64::from(config.vdif.data_octets));
        let paths = ["vdif.data_octets", "sampler.sample_rate"];
        let frames = config.frames_per_second();
        if !rate.is_multiple_of(octets) {
            let wanted = format!("a whole number of frames a second at sampler.sample_rate = {rate}");
            let found = format!("{octets} ({frames} frames and {} samples over)", rate % octets);
            self.hold(&paths, false, wanted, found);
            return;
        }
        let limit = u64::from(nicforge_layout::registers::vdif_rate::VALUE.max());
        self.hold(
            &paths,
            frames <= limit,
            format!("at most {limit} frames a second"),
            format!("{octets} ({frames} frames a second)"),
        );
        let frame = u64::from(config.vdif.frame);
        let wanted = format!("a frame number below the {frames} frames of a second");
        self.hold(&["vdif.frame", paths[0], paths[1]], frame < frames, wanted, frame.to_string());
        self.link_keeps_up(frames, &["sampler.sample_rate", "vdif.data_octets"]);
    }

    /// At the pace of the link the rate is only a label, and cannot be too high.
    fn link_keeps_up(&mut self, frames: u64, paths: &[&str]) {
        let config = self.config;
        let link = config.link_bits_a_second();
        let overhead = xgmii::PREAMBLE_OCTETS + ethernet::FCS_OCTETS + ethernet::IFG_OCTETS;
        let frame = config.payload_octets() + (udp::ALL_HEADERS_OCTETS + overhead) as u64;
        let bits = u128::from(frame) * 8 * u128::from(frames);
        let fits = config.sampler.pace == Pace::Link || bits <= u128::from(link);
        let wanted = format!("a rate that fits {link} bit/s with all headers and gaps");
        self.hold(paths, fits, wanted, format!("{} ({bits} bit/s on the link)", config.sampler.sample_rate));
    }

    fn pace(&mut self) {
        let (rate, limit) = (self.config.sampler.sample_rate, self.config.max_sample_rate());
        let fine = rate > limit || words::pace(self.config).is_some();
        let wanted = format!(
            "a rate whose ratio to {limit} reduces to numbers of 16 bits (or sampler.pace = \"link\")"
        );
        self.hold(&["sampler.sample_rate"], fine, wanted, rate.to_string());
    }

    fn tone(&mut self) {
        let (frequency, rate) = (self.config.sampler.tone.frequency, self.config.sampler.sample_rate);
        let wanted = format!("a frequency below half of sampler.sample_rate = {rate}");
        let paths = ["sampler.tone.frequency", "sampler.sample_rate"];
        self.hold(&paths, 2 * frequency < rate, wanted, frequency.to_string());
    }

    /// Fields of another design, or of a board, would have no effect.
    fn no_foreign_fields(&mut self) {
        let top = self.config.top;
        for field in FIELDS.iter().filter(|field| !self.config.has(field)) {
            let path = field.path();
            let given = self.values.is_given(&path);
            let (wanted, found) = match field.belongs_to(top) {
                false => {
                    let others = designs(super::table(field.table).designs);
                    let wanted = format!("a design that has it (top = {others}), or not this field");
                    (wanted, format!("top = {:?}", top.name()))
                }
                true => ("a board, or not this field".to_owned(), format!("board = {:?}", super::NO_BOARD)),
            };
            self.hold(&[&path, "top", "board"], !given, wanted, found);
        }
    }
}

/// An address that one host can have.
fn is_unicast(ip: Ipv4Addr) -> bool {
    let first = ip.octets()[0];
    first != 0 && first != 127 && first < 224
}
