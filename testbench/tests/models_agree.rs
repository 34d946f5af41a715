//! Board and reference model agree on traffic that nobody wrote down: worked frames, bent at random.
use fastrand::Rng;
use nicforge_hdl::config::Config;
use nicforge_layout::counters::{self, Group};
use nicforge_sim::models::{eth, ip, worked};
use nicforge_testbench::bench::Design;
use nicforge_testbench::cases::{self, Case, Line, Variant};
use std::collections::{BTreeMap, BTreeSet};

const ORIGINALS: [&str; 15] = [
    worked::V01,
    worked::V04,
    worked::V05,
    worked::V06,
    worked::V08,
    worked::V09,
    worked::V10,
    worked::V11,
    worked::V12,
    worked::V16,
    worked::V17,
    worked::V22,
    worked::V28,
    worked::V32,
    worked::V33,
];
/// Octets between frames: long enough for the reply to the frame before to have left.
const GAP: u64 = 400;

/// Makes the ICMP checksum right, if this is ICMP without padding.
fn refresh_icmp(frame: &mut [u8]) {
    if frame.len() >= 42 && frame[23] == 1 {
        frame[36..38].fill(0);
        let checksum = !ip::sum(&frame[34..]);
        frame[36..38].copy_from_slice(&checksum.to_be_bytes());
    }
}

/// A worked frame, usually with a field or two bent, sums written anew or not, longer or shorter.
fn bent(random: &mut Rng) -> Vec<u8> {
    let mut frame = worked::octets(ORIGINALS[random.usize(..ORIGINALS.len())]);
    frame.truncate(frame.len() - 4);
    for _ in 0..random.usize(0..3) {
        let at = random.usize(..frame.len().min(70));
        // Most fields are small numbers or single bits; a random octet would seldom meet a border.
        frame[at] = match random.u8(..4) {
            0 => frame[at] ^ 1 << random.u8(..8),
            1 => frame[at].wrapping_add(1),
            2 => frame[at].wrapping_sub(1),
            _ => [0, 1, 127, 128, 192, 224, 255, random.u8(..)][random.usize(..8)],
        };
    }
    if random.u8(..4) == 0 {
        frame.resize(random.usize(0..300), random.u8(..));
    }
    if random.u8(..2) == 0 && frame.len() >= 34 {
        ip::refresh_checksum(&mut frame);
        refresh_icmp(&mut frame);
    }
    let mut frame = match random.u8(..8) {
        0 => eth::with_fcs(&frame),
        _ => eth::transmit(&frame),
    };
    if random.u8(..12) == 0 {
        let at = random.usize(..frame.len());
        frame[at] ^= 1 << random.u8(..8);
    }
    frame
}

fn traffic(seed: u64, frames: usize) -> Case {
    let mut random = Rng::with_seed(seed);
    Case {
        name: format!("seed {seed}"),
        title: "bent frames".into(),
        config: "udp_core".into(),
        gap: GAP,
        start_lanes: vec![0, 4],
        stalls: vec![],
        xgmii: vec![],
        gmii: vec![],
        frames: (0..frames).map(|_| bent(&mut random)).collect(),
        replies: vec![],
        delivered: vec![],
        counters: BTreeMap::new(),
    }
}

/// Compares the board's finding with the model's answers, and returns the counters that moved.
fn compare(design: &Design, config: &Config, mut case: Case, variant: Variant) -> Vec<String> {
    let wanted = cases::model(&case, config, variant);
    (case.replies, case.delivered) = (wanted.replies.clone(), wanted.delivered.clone());
    let found = cases::play(&case, design.board().unwrap(), variant).unwrap();
    if found == wanted {
        return wanted.counters.into_keys().collect();
    }
    // One frame alone usually shows the same fault, and says which it is.
    for frame in &case.frames {
        let alone = Case { frames: vec![frame.clone()], ..case.clone() };
        let wanted = cases::model(&alone, config, variant);
        let found = cases::play(&alone, design.board().unwrap(), variant).unwrap();
        assert_eq!(found, wanted, "{} {variant:?}, frame {frame:02x?}", case.name);
    }
    panic!("{} {variant:?}, all frames together: wanted {wanted:02x?}, found {found:02x?}", case.name);
}

/// Plays bent frames on this design over its line; the counters of the network that none of them moved.
fn unmoved(config: &Config, line: impl Fn(u64) -> Line) -> Vec<&'static str> {
    let design = Design::top(config).unwrap();
    let seeds = if std::env::var("NICFORGE_DEPTH").is_ok_and(|depth| depth == "full") { 400 } else { 20 };
    let mut moved = BTreeSet::new();
    for seed in 0..seeds {
        let stalls = (seed % 3 == 2).then_some(seed);
        let variant = Variant { line: line(seed), seed: stalls };
        moved.extend(compare(&design, config, traffic(seed, 200), variant));
    }
    let network = counters::COUNTERS.iter().filter(|counter| counter.group == Group::Network);
    network.map(|counter| counter.name).filter(|name| !moved.contains(*name)).collect()
}

// Line faults and frames beyond the limits are the business of other tests.

#[test]
fn bent_frames_meet_the_same_answers_deliveries_and_counters() {
    let config = cases::configuration("udp_core").unwrap();
    let lane = |seed| Line::Xgmii { lane: if seed % 2 == 0 { 0 } else { 4 } };
    assert_eq!(unmoved(&config, lane), ["icmp_too_long"], "the traffic is too tame");
}

#[test]
fn bent_frames_on_1_gbe_meet_the_same_answers_and_counters() {
    let config = cases::gigabit(&cases::configuration("udp_core").unwrap()).unwrap();
    let preamble = |seed| Line::Gmii { preamble: seed as usize % 9 };
    let ports = ["icmp_too_long", "udp_good", "udp_nocsum"];
    assert_eq!(unmoved(&config, preamble), ports, "the traffic is too tame");
}
