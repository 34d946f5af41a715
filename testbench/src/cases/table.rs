//! The cases that come with the project, each from a readable recipe.
//!
//! Expectations are written out here by hand; they do not come from the reference model, which is
//! held to them like the gateware. `cargo run -p nicforge-testbench --bin vectors` writes the folders.
use super::Case;
use nicforge_layout::counters::{self, Group};
use nicforge_layout::wire::xgmii;
use nicforge_sim::link::gmii::{self, Symbol, symbols_of};
use nicforge_sim::link::xgmii::Word;
use nicforge_sim::models::{eth, ip, worked};
use std::collections::BTreeMap;

/// Every case, by name.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    cases.extend(requests());
    cases.extend(datagrams());
    cases.extend(dropped());
    cases.extend(changed_headers());
    cases.extend(changed_arp());
    cases.extend(echo_requests());
    cases.extend(line());
    cases.extend(gigabit_line());
    cases.sort_by(|a: &Case, b: &Case| a.name.cmp(&b.name));
    cases
}

/// A case that grows.
struct Recipe(Case);

impl Recipe {
    fn new(name: &str, title: &str) -> Recipe {
        Recipe(Case {
            name: name.into(),
            title: title.into(),
            config: "udp_core".into(),
            gap: 12,
            start_lanes: vec![0, 4],
            stalls: vec![1, 2],
            xgmii: Vec::new(),
            gmii: Vec::new(),
            frames: Vec::new(),
            replies: Vec::new(),
            delivered: Vec::new(),
            counters: BTreeMap::new(),
        })
    }

    /// A frame meets this verdict of MAC or network.
    fn meets(mut self, verdict: &str) -> Recipe {
        let counter = counters::by_name(verdict).expect("the recipes name counters that exist");
        self.count("rx_frames");
        if counter.group == Group::Network {
            self.count("rx_good");
        }
        self.count(verdict);
        self
    }

    fn count(&mut self, name: &str) {
        *self.0.counters.entry(name.into()).or_default() += 1;
    }

    /// A frame with its FCS comes in and meets this verdict.
    fn frame(mut self, frame: Vec<u8>, verdict: &str) -> Recipe {
        self.0.frames.push(frame);
        self.meets(verdict)
    }

    fn delivers(mut self, payload: &[u8]) -> Recipe {
        self.0.delivered.push(payload.into());
        self
    }

    fn replies(mut self, frame: Vec<u8>) -> Recipe {
        self.0.replies.push(frame);
        self.count("tx_good");
        self
    }

    /// A good frame comes in, to show that the one before left nothing behind.
    fn then_a_good_one(self) -> Recipe {
        self.frame(worked::octets(worked::V08), "udp_good").delivers(&ramp(18))
    }

    /// Symbols of GMII come in before all frames.
    fn symbols(mut self, symbols: Vec<Symbol>) -> Recipe {
        self.0.gmii.extend(symbols);
        self
    }

    /// Words come in before all frames.
    fn words(mut self, words: Vec<Word>) -> Recipe {
        self.0.xgmii.extend(words);
        self
    }
}

/// Octet i is i.
fn ramp(octets: usize) -> Vec<u8> {
    (0..octets).map(|i| i as u8).collect()
}

/// The worked good frame with a ramp of another length as its payload.
fn datagram(payload: usize) -> Vec<u8> {
    let mut frame = worked::octets(worked::V08);
    frame.truncate(42);
    frame.extend(ramp(payload));
    let udp_length = (8 + payload as u16).to_be_bytes();
    frame[16..18].copy_from_slice(&(28 + payload as u16).to_be_bytes());
    frame[38..40].copy_from_slice(&udp_length);
    frame[40..42].fill(0);
    // The pseudo header: addresses, protocol, length; the length stands in the header once more.
    let sum = [ip::sum(&frame[26..]), 17, u16::from_be_bytes(udp_length)].map(u64::from);
    let checksum = !ip::fold(sum.into_iter().sum());
    frame[40..42].copy_from_slice(&checksum.to_be_bytes());
    ip::refresh_checksum(&mut frame);
    eth::transmit(&frame)
}

fn requests() -> Vec<Case> {
    let request = |name, title, frame, verdict, reply| {
        Recipe::new(name, title).frame(worked::octets(frame), verdict).replies(reply).0
    };
    let mut probed = worked::octets(worked::V02);
    probed[38..42].fill(0);
    probed.truncate(60);
    vec![
        request(
            "V01_arp_request",
            "An ARP request for the own address is answered to whoever asked",
            worked::V01,
            "arp_request",
            worked::octets(worked::V02),
        ),
        request(
            "V04_arp_probe",
            "An ARP probe for the own address is answered",
            worked::V04,
            "arp_request",
            eth::with_fcs(&probed),
        ),
        request(
            "V06_echo_request",
            "An echo request is answered with its identifier, sequence number and data",
            worked::V06,
            "icmp_echo",
            worked::octets(worked::V07),
        ),
    ]
}

fn datagrams() -> Vec<Case> {
    let delivered = |name, title, frame, verdict, payload: &[u8]| {
        Recipe::new(name, title).frame(worked::octets(frame), verdict).delivers(payload).then_a_good_one().0
    };
    let mut long = Recipe::new("X20_udp_1472", "A datagram that fills a frame of 1518 octets is delivered");
    long = long.frame(datagram(1472), "udp_good").delivers(&ramp(1472)).then_a_good_one();
    let mut empty = Recipe::new("X21_udp_empty", "An empty datagram is counted and delivers nothing");
    empty = empty.frame(datagram(0), "udp_good").then_a_good_one();
    vec![
        long.0,
        empty.0,
        delivered(
            "V08_udp_18",
            "A datagram that needs no padding is delivered",
            worked::V08,
            "udp_good",
            &ramp(18),
        ),
        delivered(
            "V09_udp_1",
            "A datagram of one octet is delivered without the padding behind it",
            worked::V09,
            "udp_good",
            &[0xa5],
        ),
        delivered(
            "V10_udp_dirty_padding",
            "Padding that is not zero enters neither payload nor checksum",
            worked::V10,
            "udp_good",
            &[0xa5, 0x5a, 0x01],
        ),
        delivered(
            "V11_udp_checksum_ffff",
            "A computed checksum of 0, sent as ffff, is good",
            worked::V11,
            "udp_good",
            &[0x91, 0xa7],
        ),
        delivered(
            "V12_udp_no_checksum",
            "A datagram without a checksum is delivered and counted apart",
            worked::V12,
            "udp_nocsum",
            &ramp(18),
        ),
        delivered(
            "V34_ttl_1",
            "A datagram with TTL 1 is for the card all the same",
            worked::V34,
            "udp_good",
            &ramp(18),
        ),
    ]
}

/// Worked frames that are dropped, each followed by a good one.
fn dropped() -> Vec<Case> {
    [
        (
            "V05_arp_conflict",
            "A stranger's ARP reply with the own address is not answered",
            worked::V05,
            "arp_not_ours",
        ),
        ("V13_udp_bad_checksum", "A wrong UDP checksum drops the datagram", worked::V13, "udp_bad_csum"),
        ("V14_ip_bad_checksum", "A wrong header checksum drops the datagram", worked::V14, "ip_bad_csum"),
        ("V15_bad_fcs", "A wrong FCS drops the frame", worked::V15, "rx_fcs_error"),
        ("V16_ip_options", "A header with options is dropped and counted", worked::V16, "ip_options"),
        ("V17_first_fragment", "A first fragment is dropped and counted", worked::V17, "ip_fragment"),
        ("V18_last_fragment", "A last fragment is dropped and counted", worked::V18, "ip_fragment"),
        (
            "V19_ip_beyond_frame",
            "A total length beyond the frame drops the datagram",
            worked::V19,
            "ip_len_error",
        ),
        ("V20_udp_beyond_ip", "A UDP length beyond the datagram drops it", worked::V20, "udp_len_error"),
        ("V21_ip_version_6", "A version other than 4 drops the datagram", worked::V21, "ip_bad_version"),
        ("V22_multicast", "A group that nobody joined is filtered", worked::V22, "mac_filtered"),
        ("V28_vlan", "A frame with a VLAN tag is dropped and counted", worked::V28, "vlan_drop"),
        ("V29_pause", "A PAUSE frame never reaches the network layer", worked::V29, "mac_filtered"),
        ("V31_runt", "A frame of 56 octets with a good FCS is undersize", worked::V31, "rx_undersize"),
        (
            "V32_subnet_broadcast",
            "A broadcast datagram finds no port that takes it",
            worked::V32,
            "ip_broadcast",
        ),
        (
            "V33_unicast_in_broadcast",
            "A unicast datagram in a broadcast frame is dropped",
            worked::V33,
            "l2bcast_unicast_ip",
        ),
        ("V35_foreign_mac", "A frame for another address is filtered", worked::V35, "mac_filtered"),
    ]
    .into_iter()
    .map(|(name, title, frame, verdict)| {
        Recipe::new(name, title).frame(worked::octets(frame), verdict).then_a_good_one().0
    })
    .collect()
}

/// The worked good frame with octets from a place on replaced; header checksum and FCS are right.
fn with_octets(at: usize, octets: &[u8]) -> Vec<u8> {
    let mut frame = worked::octets(worked::V08);
    frame.truncate(60);
    frame[at..at + octets.len()].copy_from_slice(octets);
    ip::refresh_checksum(&mut frame);
    eth::with_fcs(&frame)
}

fn changed_headers() -> Vec<Case> {
    let mut cases: Vec<Case> = [
        ("X01_ihl_4", "A header of four words is none", 14, &[0x44][..], "ip_bad_ihl"),
        (
            "X02_total_length_19",
            "A total length below the header drops the datagram",
            16,
            &[0, 19],
            "ip_len_error",
        ),
        (
            "X03_udp_length_7",
            "A UDP length below its header drops the datagram",
            38,
            &[0, 7],
            "udp_len_error",
        ),
        ("X05_source_group", "A group address sends nothing", 26, &[224, 0, 0, 5], "ip_bad_src"),
        ("X06_source_broadcast", "The broadcast address sends nothing", 26, &[255; 4], "ip_bad_src"),
        ("X07_source_own", "The own address sends nothing to itself", 26, &[192, 168, 1, 128], "ip_bad_src"),
        ("X08_foreign_ip", "A datagram for somebody else is dropped", 30, &[192, 168, 1, 129], "ip_not_ours"),
        ("X09_protocol_tcp", "A protocol other than ICMP and UDP is dropped", 23, &[6], "ip_proto_other"),
        (
            "X10_foreign_port",
            "A port without a listener drops the datagram",
            36,
            &[0x27, 0x11, 0, 26, 0, 0],
            "udp_no_port",
        ),
        (
            "X11_ethertype_ipv6",
            "A frame of a type not spoken here is dropped",
            12,
            &[0x86, 0xdd],
            "ethertype_other",
        ),
    ]
    .into_iter()
    .map(|(name, title, at, octets, verdict)| {
        Recipe::new(name, title).frame(with_octets(at, octets), verdict).then_a_good_one().0
    })
    .collect();
    // The sum covers twelve octets of payload; the six behind them belong to nobody.
    let mut cut = datagram(12);
    cut.truncate(54);
    cut.extend([0xee; 6]);
    cut[17] += 6;
    ip::refresh_checksum(&mut cut);
    let title = "A UDP length below the IP payload is legal, and what is behind it is ignored";
    let legal = Recipe::new("X04_udp_length_20", title).frame(eth::with_fcs(&cut), "udp_good");
    cases.push(legal.delivers(&ramp(12)).then_a_good_one().0);
    cases
}

fn changed_arp() -> Vec<Case> {
    [
        ("X12_arp_hlen_8", "ARP for longer hardware addresses is bad", 18, &[8][..], "arp_bad"),
        ("X13_arp_op_3", "ARP with an operation other than 1 and 2 is bad", 20, &[0, 3], "arp_bad"),
        ("X14_arp_group_sender", "ARP from a group address is bad", 22, &[3], "arp_bad"),
        ("X15_arp_foreign_target", "ARP for somebody else is not answered", 41, &[129], "arp_not_ours"),
    ]
    .into_iter()
    .map(|(name, title, at, octets, verdict)| {
        let mut frame = worked::octets(worked::V01);
        frame.truncate(60);
        frame[at..at + octets.len()].copy_from_slice(octets);
        Recipe::new(name, title).frame(eth::with_fcs(&frame), verdict).then_a_good_one().0
    })
    .collect()
}

/// An ICMP message to the card, its checksum right.
fn icmp(message: &[u8]) -> Vec<u8> {
    let mut frame = worked::octets(worked::V06);
    frame.truncate(34);
    frame[16..18].copy_from_slice(&(20 + message.len() as u16).to_be_bytes());
    frame.extend(message);
    frame[36..38].fill(0);
    let checksum = !ip::sum(&frame[34..]);
    frame[36..38].copy_from_slice(&checksum.to_be_bytes());
    ip::refresh_checksum(&mut frame);
    eth::transmit(&frame)
}

/// Echo requests and other ICMP that get no answer.
fn echo_requests() -> Vec<Case> {
    let mut damaged = worked::octets(worked::V06);
    damaged.truncate(74);
    damaged[60] ^= 1;
    let request = |octets: usize| [&[8, 0, 0, 0, 0x12, 0x34, 0, 1], &ramp(octets)[..]].concat();
    [
        (
            "X16_icmp_bad_checksum",
            "A wrong ICMP checksum gets no answer",
            eth::with_fcs(&damaged),
            "icmp_bad_csum",
        ),
        (
            "X17_icmp_reply",
            "An echo reply gets no answer",
            icmp(&[0, 0, 0, 0, 0x12, 0x34, 0, 1]),
            "icmp_other",
        ),
        (
            "X18_icmp_short",
            "ICMP below its header gets no answer",
            icmp(&[8, 0, 0, 0, 0x12, 0x34, 0]),
            "icmp_other",
        ),
        (
            "X19_echo_too_long",
            "An echo request one octet above the buffer gets no answer",
            icmp(&request(2007)),
            "icmp_too_long",
        ),
    ]
    .into_iter()
    .map(|(name, title, frame, verdict)| Recipe::new(name, title).frame(frame, verdict).then_a_good_one().0)
    .collect()
}

/// Faults and corners of the line itself.
fn line() -> Vec<Case> {
    let mut lanes =
        Recipe::new("X30_every_lane", "TERMINATE in each lane, START in lane 0 and 4: all frames are good");
    for payload in 18..26 {
        lanes = lanes.frame(datagram(payload), "udp_good").delivers(&ramp(payload));
    }
    let mut gap =
        Recipe::new("X31_gap_5", "Frames with the shortest gap that a receiver must stand are good");
    gap.0.gap = 5;
    for _ in 0..4 {
        gap = gap.frame(datagram(21), "udp_good").delivers(&ramp(21));
    }
    let mut oversize = worked::octets(worked::V08);
    oversize.resize(9015, 0);
    let title = "A frame one octet above the longest is oversize, or jabber where its FCS is bad";
    let mut jabber = eth::with_fcs(&oversize);
    jabber[9000] ^= 1;
    let oversize = Recipe::new("X32_oversize", title).frame(eth::with_fcs(&oversize), "rx_oversize");
    let oversize = oversize.frame(jabber, "rx_jabber");
    let mut fragment = worked::octets(worked::V31);
    fragment[20] ^= 1;
    let title = "A short frame with a bad FCS is a fragment";
    let fragment = Recipe::new("X33_fragment", title).frame(fragment, "rx_fragment");
    vec![
        lanes.0,
        gap.0,
        oversize.then_a_good_one().0,
        fragment.then_a_good_one().0,
        damaged(
            "X34_error_code",
            "ERROR in any lane of the data makes a frame bad whatever its FCS",
            32..40,
            xgmii::ERROR,
            true,
            "rx_code_error",
        ),
        damaged(
            "X35_missing_terminate",
            "A frame that ends with idle instead of TERMINATE is bad",
            72..73,
            xgmii::IDLE,
            true,
            "rx_code_error",
        ),
        damaged(
            "X36_preamble",
            "A wrong octet anywhere in the preamble loses the frame",
            1..7,
            0x54,
            false,
            "rx_preamble_error",
        ),
        damaged(
            "X37_delimiter",
            "A delimiter that is another preamble octet loses the frame",
            7..8,
            xgmii::PREAMBLE,
            false,
            "rx_preamble_error",
        ),
        start_in_frame(),
    ]
}

/// Symbols of a worked frame on GMII behind so many octets of preamble, and the shortest gap behind it.
fn gigabit_frame(preamble: usize) -> Vec<Symbol> {
    let mut symbols = symbols_of(&worked::octets(worked::V08), preamble);
    symbols.extend(vec![Symbol::IDLE; super::GIGABIT_GAP as usize - 1]);
    symbols
}

/// What only GMII can carry.
fn gigabit_line() -> Vec<Case> {
    let good = |recipe: Recipe, symbols| recipe.meets("udp_good").delivers(&ramp(18)).symbols(symbols);
    let whole = gmii::PREAMBLE_OCTETS;
    let mut preambles = Recipe::new("X40_gmii_preamble", "Preambles of any length, down to none, are stood");
    for preamble in 0..=9 {
        preambles = good(preambles, gigabit_frame(preamble));
    }
    let mut errors = Recipe::new(
        "X41_gmii_error",
        "An error in any octet from the preamble to the FCS makes a frame bad whatever its FCS",
    );
    for place in 0..whole + 1 + worked::octets(worked::V08).len() {
        let mut bad = gigabit_frame(whole);
        bad[place].error = true;
        errors = good(errors.meets("rx_code_error").symbols(bad), gigabit_frame(whole));
    }
    let title = "A preamble without a delimiter is no frame, whether long or a single octet";
    let mut lost = Recipe::new("X42_gmii_delimiter", title);
    for octets in [1, 2, 7, 8, 60, 200] {
        let bad = [vec![Symbol::octet(gmii::code::PREAMBLE); octets], vec![Symbol::IDLE; 8]].concat();
        lost = good(lost.meets("rx_preamble_error").symbols(bad), gigabit_frame(whole));
    }
    let title = "Carrier extension and false carriers are no frames and harm none";
    let mut carriers = Recipe::new("X43_gmii_carrier", title);
    for stray in [Symbol::CARRIER_EXTEND, Symbol::FALSE_CARRIER] {
        // Right behind the frame, in place of its whole gap, and between two gaps.
        let mut extended = gigabit_frame(whole);
        let gap = extended.len() - super::GIGABIT_GAP as usize;
        extended[gap..].fill(stray);
        carriers = good(carriers, extended);
        carriers = good(carriers, [gigabit_frame(whole), vec![stray; 5], vec![Symbol::IDLE; 8]].concat());
    }
    [preambles, errors, lost, carriers].map(|recipe| recipe.then_a_good_one().0).into()
}

/// Symbols of one good frame from START on, and idle after it to the end of the word.
fn symbols(lane: usize) -> Vec<(u8, bool)> {
    let words = eth::encode(&[worked::octets(worked::V08)], eth::Spacing::Fixed { gap: 12, lane });
    words.iter().flat_map(|word| (0..8).map(|lane| word.lane(lane))).skip(8 + lane).collect()
}

/// One frame for each place and start lane, with one symbol replaced there (0 is START, 8 the first
/// octet of the destination address, 72 TERMINATE); a good frame follows each.
fn damaged(
    name: &str,
    title: &str,
    places: std::ops::Range<usize>,
    octet: u8,
    control: bool,
    verdict: &str,
) -> Case {
    let mut recipe = Recipe::new(name, title);
    for lane in [0, 4] {
        for place in places.clone() {
            let mut bad = symbols(lane);
            bad[place] = (octet, control);
            recipe = recipe.meets(verdict).words(raw(lane, &bad));
            recipe = recipe.meets("udp_good").delivers(&ramp(18)).words(raw(lane, &symbols(lane)));
        }
    }
    recipe.then_a_good_one().0
}

/// Words of symbols that begin in this lane.
fn raw(lane: usize, symbols: &[(u8, bool)]) -> Vec<Word> {
    eth::words(&[&vec![(xgmii::IDLE, true); lane], symbols].concat())
}

/// A frame that begins before the one before it has ended: that one is bad, the new one is good.
fn start_in_frame() -> Case {
    let title = "START inside a frame ends it as bad and begins the next one";
    let mut recipe = Recipe::new("X38_start_in_frame", title);
    for lane in [0, 4] {
        for cut in [16, 20, 40, 44] {
            let both = [&symbols(lane)[..cut], &symbols(0)].concat();
            recipe =
                recipe.meets("rx_code_error").meets("udp_good").delivers(&ramp(18)).words(raw(lane, &both));
        }
    }
    recipe.then_a_good_one().0
}
