//! UDP transmission as seen where the MAC takes its frames.
use nicforge_hdl::ip::UdpTransmit;
use nicforge_sim::Board;
use nicforge_sim::board::{Actor, Pins};
use nicforge_sim::link::{AxisSink, AxisSource, Packet, Stalls};
use nicforge_sim::model::Input;
use nicforge_sim::models::ip::sum;
use nicforge_sim::models::udp::{Flow, build};
use nicforge_testbench::bench::Design;
use nicforge_testbench::network::{CARD, CARD_PORT, HOST_IP, HOST_MAC, HOST_PORT, ip_bits, mac_bits, set};
use std::net::Ipv4Addr;
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> =
    LazyLock::new(|| Design::new("udp_transmit", UdpTransmit::default()).unwrap());

const FLOW: Flow = Flow {
    source_mac: CARD.mac,
    destination_mac: HOST_MAC,
    source_ip: CARD.ip,
    destination_ip: HOST_IP,
    source_port: CARD_PORT,
    destination_port: HOST_PORT,
    ttl: 64,
    dscp: 0,
    checksum: true,
};

/// A flow that differs in every octet of every setting.
const OTHER: Flow = Flow {
    source_mac: [0xfc, 0xff, 0x5a, 0xc3, 0x96, 0x7f],
    destination_mac: [0xf8, 0xee, 0xdd, 0xcc, 0xbb, 0xaa],
    source_ip: Ipv4Addr::new(10, 1, 222, 33),
    destination_ip: Ipv4Addr::new(172, 31, 99, 254),
    source_port: 0xfedc,
    destination_port: 0x1234,
    ttl: 0xe1,
    dscp: 0x2e,
    checksum: false,
};

/// Payload with its length and sum beside it, as the packet buffer gives it.
struct Payload {
    words: AxisSource,
    beside: Vec<(u64, u64)>,
    length: Input,
    sum: Input,
}

impl Payload {
    fn attach(board: &mut Board, packets: &[Packet], stalls: Stalls) -> Self {
        let mut words = AxisSource::attach(board, "payload", stalls).unwrap();
        packets.iter().for_each(|packet| words.push(packet.clone()));
        let beside = |packet: &Packet| (packet.octets.len() as u64, sum(&packet.octets).into());
        let model = board.pins().model();
        let (length, sum) = (model.input("length").unwrap(), model.input("sum").unwrap());
        Self { words, beside: packets.iter().map(beside).collect(), length, sum }
    }
}

impl Actor for Payload {
    fn drive(&mut self, pins: &mut Pins) {
        let current = self.beside.get(self.beside.len() - self.words.queued());
        let (length, sum) = current.copied().unwrap_or((0x5555, 0xaaaa));
        pins.set(self.length, length);
        pins.set(self.sum, sum);
        self.words.drive(pins);
    }

    fn sample(&mut self, pins: &Pins) {
        self.words.sample(pins);
    }
}

/// The inputs that say what goes into the header, with their values.
fn inputs(flow: &Flow) -> [(&'static str, u64); 9] {
    [
        ("own_mac", mac_bits(flow.source_mac)),
        ("own_ip", ip_bits(flow.source_ip)),
        ("destination_mac", mac_bits(flow.destination_mac)),
        ("destination_ip", ip_bits(flow.destination_ip)),
        ("source_port", flow.source_port.into()),
        ("destination_port", flow.destination_port.into()),
        ("ttl", flow.ttl.into()),
        ("dscp", flow.dscp.into()),
        ("checksum", flow.checksum.into()),
    ]
}

fn board(flow: &Flow) -> Board {
    let mut board = DESIGN.board().unwrap();
    set(&mut board, &inputs(flow)).unwrap();
    board
}

/// Changes all settings at once, in the cycles that `second` chooses for the second flow.
struct Settings<F> {
    inputs: Vec<(Input, u64, u64)>,
    second: F,
}

impl<F: FnMut(u64) -> bool> Settings<F> {
    fn attach(board: &mut Board, flows: &[Flow; 2], second: F) -> Self {
        let model = board.pins().model();
        let pairs = inputs(&flows[0]).into_iter().zip(inputs(&flows[1]));
        let inputs = pairs.map(|((name, first), (_, second))| (model.input(name).unwrap(), first, second));
        Self { inputs: inputs.collect(), second }
    }
}

impl<F: FnMut(u64) -> bool> Actor for Settings<F> {
    fn drive(&mut self, pins: &mut Pins) {
        let chosen = (self.second)(pins.cycle());
        self.inputs.iter().for_each(|(input, first, second)| {
            pins.set(*input, if chosen { *second } else { *first });
        });
    }

    fn sample(&mut self, _: &Pins) {}
}

/// Which of two flows each frame is of, while `second` changes the settings.
fn choices(payloads: &[Vec<u8>], seed: Option<u64>, second: impl FnMut(u64) -> bool) -> Vec<usize> {
    let flows = [FLOW, OTHER];
    let mut board = board(&FLOW);
    let settings = Settings::attach(&mut board, &flows, second);
    let packets: Vec<Packet> = payloads.iter().cloned().map(Packet::good).collect();
    let stalls = |end| seed.map_or_else(Stalls::none, |seed| Stalls::seeded(seed * 2 + end));
    let payload = Payload::attach(&mut board, &packets, stalls(0));
    let sink = AxisSink::attach(&mut board, "frames", stalls(1)).unwrap();
    let mut ends = (settings, payload, sink);
    let all = |ends: &(_, _, AxisSink)| ends.2.waiting() == payloads.len();
    board.run_until("all frames", 20_000, &mut ends, all).unwrap();
    assert_eq!(ends.2.violations(), [""; 0], "seed {seed:?}");
    let choice = |(payload, frame): (&Vec<u8>, Packet)| {
        let of = flows.iter().position(|flow| frame == Packet::good(build(flow, payload)));
        of.unwrap_or_else(|| panic!("{frame:02x?} is of neither flow, seed {seed:?}"))
    };
    payloads.iter().zip(ends.2.packets()).map(choice).collect()
}

/// The frames that come of packets, with the cycles of their last words.
fn frames(flow: &Flow, packets: &[Packet], stalls: impl Fn(u64) -> Stalls) -> Vec<(Packet, u64)> {
    let mut board = board(flow);
    let payload = Payload::attach(&mut board, packets, stalls(0));
    let sink = AxisSink::attach(&mut board, "frames", stalls(1)).unwrap();
    let mut ends = (payload, sink);
    let words: u64 = packets.iter().map(|packet| packet.octets.len() as u64 / 8 + 8).sum();
    let all = |(_, sink): &(Payload, AxisSink)| sink.waiting() == packets.len();
    board.run_until("all frames", 30 * words + 1_000, &mut ends, all).unwrap();
    board.run(20, &mut ends);
    assert_eq!(ends.1.violations(), [""; 0]);
    assert_eq!(ends.1.unfinished(), 0);
    std::iter::from_fn(|| ends.1.pop_with_cycle()).collect()
}

fn check(flow: &Flow, payloads: &[Vec<u8>], seed: Option<u64>) {
    let packets: Vec<Packet> = payloads.iter().cloned().map(Packet::good).collect();
    let stalls = |end| seed.map_or_else(Stalls::none, |seed| Stalls::seeded(seed * 2 + end));
    let found = frames(flow, &packets, stalls);
    assert_eq!(found.len(), payloads.len(), "seed {seed:?}");
    for ((frame, _), payload) in found.iter().zip(payloads) {
        let octets = payload.len();
        assert_eq!(*frame, Packet::good(build(flow, payload)), "{octets} octets, seed {seed:?}");
    }
}

fn random(rng: &mut fastrand::Rng, octets: usize) -> Vec<u8> {
    std::iter::repeat_with(|| rng.u8(..)).take(octets).collect()
}

#[test]
fn every_length_becomes_the_frame_of_the_model() {
    let mut rng = fastrand::Rng::with_seed(1);
    let lengths = (1..=160).chain([1471, 1472, 1473, 8040, 8971, 8972, 16_338]);
    let payloads: Vec<_> = lengths.map(|octets| random(&mut rng, octets)).collect();
    check(&FLOW, &payloads, None);
}

#[test]
fn stalls_on_either_side_change_no_frame() {
    for seed in 0..16 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let payloads: Vec<_> = (0..60).map(|_| random(&mut rng, 1 + seed as usize % 3)).collect();
        check(&FLOW, &payloads, Some(seed));
        let lengths: Vec<_> = (0..60).map(|_| rng.usize(1..120)).collect();
        let payloads: Vec<_> = lengths.iter().map(|octets| random(&mut rng, *octets)).collect();
        check(&FLOW, &payloads, Some(seed));
    }
}

#[test]
fn every_setting_reaches_its_field_and_the_checksums() {
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        // All ones now and then: sums with carries that go round twice.
        let mut bits = |ones: u64| if rng.u8(..8) == 0 { ones } else { rng.u64(..) & ones };
        let mac = |bits: u64| bits.to_le_bytes()[..6].try_into().unwrap();
        let flow = Flow {
            source_mac: mac(bits(u64::MAX)),
            destination_mac: mac(bits(u64::MAX)),
            source_ip: Ipv4Addr::from(bits(u32::MAX.into()) as u32),
            destination_ip: Ipv4Addr::from(bits(u32::MAX.into()) as u32),
            source_port: bits(0xffff) as u16,
            destination_port: bits(0xffff) as u16,
            ttl: bits(0xff) as u8,
            dscp: bits(0x3f) as u8,
            checksum: bits(1) == 1,
        };
        let payloads = [random(&mut rng, 1 + seed as usize % 40), vec![0xff; 9_000]];
        check(&flow, &payloads, None);
    }
}

#[test]
fn a_checksum_that_comes_out_as_zero_is_sent_as_all_ones() {
    // Two octets make every sum, so one of them makes this one.
    let zero = (0..=u16::MAX)
        .map(|value| build(&FLOW, &value.to_be_bytes()))
        .find(|frame| frame[40..42] == [0xff, 0xff])
        .expect("some payload has this sum");
    check(&FLOW, &[zero[42..].to_vec()], None);
}

#[test]
fn frames_follow_one_another_with_at_most_one_idle_clock() {
    for octets in 1..=80 {
        let packets = vec![Packet::good(vec![1; octets]); 12];
        let found = frames(&FLOW, &packets, |_| Stalls::none());
        let words = (42 + octets as u64).div_ceil(8);
        for pair in found.windows(2) {
            let clocks = pair[1].1 - pair[0].1;
            assert!(clocks <= words + 1, "{octets} octets: {clocks} clocks for {words} words");
        }
    }
}

#[test]
fn a_packet_that_is_marked_bad_gives_a_frame_that_is_and_the_next_is_good() {
    for octets in 1..=24 {
        let bad = Packet { octets: vec![7; octets], error: true };
        let found = frames(&FLOW, &[bad, Packet::good([1, 2, 3])], |_| Stalls::none());
        assert_eq!(found.iter().map(|(frame, _)| frame.error).collect::<Vec<_>>(), [true, false]);
        assert_eq!(found[1].0.octets, build(&FLOW, &[1, 2, 3]), "after {octets} octets");
    }
}

#[test]
fn a_reset_at_any_word_of_a_frame_leaves_a_card_that_sends() {
    for cycles in 0..20 {
        let mut board = board(&FLOW);
        let first = Payload::attach(&mut board, &[Packet::good(vec![9; 64])], Stalls::none());
        let mut ends = (first, AxisSink::attach(&mut board, "frames", Stalls::none()).unwrap());
        board.run(cycles, &mut ends);
        set(&mut board, &[("payload_valid", 0)]).unwrap();
        board.reset();
        let second = Payload::attach(&mut board, &[Packet::good(vec![5; 30])], Stalls::none());
        let mut ends = (second, AxisSink::attach(&mut board, "frames", Stalls::none()).unwrap());
        board.run(40, &mut ends);
        assert_eq!(ends.1.pop(), Some(Packet::good(build(&FLOW, &[5; 30]))), "reset in cycle {cycles}");
    }
}

#[test]
fn the_first_word_leaves_two_clocks_after_the_payload_is_offered() {
    let found = frames(&FLOW, &[Packet::good([1; 14])], |_| Stalls::none());
    assert_eq!(found[0].1, 2 + (42 + 14) / 8 - 1);
}

#[test]
fn settings_that_change_at_any_word_of_a_stream_change_whole_frames() {
    for octets in [1, 6, 7, 8, 14, 40] {
        let mut rng = fastrand::Rng::with_seed(octets as u64);
        let payloads: Vec<_> = (0..5).map(|_| random(&mut rng, octets)).collect();
        let clocks = 5 * ((42 + octets as u64).div_ceil(8) + 1);
        let mut borders = std::collections::BTreeSet::new();
        for change in 0..clocks {
            let found = choices(&payloads, None, |cycle| cycle >= change);
            assert!(found.is_sorted(), "{octets} octets, change in cycle {change}: {found:?}");
            borders.insert(found.iter().filter(|choice| **choice == 0).count());
        }
        assert!(borders.into_iter().eq(0..=5), "{octets} octets: the change met not every frame");
    }
}

#[test]
fn settings_that_change_back_and_forth_under_stalls_change_whole_frames() {
    for seed in 0..32 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let payloads: Vec<_> = (0..40).map(|_| rng.usize(1..60)).collect();
        let payloads: Vec<_> = payloads.into_iter().map(|octets| random(&mut rng, octets)).collect();
        let found = choices(&payloads, (seed % 2 == 1).then_some(seed), |_| rng.bool());
        assert!(found.contains(&0) && found.contains(&1), "seed {seed}: {found:?}");
    }
}
