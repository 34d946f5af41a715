//! What the card makes of received frames, as seen behind the address filter.
use nicforge_hdl::ip::Receive;
use nicforge_layout::counters::{self, Counter, Group};
use nicforge_sim::Board;
use nicforge_sim::board::{Actor, Pins};
use nicforge_sim::link::{AxisSink, AxisSource, Event, EventLog, Packet, Stalls};
use nicforge_sim::model::{Input, Output};
use nicforge_sim::models::card::{Card, Settings};
use nicforge_sim::models::{eth, ip};
use nicforge_testbench::bench::Design;
use nicforge_testbench::network::{
    CARD, CARD_PORT, HOST_IP, HOST_MAC, arp_frame, echo_frame, icmp_frame, ip_bits, ip_frame, mac_bits,
    padded, set, udp_frame,
};
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("receive", Receive::default()).unwrap());

/// Clocks from a frame's last word to its verdict.
const LATENCY: u64 = 5;

/// Frames, with the mark of the broadcast address beside every word.
struct Frames {
    words: AxisSource,
    to_all: Vec<bool>,
    broadcast: Input,
    ends: Vec<u64>,
}

impl Frames {
    fn attach(board: &mut Board, frames: &[Packet], stalls: Stalls) -> Self {
        let mut words = AxisSource::attach(board, "frames", stalls).unwrap();
        frames.iter().for_each(|frame| words.push(frame.clone()));
        let to_all = frames.iter().map(|frame| frame.octets.starts_with(&eth::BROADCAST)).collect();
        let broadcast = board.pins().model().input("broadcast").unwrap();
        Self { words, to_all, broadcast, ends: Vec::new() }
    }
}

impl Actor for Frames {
    fn drive(&mut self, pins: &mut Pins) {
        let current = self.to_all.get(self.to_all.len() - self.words.queued());
        pins.set(self.broadcast, current.copied().unwrap_or(true).into());
        self.words.drive(pins);
    }

    fn sample(&mut self, pins: &Pins) {
        let before = self.words.queued();
        self.words.sample(pins);
        if self.words.queued() < before {
            self.ends.push(pins.cycle());
        }
    }
}

/// Who asked, beside the requests.
struct Requests {
    outputs: [Output; 4],
    seen: Vec<(u64, u64, u64, u64, u64)>,
}

impl Requests {
    fn attach(board: &mut Board) -> Self {
        let output = |name| board.pins().model().output(name).unwrap();
        let outputs = ["arp_request", "echo_request", "sender_mac", "sender_ip"].map(output);
        Self { outputs, seen: Vec::new() }
    }
}

impl Actor for Requests {
    fn drive(&mut self, _: &mut Pins) {}

    fn sample(&mut self, pins: &Pins) {
        let [arp, echo, mac, ip] = self.outputs.map(|output| pins.get(output));
        if arp | echo != 0 {
            self.seen.push((pins.cycle(), arp, echo, mac, ip));
        }
    }
}

struct Found {
    ends: Vec<u64>,
    verdicts: Vec<Event>,
    payloads: Vec<(Packet, u64)>,
    requests: Vec<(u64, u64, u64, u64, u64)>,
}

fn board() -> Board {
    let mut board = DESIGN.board().unwrap();
    let inputs = [
        ("own_mac", mac_bits(CARD.mac)),
        ("own_ip", ip_bits(CARD.ip)),
        ("netmask", ip_bits(CARD.netmask)),
        ("udp_port", CARD_PORT.into()),
    ];
    set(&mut board, &inputs).unwrap();
    board
}

fn feed(board: &mut Board, frames: &[Packet], gaps: Stalls) -> Found {
    let source = Frames::attach(board, frames, gaps);
    let payload = AxisSink::attach(board, "payload", Stalls::none()).unwrap();
    let verdicts = EventLog::attach(board, "verdict").unwrap();
    let mut actors = (source, payload, verdicts, Requests::attach(board));
    let words: usize = frames.iter().map(|frame| frame.octets.len().div_ceil(8)).sum();
    let taken = |(source, _, _, _): &(Frames, AxisSink, EventLog, Requests)| source.words.queued() == 0;
    board.run_until("all frames", 40 * words as u64 + 1_000, &mut actors, taken).unwrap();
    board.run(12, &mut actors);
    let (source, mut payload, verdicts, requests) = actors;
    assert_eq!(payload.violations(), [""; 0]);
    assert_eq!(payload.unfinished(), 0, "a payload has no end");
    Found {
        ends: source.ends,
        verdicts: verdicts.events().to_vec(),
        payloads: std::iter::from_fn(|| payload.pop_with_cycle()).collect(),
        requests: requests.seen,
    }
}

fn name(code: u64) -> &'static str {
    let found = counters::COUNTERS.iter().find(|counter| u64::from(counter.code) == code);
    found.map_or("no counter", |counter| counter.name)
}

/// The model's counter, and the payload it delivers.
fn model(frame: &[u8]) -> (Counter, Option<Vec<u8>>) {
    let mut card = Card::new(Settings { own: CARD, udp_port: CARD_PORT, max_frame: 16_384 });
    let outcome = card.frame(&eth::with_fcs(frame));
    let moved = |counter: &&Counter| {
        counter.group == Group::Network && card.counters().get(counter.name).is_some_and(|count| *count > 0)
    };
    let verdict = counters::COUNTERS.iter().find(moved).expect("a good frame has a verdict");
    (*verdict, outcome.delivered.into_iter().next())
}

/// Faults that only the frame's end shows: payload may already have left.
fn shows_late(verdict: Counter) -> bool {
    verdict == counters::UDP_BAD_CSUM || verdict == counters::IP_LEN_ERROR
}

/// Feeds frames and compares everything that is visible with the model.
fn check(frames: &[Packet], seed: Option<u64>) {
    let gaps = seed.map_or_else(Stalls::none, Stalls::seeded);
    let found = feed(&mut board(), frames, gaps);
    assert_eq!(found.ends.len(), frames.len());
    let mut verdicts = found.verdicts.iter();
    let mut payloads = found.payloads.iter().peekable();
    let mut requests = found.requests.iter();
    for (frame, end) in frames.iter().zip(&found.ends) {
        let place = || format!("seed {seed:?}, frame {:02x?}", frame.octets);
        let at_end = *end + LATENCY;
        if frame.error {
            payloads.next_if(|(payload, cycle)| payload.error && *cycle == at_end);
            continue;
        }
        let (wanted, delivered) = model(&frame.octets);
        let verdict = verdicts.next().unwrap_or_else(|| panic!("no verdict, {}", place()));
        assert_eq!(name(verdict.code), wanted.name, "{}", place());
        assert_eq!(verdict.cycle, at_end, "clock of the verdict, {}", place());
        if let Some(delivered) = delivered {
            let payload = payloads.next().unwrap_or_else(|| panic!("no payload, {}", place()));
            assert_eq!(*payload, (Packet::good(delivered), at_end), "{}", place());
        } else if shows_late(wanted) {
            payloads.next_if(|(payload, cycle)| payload.error && *cycle == at_end);
        }
        let asks = [counters::ARP_REQUEST, counters::ICMP_ECHO].map(|counter| u64::from(wanted == counter));
        if asks != [0, 0] {
            // SHA and SPA of an ARP packet, SA and source address of a datagram.
            let (mac, ip) = if asks[0] == 1 { (22, 28) } else { (6, 26) };
            let mac = mac_bits(frame.octets[mac..][..6].try_into().unwrap());
            let ip = u32::from_be_bytes(frame.octets[ip..][..4].try_into().unwrap());
            let request = requests.next().unwrap_or_else(|| panic!("no request, {}", place()));
            assert_eq!(*request, (at_end, asks[0], asks[1], mac, ip.into()), "{}", place());
        }
    }
    assert_eq!(verdicts.next(), None, "a verdict too many, seed {seed:?}");
    assert_eq!(payloads.next(), None, "a payload too many, seed {seed:?}");
    assert_eq!(requests.next(), None, "a request too many, seed {seed:?}");
}

/// Without gaps, and with those of some seeds.
fn check_with_gaps(frames: &[Packet]) {
    check(frames, None);
    (0..8).for_each(|seed| check(frames, Some(seed)));
}

fn good(frames: impl IntoIterator<Item = Vec<u8>>) -> Vec<Packet> {
    frames.into_iter().map(Packet::good).collect()
}

fn random(rng: &mut fastrand::Rng, octets: usize) -> Vec<u8> {
    std::iter::repeat_with(|| rng.u8(..)).take(octets).collect()
}

/// Frames with something changed, each followed by a good one.
fn changed(frame: &[u8], changes: impl IntoIterator<Item = Vec<(usize, u8)>>) -> Vec<Packet> {
    let frames = changes.into_iter().flat_map(|change| {
        let mut frame = frame.to_vec();
        change.iter().for_each(|(place, octet)| frame[*place] = *octet);
        [frame, padded(udp_frame(b"good"), 0)]
    });
    good(frames)
}

fn refreshed(mut frames: Vec<Packet>) -> Vec<Packet> {
    frames.iter_mut().for_each(|frame| ip::refresh_checksum(&mut frame.octets));
    frames
}

#[test]
fn payloads_of_every_length_are_delivered_to_the_octet_whatever_the_padding() {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut frames = Vec::new();
    for octets in (0..=130).chain([1471, 1472, 1473, 8971, 8972, 8973]) {
        let pad = rng.u8(..);
        frames.push(padded(udp_frame(&random(&mut rng, octets)), pad));
    }
    for octets in 0..=30 {
        // More padding than any frame needs: a trailer that belongs to nobody.
        let mut frame = udp_frame(&random(&mut rng, octets));
        let trailer = rng.usize(0..40);
        frame.extend(random(&mut rng, trailer));
        frames.push(padded(frame, 0xee));
    }
    check_with_gaps(&good(frames));
}

#[test]
fn each_fault_alone_moves_its_own_counter() {
    let udp = padded(udp_frame(&[0x33; 18]), 0);
    let echo = padded(echo_frame(&[0, 1, 0, 2, 3]), 0);
    let arp = padded(arp_frame(), 0);
    let with = |frame: &[u8], changes: &[(usize, u8)]| {
        let mut frame = frame.to_vec();
        changes.iter().for_each(|(place, octet)| frame[*place] = *octet);
        frame
    };
    let summed = |frame: &[u8], changes: &[(usize, u8)]| {
        let mut frame = with(frame, changes);
        ip::refresh_checksum(&mut frame);
        frame
    };
    let mut broadcast = udp.clone();
    broadcast[..6].fill(0xff);
    let cases = [
        (with(&udp, &[(12, 0x81), (13, 0x00)]), counters::VLAN_DROP),
        (with(&udp, &[(12, 0x88), (13, 0xa8)]), counters::VLAN_DROP),
        (with(&udp, &[(12, 0x86), (13, 0xdd)]), counters::ETHERTYPE_OTHER),
        (with(&arp, &[(15, 6)]), counters::ARP_BAD),
        (with(&arp, &[(17, 1)]), counters::ARP_BAD),
        (with(&arp, &[(18, 8)]), counters::ARP_BAD),
        (with(&arp, &[(19, 16)]), counters::ARP_BAD),
        (with(&arp, &[(21, 3)]), counters::ARP_BAD),
        (with(&arp, &[(22, 0x01)]), counters::ARP_BAD),
        (with(&arp, &[(28, 224)]), counters::ARP_BAD),
        (with(&arp, &[(31, 255)]), counters::ARP_BAD),
        (with(&arp, &[(21, 2)]), counters::ARP_NOT_OURS),
        (with(&arp, &[(41, 129)]), counters::ARP_NOT_OURS),
        (with(&arp, &[(38, 10)]), counters::ARP_NOT_OURS),
        (arp.clone(), counters::ARP_REQUEST),
        (summed(&udp, &[(14, 0x65)]), counters::IP_BAD_VERSION),
        (summed(&udp, &[(14, 0x44)]), counters::IP_BAD_IHL),
        (summed(&udp, &[(17, 19)]), counters::IP_LEN_ERROR),
        (summed(&udp, &[(17, 47)]), counters::IP_LEN_ERROR),
        (with(&udp, &[(24, 0x55)]), counters::IP_BAD_CSUM),
        (summed(&udp, &[(26, 0), (27, 0), (28, 0), (29, 0)]), counters::IP_BAD_SRC),
        (summed(&udp, &[(26, 127)]), counters::IP_BAD_SRC),
        (summed(&udp, &[(26, 239)]), counters::IP_BAD_SRC),
        (summed(&udp, &[(29, 255)]), counters::IP_BAD_SRC),
        (summed(&udp, &[(26, 255), (27, 255), (28, 255), (29, 255)]), counters::IP_BAD_SRC),
        (summed(&udp, &[(29, 128)]), counters::IP_BAD_SRC),
        (summed(&udp, &[(33, 129)]), counters::IP_NOT_OURS),
        (summed(&udp, &[(30, 10)]), counters::IP_NOT_OURS),
        (broadcast, counters::L2BCAST_UNICAST_IP),
        (summed(&udp, &[(20, 0x20)]), counters::IP_FRAGMENT),
        (summed(&udp, &[(21, 0x01)]), counters::IP_FRAGMENT),
        (summed(&udp, &[(23, 6)]), counters::IP_PROTO_OTHER),
        (summed(&udp, &[(33, 255)]), counters::IP_BROADCAST),
        (summed(&udp, &[(30, 239)]), counters::IP_BROADCAST),
        (summed(&udp, &[(30, 255), (31, 255), (32, 255), (33, 255)]), counters::IP_BROADCAST),
        (with(&echo, &[(36, 0x55)]), counters::ICMP_BAD_CSUM),
        (padded(icmp_frame(8, 1, &[0; 12]), 0), counters::ICMP_OTHER),
        (padded(icmp_frame(0, 0, &[0; 12]), 0), counters::ICMP_OTHER),
        (padded(icmp_frame(8, 0, &[0; 3]), 0), counters::ICMP_OTHER),
        (echo_frame(&vec![7; 2034 - 20 - 4 + 1]), counters::ICMP_TOO_LONG),
        (echo_frame(&vec![7; 2034 - 20 - 4]), counters::ICMP_ECHO),
        (echo, counters::ICMP_ECHO),
        (with(&udp, &[(39, 7)]), counters::UDP_LEN_ERROR),
        (with(&udp, &[(39, 27)]), counters::UDP_LEN_ERROR),
        (with(&udp, &[(38, 1)]), counters::UDP_LEN_ERROR),
        (with(&udp, &[(50, 0x55)]), counters::UDP_BAD_CSUM),
        (with(&udp, &[(36, 0), (37, 0), (40, 0), (41, 0)]), counters::UDP_NO_PORT),
        (with(&udp, &[(37, 0x11), (40, 0), (41, 0)]), counters::UDP_NO_PORT),
        (with(&udp, &[(40, 0), (41, 0)]), counters::UDP_NOCSUM),
        (udp.clone(), counters::UDP_GOOD),
    ];
    for (frame, wanted) in &cases {
        let found = feed(&mut board(), &good([frame.clone(), udp.clone()]), Stalls::none());
        let names: Vec<_> = found.verdicts.iter().map(|event| name(event.code)).collect();
        assert_eq!(names, [wanted.name, "udp_good"], "{frame:02x?}");
    }
    let all: Vec<_> = cases.into_iter().flat_map(|(frame, _)| [frame, udp.clone()]).collect();
    check_with_gaps(&good(all));
}

#[test]
fn every_header_bit_that_flips_is_judged_as_the_model_does() {
    let frames = [udp_frame(&[0x5a; 25]), echo_frame(&[0x11; 30]), arp_frame()];
    for frame in frames.map(|frame| padded(frame, 0)) {
        // The destination address is the filter's matter.
        let flips = (48..44 * 8).map(|bit| vec![(bit / 8, frame[bit / 8] ^ 1 << (bit % 8))]);
        let flipped = changed(&frame, flips);
        check(&flipped, None);
        check(&refreshed(flipped.clone()), None);
        check(&flipped, Some(1));
    }
}

#[test]
fn lengths_are_trusted_in_the_order_frame_datagram_segment() {
    for frame_octets in 60..=69 {
        let mut frame = udp_frame(&[0; 40]);
        frame[40..42].fill(0);
        frame.truncate(frame_octets);
        let totals = (0..=60).map(|total| vec![(16, 0), (17, total), (39, 8)]);
        check(&refreshed(changed(&frame, totals)), None);
        for total in [27, 28, 29, 45, 46, 47, 48] {
            let lengths = (0..=40).map(|length| vec![(16, 0), (17, total), (38, 0), (39, length)]);
            check(&refreshed(changed(&frame, lengths)), None);
        }
        let large = [(1, 46), (0x80, 46), (0xff, 0xff)].map(|(high, low)| vec![(16, high), (17, low)]);
        check(&refreshed(changed(&frame, large)), None);
        let large = [(1, 26), (0x80, 26), (0xff, 0xff)].map(|(high, low)| vec![(38, high), (39, low)]);
        check(&refreshed(changed(&frame, large)), None);
    }
}

#[test]
fn options_of_every_length_are_summed_before_they_are_refused() {
    let mut frames = Vec::new();
    for words in 5..=15_usize {
        for damage in [0, 1] {
            let content = [&vec![1; (words - 5) * 4], &udp_frame(b"behind options")[34..]].concat();
            let mut frame = ip_frame(17, &content);
            frame[14] = 0x40 | words as u8;
            frame[24..26].fill(0);
            let checksum = !ip::sum(&frame[14..14 + 4 * words]);
            frame[24..26].copy_from_slice(&checksum.to_be_bytes());
            frame[13 + 4 * words] ^= damage;
            frames.extend([padded(frame, 0), padded(udp_frame(b"good"), 0)]);
        }
    }
    check_with_gaps(&good(frames));
}

#[test]
fn every_pair_of_source_and_destination_address_is_judged_as_the_model_does() {
    let addresses = [
        CARD.ip.octets(),
        HOST_IP.octets(),
        [192, 168, 1, 0],
        [192, 168, 1, 255],
        [192, 168, 2, 128],
        [10, 0, 0, 1],
        [255, 255, 255, 255],
        [255, 255, 1, 128],
        [224, 0, 0, 1],
        [239, 168, 1, 128],
        [240, 0, 0, 1],
        [127, 0, 0, 1],
        [0, 0, 0, 0],
        [0, 0, 0, 1],
    ];
    let mut frames = Vec::new();
    for broadcast in [false, true] {
        for source in addresses {
            for destination in addresses {
                for mut frame in [padded(udp_frame(&[1, 2, 3]), 0), padded(echo_frame(&[5; 8]), 0)] {
                    frame[26..30].copy_from_slice(&source);
                    frame[30..34].copy_from_slice(&destination);
                    frame[40..42].fill(0);
                    ip::refresh_checksum(&mut frame);
                    if broadcast {
                        frame[..6].fill(0xff);
                    }
                    frames.push(frame);
                }
                let mut frame = padded(arp_frame(), 0);
                frame[28..32].copy_from_slice(&source);
                frame[38..42].copy_from_slice(&destination);
                frames.push(frame);
            }
        }
    }
    check(&good(frames), None);
}

#[test]
fn arp_senders_are_judged_as_the_model_does() {
    let macs = [CARD.mac, HOST_MAC, [0xff; 6], [0; 6], [0x03, 0, 0, 0, 0, 0x80], [0x02, 0, 0, 0, 0, 0x81]];
    let mut frames = Vec::new();
    for mac in macs {
        for ip in [CARD.ip.octets(), HOST_IP.octets(), [0; 4], [192, 168, 1, 129]] {
            for operation in [1, 2] {
                let mut frame = padded(arp_frame(), 0);
                frame[21] = operation;
                frame[22..28].copy_from_slice(&mac);
                frame[28..32].copy_from_slice(&ip);
                frames.push(frame);
            }
        }
    }
    check_with_gaps(&good(frames));
}

#[test]
fn a_damaged_frame_of_any_length_has_no_verdict_and_does_not_touch_the_next() {
    let mut rng = fastrand::Rng::with_seed(7);
    for source in [udp_frame(&[0x77; 120]), echo_frame(&[0x77; 120]), padded(arp_frame(), 0)] {
        let mut frames = Vec::new();
        for octets in 1..=source.len() {
            frames.push(Packet { octets: source[..octets].to_vec(), error: true });
            if rng.bool() {
                frames.push(Packet { octets: source[..1].to_vec(), error: true });
            }
            let payload = random(&mut rng, octets % 70);
            frames.push(Packet::good(padded(udp_frame(&payload), 0)));
            frames.push(Packet::good(padded(echo_frame(&payload), 0)));
            frames.push(Packet { octets: source[..octets.min(16)].to_vec(), error: true });
            frames.push(Packet::good(padded(arp_frame(), 0)));
        }
        check_with_gaps(&frames);
    }
}

#[test]
fn sums_that_carry_and_checksums_of_zero_and_all_ones_are_understood() {
    let mut frames = Vec::new();
    for octets in 0..=40 {
        frames.push(padded(udp_frame(&vec![0xff; octets]), 0xff));
        frames.push(padded(echo_frame(&vec![0xff; octets + 4]), 0xff));
    }
    for value in 0..=u16::MAX {
        let frame = udp_frame(&value.to_be_bytes());
        if [[0xff, 0xff], [0, 1], [0xff, 0xfe]].contains(&[frame[40], frame[41]]) {
            frames.push(padded(frame, 0xee));
        }
    }
    check_with_gaps(&good(frames));
}

#[test]
fn a_bad_checksum_ends_the_payload_with_an_error() {
    for octets in 1..=40 {
        let mut frame = padded(udp_frame(&vec![9; octets]), 0);
        frame[42] ^= 1;
        let found = feed(&mut board(), &good([frame]), Stalls::none());
        let [(payload, cycle)] = &found.payloads[..] else { panic!("{octets} octets: {:?}", found.payloads) };
        assert!(payload.error && payload.octets.len() == octets, "{octets} octets: {payload:?}");
        assert_eq!(*cycle, found.verdicts[0].cycle);
    }
}

#[test]
fn frames_that_are_damaged_at_random_are_judged_as_the_model_does() {
    for seed in 0..24 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let frames = (0..300).map(|_| {
            let octets = rng.usize(0..90);
            let rest = random(&mut rng, octets + 4);
            let mut frame = match rng.u8(..4) {
                0 => padded(arp_frame(), 0),
                1 => padded(echo_frame(&rest), 0xee),
                _ => padded(udp_frame(&rest), 0xee),
            };
            for _ in 0..rng.usize(..4) {
                // Mostly where headers are, with values that fields really have.
                let place = rng.usize(6..44.min(frame.len()));
                frame[place] =
                    [rng.u8(..), 0, 1, 0xff, frame[place] ^ 1, frame[place].wrapping_add(1)][rng.usize(..6)];
            }
            if rng.bool() && frame[12..14] == [8, 0] {
                ip::refresh_checksum(&mut frame);
            }
            Packet { octets: frame, error: rng.u8(..10) == 0 }
        });
        check(&frames.collect::<Vec<_>>(), Some(seed).filter(|seed| seed % 4 != 0));
    }
}

#[test]
fn a_reset_at_any_word_of_a_frame_leaves_a_card_that_listens() {
    for cycles in 0..24 {
        let mut board = board();
        let mut frames = Frames::attach(&mut board, &good([udp_frame(&[1; 100])]), Stalls::none());
        board.run(cycles, &mut frames);
        set(&mut board, &[("frames_valid", 0)]).unwrap();
        board.reset();
        let found = feed(&mut board, &good([padded(udp_frame(b"after"), 0)]), Stalls::none());
        let names: Vec<_> = found.verdicts.iter().map(|event| name(event.code)).collect();
        assert_eq!(names, ["udp_good"], "reset in cycle {cycles}");
        let payloads: Vec<_> = found.payloads.iter().map(|(payload, _)| payload.clone()).collect();
        assert_eq!(payloads, [Packet::good(*b"after")], "reset in cycle {cycles}");
    }
}
