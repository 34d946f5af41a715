//! The packet buffer as seen by what sends its packets.
use nicforge_hdl::ip::PacketBuffer;
use nicforge_layout::counters;
use nicforge_sim::Board;
use nicforge_sim::board::{Actor, Pins};
use nicforge_sim::link::{AxisSink, AxisSource, EventLog, Packet, Stalls};
use nicforge_sim::model::Output;
use nicforge_sim::models::ip::sum;
use nicforge_testbench::bench::Design;
use nicforge_testbench::network::set;
use std::sync::LazyLock;

/// 2048 words, as in the card, and 32 words, which fill and wrap soon.
static LARGE: LazyLock<Design> =
    LazyLock::new(|| Design::new("packet_buffer", PacketBuffer::<11>::default()).unwrap());
static SMALL: LazyLock<Design> =
    LazyLock::new(|| Design::new("packet_buffer_small", PacketBuffer::<5>::default()).unwrap());

/// Longest packet that 32 words hold.
const SMALL_MOST: usize = 30 * 8;

/// Takes packets, and notes length and sum beside each word.
struct Sink {
    words: AxisSink,
    valid: Output,
    length: Output,
    sum: Output,
    open: Vec<(u64, u64)>,
    beside: Vec<(u64, u64)>,
}

impl Sink {
    fn attach(board: &mut Board, stalls: Stalls) -> Self {
        let words = AxisSink::attach(board, "source", stalls).unwrap();
        let output = |name| board.pins().model().output(name).unwrap();
        let [valid, length, sum] = ["source_valid", "length", "sum"].map(output);
        Self { words, valid, length, sum, open: Vec::new(), beside: Vec::new() }
    }
}

impl Actor for Sink {
    fn drive(&mut self, pins: &mut Pins) {
        self.words.drive(pins);
    }

    fn sample(&mut self, pins: &Pins) {
        let before = self.words.waiting();
        if pins.is_set(self.valid) {
            self.open.push((pins.get(self.length), pins.get(self.sum)));
        }
        self.words.sample(pins);
        if self.words.waiting() > before {
            self.open.dedup();
            assert_eq!(self.open.len(), 1, "length and sum change within a packet");
            self.beside.append(&mut self.open);
        }
    }
}

struct Found {
    packets: Vec<(Packet, u64)>,
    beside: Vec<(u64, u64)>,
    codes: Vec<u64>,
    cycles: u64,
}

/// What becomes of packets that are offered one after the other.
fn run(design: &Design, limit: usize, packets: &[Packet], stalls: [Stalls; 2]) -> Found {
    let mut board = design.board().unwrap();
    set(&mut board, &[("limit", limit as u64)]).unwrap();
    let [source_stalls, sink_stalls] = stalls;
    let mut source = AxisSource::attach(&mut board, "packets", source_stalls).unwrap();
    packets.iter().for_each(|packet| source.push(packet.clone()));
    let events = EventLog::attach(&mut board, "event").unwrap();
    let mut actors = (source, Sink::attach(&mut board, sink_stalls), events);
    let words: usize = packets.iter().map(|packet| packet.octets.len() / 8 + 16).sum();
    let done = |(_, sink, events): &(AxisSource, Sink, EventLog)| {
        let good =
            events.codes().iter().filter(|code| **code == u64::from(counters::UDP_TX_GOOD.code)).count();
        events.events().len() == packets.len() && sink.words.waiting() == good
    };
    board.run_until("all packets", 60 * words as u64 + 1_000, &mut actors, done).unwrap();
    let cycles = board.cycle();
    board.run(50, &mut actors);
    let (_, mut sink, events) = actors;
    assert_eq!(sink.words.violations(), [""; 0]);
    assert_eq!(sink.words.unfinished(), 0);
    for pair in events.events().windows(2) {
        assert!(pair[1].cycle > pair[0].cycle + 1, "two events in neighbouring cycles");
    }
    let packets = std::iter::from_fn(|| sink.words.pop_with_cycle()).collect();
    Found { packets, beside: sink.beside, codes: events.codes(), cycles }
}

/// What has to become of a packet.
fn verdict(packet: &Packet, limit: usize, most: usize) -> counters::Counter {
    if packet.octets.len() > limit || packet.octets.len() > most {
        counters::UDP_TX_OVERSIZE
    } else if packet.error {
        counters::UDP_TX_ERROR
    } else {
        counters::UDP_TX_GOOD
    }
}

fn check(design: &Design, limit: usize, most: usize, packets: &[Packet], seed: Option<u64>) -> Found {
    let stalls = |end| seed.map_or_else(Stalls::none, |seed| Stalls::seeded(seed * 2 + end));
    let found = run(design, limit, packets, [stalls(0), stalls(1)]);
    let verdicts: Vec<u64> = packets.iter().map(|packet| verdict(packet, limit, most).code.into()).collect();
    assert_eq!(found.codes, verdicts, "seed {seed:?}");
    let kept = |packet: &&Packet| verdict(packet, limit, most) == counters::UDP_TX_GOOD;
    let wanted: Vec<&Packet> = packets.iter().filter(kept).collect();
    assert_eq!(found.packets.len(), wanted.len(), "seed {seed:?}");
    for ((packet, _), wanted) in found.packets.iter().zip(&wanted) {
        assert_eq!(packet, *wanted, "seed {seed:?}");
    }
    for ((length, found), wanted) in found.beside.iter().zip(&wanted) {
        assert_eq!(*length, wanted.octets.len() as u64, "seed {seed:?}");
        assert_eq!(*found, u64::from(sum(&wanted.octets)), "{length} octets, seed {seed:?}");
    }
    found
}

fn random(rng: &mut fastrand::Rng, octets: usize) -> Vec<u8> {
    std::iter::repeat_with(|| rng.u8(..)).take(octets).collect()
}

fn good(rng: &mut fastrand::Rng, lengths: impl IntoIterator<Item = usize>) -> Vec<Packet> {
    lengths.into_iter().map(|octets| Packet::good(random(rng, octets))).collect()
}

#[test]
fn every_length_passes_with_its_length_and_sum() {
    let mut rng = fastrand::Rng::with_seed(3);
    let lengths = (1..=100).chain([1472, 8040, 8971, 8972, 16_338, 1, 16_367, 16_368]);
    let packets = good(&mut rng, lengths);
    check(&LARGE, 32_767, 16_368, &packets, None);
}

#[test]
fn a_sum_whose_carries_go_round_is_folded_to_the_end() {
    let octets = [vec![0xff; 16_368], vec![0xff; 7], vec![0; 9], [vec![0xff; 16], vec![0, 1]].concat()];
    let packets: Vec<Packet> = octets.map(Packet::good).into();
    check(&LARGE, 32_767, 16_368, &packets, None);
}

#[test]
fn stalls_change_nothing_but_time() {
    for seed in 0..16 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let lengths: Vec<_> = (0..80).map(|_| rng.usize(1..=SMALL_MOST)).collect();
        let mut packets = good(&mut rng, lengths);
        packets.iter_mut().for_each(|packet| packet.error = rng.u8(..4) == 0);
        check(&SMALL, 200, SMALL_MOST, &packets, Some(seed));
        let short: Vec<_> = (0..80).map(|_| rng.usize(1..=9)).collect();
        check(&SMALL, 200, SMALL_MOST, &good(&mut rng, short), Some(seed));
    }
}

#[test]
fn the_limit_itself_passes_and_one_octet_more_is_dropped_whole_and_counted() {
    let mut rng = fastrand::Rng::with_seed(4);
    for limit in [1, 7, 8, 9, 63, 64, 65, SMALL_MOST - 1, SMALL_MOST] {
        let lengths = [limit, limit + 1, 1, limit + 8, limit + 9, limit.saturating_sub(1).max(1), 1];
        let packets = good(&mut rng, lengths);
        check(&SMALL, limit, SMALL_MOST, &packets, None);
    }
}

#[test]
fn a_packet_larger_than_the_memory_is_dropped_and_the_next_passes() {
    for seed in 0..8 {
        let mut rng = fastrand::Rng::with_seed(seed);
        for more in [1, 8, 9, 16, 17, 1000] {
            // Behind 0 to 3 others, so that the memory is found in every state of filling.
            let before = seed as usize % 4;
            let lengths = std::iter::repeat_n(40, before).chain([SMALL_MOST + more, 20, SMALL_MOST, 5]);
            let packets = good(&mut rng, lengths);
            check(&SMALL, 32_767, SMALL_MOST, &packets, Some(seed).filter(|seed| *seed > 3));
        }
    }
}

#[test]
fn a_bad_packet_vanishes_and_the_next_passes() {
    for octets in 1..=40 {
        let bad = Packet { octets: vec![0xee; octets], error: true };
        let packets = [bad.clone(), Packet::good([1, 2, 3]), bad.clone(), bad, Packet::good([4; 20])];
        check(&SMALL, 200, SMALL_MOST, &packets, None);
    }
}

#[test]
fn a_stream_of_vdif_packets_loses_no_time_on_the_wire() {
    let packets = vec![Packet::good(vec![0x5a; 8040]); 10];
    let found = check(&LARGE, 8_972, 16_368, &packets, None);
    // 8 octets of preamble, 42 of header, 4 of FCS and 12 of gap beside each payload.
    let wire = (8040 + 66) / 8;
    for pair in found.packets.windows(2) {
        assert!(pair[1].1 - pair[0].1 <= wire, "{} clocks from packet to packet", pair[1].1 - pair[0].1);
    }
    assert!(found.cycles <= 11 * wire + 20, "{} clocks in all", found.cycles);
}

#[test]
fn a_reset_at_any_cycle_leaves_an_empty_buffer_that_works() {
    for cycles in 0..40 {
        let mut board = SMALL.board().unwrap();
        set(&mut board, &[("limit", 1_000)]).unwrap();
        let mut source = AxisSource::attach(&mut board, "packets", Stalls::none()).unwrap();
        [20, 200, 60, 9].iter().for_each(|octets| source.push(Packet::good(vec![1; *octets])));
        let mut ends = (source, Sink::attach(&mut board, Stalls::seeded(cycles)));
        board.run(cycles, &mut ends);
        set(&mut board, &[("packets_valid", 0)]).unwrap();
        board.reset();
        let mut source = AxisSource::attach(&mut board, "packets", Stalls::none()).unwrap();
        source.push(Packet::good([7; 33]));
        let mut ends = (source, Sink::attach(&mut board, Stalls::none()));
        board.run(40, &mut ends);
        assert_eq!(ends.1.words.packets(), [Packet::good([7; 33])], "reset in cycle {cycles}");
        assert_eq!(ends.1.beside, [(33, sum(&[7; 33]).into())], "reset in cycle {cycles}");
    }
}

#[test]
fn a_packet_leaves_eight_clocks_after_its_last_word_and_the_next_goes_in_after_four() {
    let packets = [Packet::good([1; 24]), Packet::good([2; 8])];
    let found = run(&SMALL, 200, &packets, [Stalls::none(), Stalls::none()]);
    // Words 0 to 2 go in during cycles 0 to 2; the second packet's in cycle 7.
    assert_eq!(found.packets[0].1, 2 + 8 + 2);
    assert_eq!(found.packets[1].1, 2 + 5 + 8);
}
