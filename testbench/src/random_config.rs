//! Random configurations: what a user might write, from a seed.
//!
//! A valid one keeps every rule of the book by construction, not by asking the checks, so that a check
//! which refuses too much is found as well.
use fastrand::Rng;
use std::fmt::Write;
use std::net::Ipv4Addr;

/// Headers of a sampler packet in front of its samples: VTP serial number, VDIF, UDP and IPv4.
const VDIF_HEADERS: u64 = 8 + 32 + 8 + 20;
/// Longest data array of a frame: its length in words of 8 octets has 12 bits.
const LONGEST_DATA: u64 = 8 * 4_095;
/// What the link adds to an IPv4 packet: Ethernet header, FCS, preamble, gap.
const LINK_OCTETS: u64 = 14 + 4 + 8 + 12;
/// Most samples between two packets that a simulation should wait for, at full pace.
const LONGEST_WAIT: u64 = 160_000;

/// A design and what bounds its sampler: the largest sample rate, and the rate of the link in bits a second.
struct Kind {
    /// The lines that choose it.
    choice: &'static str,
    /// The sampler's bounds, where it has one.
    sampler: Option<(u64, u64)>,
}

const KINDS: [Kind; 8] = [
    Kind { choice: "top = \"udp_core\"", sampler: None },
    Kind { choice: "top = \"ibob\"", sampler: Some((1_250_000_000, 10_000_000_000)) },
    Kind { choice: "board = \"ibob\"", sampler: Some((1_250_000_000, 10_000_000_000)) },
    Kind { choice: "top = \"stream_1g\"", sampler: Some((500_000_000, 1_000_000_000)) },
    Kind { choice: "board = \"kc705\"\nclock = \"user_156\"", sampler: None },
    Kind {
        choice: "board = \"ibob\"\ntop = \"ibob\"\nclock = \"brefclk_bottom\"",
        sampler: Some((1_250_000_000, 10_000_000_000)),
    },
    Kind { choice: "board = \"ecpix5\"\nclock = \"default\"", sampler: Some((500_000_000, 1_000_000_000)) },
    Kind { choice: "board = \"colorlight_i5\"", sampler: Some((500_000_000, 1_000_000_000)) },
];

/// The text of a valid configuration.
pub fn valid(seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    // Seeds in a row go through all designs, so that few of them meet each.
    let kind = &KINDS[seed as usize % KINDS.len()];
    let mtu = random.u64(576..=16_366);
    let mut text = format!("# Random configuration {seed}.\n{}\n", kind.choice);
    network(&mut text, &mut random, mtu);
    if let Some((rate, link)) = kind.sampler {
        sampler(&mut text, &mut random, mtu, rate, link);
    } else {
        let port = *pick(&mut random, &[0, 1, 10_000, 65_535]);
        line(&mut text, format_args!("[udp]\nrx_port = {port}"));
    }
    text
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("writing to a string cannot fail");
}

fn pick<'a, T>(random: &mut Rng, from: &'a [T]) -> &'a T {
    &from[random.usize(..from.len())]
}

fn mac(octets: [u8; 6]) -> String {
    octets.map(|octet| format!("{octet:02x}")).join(":")
}

/// A MAC address of one station, another one for each `last`.
fn station(random: &mut Rng, last: u8) -> [u8; 6] {
    [random.u8(..) & 0xfe, random.u8(..), random.u8(..), random.u8(..), random.u8(..), last]
}

/// An address of one host outside the ranges that no host has.
fn host(random: &mut Rng) -> Ipv4Addr {
    Ipv4Addr::new(
        *pick(random, &[1, 10, 126, 128, 172, 192, 223]),
        random.u8(..),
        random.u8(..),
        random.u8(..),
    )
}

fn network(text: &mut String, random: &mut Rng, mtu: u64) {
    let own_mac = station(random, 0x80);
    let ones = random.u32(8..=30);
    let mask = u32::MAX << (32 - ones);
    // Neither the subnet's own number nor its broadcast address.
    let number = random.u32(1..!mask);
    let own = Ipv4Addr::from(u32::from(host(random)) & mask | number);
    line(text, format_args!("[network]\nmac = \"{}\"\nip = \"{own}\"", mac(own_mac)));
    line(text, format_args!("netmask = \"{}\"\nmtu = {mtu}", Ipv4Addr::from(mask)));
    let (to_mac, to) = destination(random, own);
    line(text, format_args!("[stream]\ndestination_mac = \"{}\"\ndestination_ip = \"{to}\"", mac(to_mac)));
    let [to_port, from_port] = [random.u16(1..), random.u16(1..)];
    line(text, format_args!("destination_port = {to_port}\nsource_port = {from_port}"));
    let (ttl, dscp, checksum) = (random.u8(1..), random.u8(..64), random.bool());
    line(text, format_args!("ttl = {ttl}\ndscp = {dscp}\nchecksum = {checksum}"));
}

/// Where packets go: a host, a group, or everybody.
fn destination(random: &mut Rng, own: Ipv4Addr) -> ([u8; 6], Ipv4Addr) {
    match random.u8(..4) {
        0 => {
            let group = Ipv4Addr::new(random.u8(224..=239), random.u8(..), random.u8(..), random.u8(..));
            let [_, b, c, d] = group.octets();
            ([0x01, 0x00, 0x5e, b & 0x7f, c, d], group)
        }
        1 => ([0xff; 6], Ipv4Addr::BROADCAST),
        _ => {
            let mut to = host(random);
            while to == own {
                to = host(random);
            }
            (station(random, 0x01), to)
        }
    }
}

/// A rate whose ratio to the largest is one of numbers of 16 bits.
fn rate(random: &mut Rng, most: u64) -> u64 {
    let divisors: Vec<u64> = (1..1 << 16).filter(|divisor| most.is_multiple_of(*divisor)).collect();
    let denominator = *pick(random, &divisors);
    most / denominator * random.u64(1..=denominator)
}

/// A rate, a frame length that divides it, and everything else of a sampler.
fn sampler(text: &mut String, random: &mut Rng, mtu: u64, most: u64, link: u64) {
    let link_pace = random.u8(..4) == 0;
    let (rate, data) = loop {
        let rate = rate(random, most);
        let words = 1..=(mtu - VDIF_HEADERS).min(LONGEST_DATA) / 8;
        let lengths: Vec<u64> = words.map(|words| 8 * words).filter(|n| rate.is_multiple_of(*n)).collect();
        let Some(data) = random.choice(lengths) else { continue };
        let frames = rate / data;
        let fits = (data + VDIF_HEADERS + LINK_OCTETS) * 8 * frames <= link;
        // Every packet of the simulation has to be waited for.
        let soon = data * most / rate <= LONGEST_WAIT;
        if (fits || link_pace) && soon && frames < 1 << 24 {
            break (rate, data);
        }
    };
    let frames = rate / data;
    let (enable, source) = (random.bool(), pick(random, &["counter", "tone"]));
    let pace = if link_pace { "link" } else { "sample_rate" };
    let packets = *pick(random, &[0, 1, 12, 100_000]);
    line(text, format_args!("[sampler]\nenable = {enable}\nsource = \"{source}\"\nsample_rate = {rate}"));
    line(text, format_args!("pace = \"{pace}\"\npackets = {packets}"));
    let (frequency, amplitude) = (random.u64(..rate.div_ceil(2)), random.u8(..128));
    line(text, format_args!("[sampler.tone]\nfrequency = {frequency}\namplitude = {amplitude}"));
    let station: String = (0..2).map(|_| random.alphanumeric()).collect();
    let (thread, epoch) = (random.u16(..1024), random.u8(..64));
    line(text, format_args!("[vdif]\nstation = \"{station}\"\nthread = {thread}\ndata_octets = {data}"));
    let (seconds, frame) = (random.u32(..1 << 30), random.u64(frames.saturating_sub(5)..frames));
    line(text, format_args!("epoch = {epoch}\nseconds = {seconds}\nframe = {frame}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicforge_hdl::config::Config;
    use std::collections::BTreeSet;

    #[test]
    fn what_keeps_the_rules_passes_the_checks() {
        for seed in 0..500 {
            let text = valid(seed);
            Config::parse(&text, "random").unwrap_or_else(|faults| panic!("seed {seed}: {faults}\n{text}"));
        }
    }

    #[test]
    fn seeds_give_many_different_configurations_and_each_the_same_again() {
        let texts: BTreeSet<String> = (0..100).map(valid).collect();
        assert_eq!(texts.len(), 100);
        assert_eq!(valid(7), valid(7));
    }
}
