//! Counters that move only under load or by what a user of the card does, in the card's statistics memory.
use nicforge_layout::counters::{self, Group};
use nicforge_layout::registers::{statistics_status, udp_tx_limit};
use nicforge_sim::Board;
use nicforge_sim::link::xgmii::{Pacing, StartLane};
use nicforge_sim::link::{AxiLite, AxisSink, AxisSource, Packet, Stalls, XgmiiSink, XgmiiSource};
use nicforge_sim::models::eth::transmit;
use nicforge_sim::models::udp::{Flow, build};
use nicforge_testbench::bench::Design;
use nicforge_testbench::cases::{self, Case};
use nicforge_testbench::network::{CARD, CARD_PORT, HOST_IP, HOST_MAC, HOST_PORT, udp_frame};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> = LazyLock::new(|| {
    let config = cases::configuration("udp_core").unwrap();
    Design::of("udp_core", nicforge_hdl::top::emit_core(&config).unwrap()).unwrap()
});

/// What the card sends, as its configuration says.
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
/// Cycles for whatever is still inside the card.
const AFTERMATH: u64 = 2_000;
/// Without stalls, and with some.
const SEEDS: [Option<u64>; 5] = [None, Some(1), Some(2), Some(3), Some(4)];

/// The line both ways, and packets to send.
type Ends = (XgmiiSource, XgmiiSink, AxisSource);

/// The card with everything at its ports but a taker of received payloads.
struct Bench {
    board: Board,
    bus: AxiLite,
    ends: Ends,
    seed: Option<u64>,
}

impl Bench {
    fn new(seed: Option<u64>, gap: u64) -> Self {
        let mut board = DESIGN.board().unwrap();
        let pacing = Pacing { gap, deficit_idle: false, lane: StartLane::Either };
        let source = XgmiiSource::attach(&mut board, "xgmii", pacing, stalls(seed, 0)).unwrap();
        let sink = XgmiiSink::attach(&mut board, "xgmii").unwrap();
        let packets = AxisSource::attach(&mut board, "s_axis_udp", stalls(seed, 1)).unwrap();
        let bus = AxiLite::attach(&mut board, "s_axil", stalls(seed, 2)).unwrap();
        Self { board, bus, ends: (source, sink, packets), seed }
    }

    /// Receives these frames to their end.
    fn receive<'a>(&mut self, frames: impl IntoIterator<Item = &'a Vec<u8>>) {
        frames.into_iter().for_each(|frame| self.ends.0.line.push_frame(frame.clone()));
        let all = |ends: &Ends| ends.0.line.is_empty();
        self.board.run_until("the frames received", 200_000, &mut self.ends, all).unwrap();
    }

    /// Frames that left, FCS included, once the card is quiet.
    fn sent(&mut self) -> Vec<Vec<u8>> {
        self.board.run(AFTERMATH, &mut self.ends);
        let line = &mut self.ends.1.line;
        assert!(line.violations().is_empty(), "seed {:?}: {:?}", self.seed, line.violations());
        std::iter::from_fn(|| line.pop()).map(|received| received.octets).collect()
    }

    /// The counters that are not 0, of a snapshot that lost no event and whose two sums hold.
    fn counters(&mut self) -> BTreeMap<String, u64> {
        let values = cases::snapshot(&mut self.board, &mut self.bus, &mut self.ends).unwrap();
        let status = self.bus.read(&mut self.board, &mut self.ends, statistics_status::REG.offset).unwrap();
        assert_eq!(statistics_status::LOST.get(status), 0, "seed {:?}", self.seed);
        let value = |name: &str| values.get(name).copied().unwrap_or(0);
        let sum = |group| {
            let of_group = counters::COUNTERS.iter().filter(|counter| counter.group == group);
            of_group.map(|counter| value(counter.name)).sum::<u64>()
        };
        assert_eq!(value("rx_frames"), sum(Group::Mac), "seed {:?}: {values:?}", self.seed);
        assert_eq!(value("rx_good"), sum(Group::Network), "seed {:?}: {values:?}", self.seed);
        values
    }

    fn expect(&mut self, wanted: &[(&str, u64)]) {
        let wanted: BTreeMap<_, _> =
            wanted.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        assert_eq!(self.counters(), wanted, "seed {:?}", self.seed);
    }
}

fn stalls(seed: Option<u64>, stream: u64) -> Stalls {
    seed.map_or_else(Stalls::none, |seed| Stalls::seeded(seed * 16 + stream))
}

fn case(name: &str) -> Case {
    Case::load(&cases::folder().join(name)).unwrap()
}

/// Holds the line with a long packet, meanwhile receives `count` requests, and checks that one is answered.
fn requests_behind_a_long_packet(name: &str, good: &str, busy: &str) {
    let case = case(name);
    let count = 12;
    for seed in SEEDS {
        let mut bench = Bench::new(seed, 12);
        let payload = vec![0x5a; 8972];
        bench.ends.2.push(Packet::good(payload.clone()));
        let leaves = |ends: &Ends| ends.1.line.is_open();
        bench.board.run_until("the long packet", 20_000, &mut bench.ends, leaves).unwrap();
        bench.receive(std::iter::repeat_n(&case.frames[0], count));
        assert!(bench.ends.1.line.is_open(), "seed {seed:?}: the long packet ended too early");
        let wanted = [transmit(&build(&FLOW, &payload)), case.replies[0].clone()];
        assert_eq!(bench.sent(), wanted, "seed {seed:?}");
        let count = count as u64;
        bench.expect(&[
            ("rx_frames", count),
            ("rx_good", count),
            (good, count),
            (busy, count - 1),
            ("udp_tx_good", 1),
            ("tx_good", 2),
        ]);
    }
}

/// Receives requests as close together as a line may bring them; each is answered or counted.
fn requests_back_to_back(name: &str, good: &str, busy: &str) {
    let case = case(name);
    let count = 200;
    for seed in SEEDS {
        let mut bench = Bench::new(seed, 5);
        bench.receive(std::iter::repeat_n(&case.frames[0], count));
        let sent = bench.sent();
        assert!(sent.iter().all(|frame| *frame == case.replies[0]), "seed {seed:?}");
        let (count, replies) = (count as u64, sent.len() as u64);
        let mut wanted = vec![("rx_frames", count), ("rx_good", count), (good, count), ("tx_good", replies)];
        // Pauses between the requests may leave time for every reply.
        assert!(replies < count || seed.is_some(), "the line was never too fast");
        wanted.extend((replies < count).then_some((busy, count - replies)));
        bench.expect(&wanted);
    }
}

#[test]
fn arp_requests_behind_a_waiting_reply_are_counted_as_busy() {
    requests_behind_a_long_packet("V01_arp_request", "arp_request", "arp_busy");
}

#[test]
fn echo_requests_behind_a_waiting_reply_are_counted_as_busy() {
    requests_behind_a_long_packet("V06_echo_request", "icmp_echo", "icmp_busy");
}

#[test]
fn arp_requests_back_to_back_are_answered_or_counted() {
    requests_back_to_back("V01_arp_request", "arp_request", "arp_busy");
}

#[test]
fn echo_requests_back_to_back_are_answered_or_counted() {
    requests_back_to_back("V06_echo_request", "icmp_echo", "icmp_busy");
}

#[test]
fn datagrams_that_nobody_takes_overflow_whole_and_the_next_good_one_passes() {
    for seed in SEEDS {
        let mut bench = Bench::new(seed, 12);
        let mut rng = fastrand::Rng::with_seed(seed.unwrap_or(0));
        // 125 words each: sixteen fit into 2047 words, a seventeenth does not.
        let payloads: Vec<Vec<u8>> =
            (0..20).map(|_| std::iter::repeat_with(|| rng.u8(..)).take(1000).collect()).collect();
        let frames: Vec<Vec<u8>> = payloads.iter().map(|payload| transmit(&udp_frame(payload))).collect();
        bench.receive(&frames);
        let Bench { board, ends, .. } = &mut bench;
        board.run(AFTERMATH, ends);
        bench.expect(&[("rx_frames", 20), ("rx_good", 20), ("udp_good", 20), ("udp_rx_overflow", 4)]);

        let mut port = AxisSink::attach(&mut bench.board, "m_axis_udp", stalls(seed, 3)).unwrap();
        let wanted: Vec<Packet> = payloads[..16].iter().cloned().map(Packet::good).collect();
        run_with(&mut bench, &mut port, 16);
        assert_eq!(port.packets(), wanted, "seed {seed:?}");
        bench.ends.0.line.push_frame(frames[19].clone());
        run_with(&mut bench, &mut port, 1);
        assert_eq!(port.packets(), [Packet::good(payloads[19].clone())], "seed {seed:?}");
        assert_eq!(port.violations(), [""; 0], "seed {seed:?}");
        assert_eq!(port.unfinished(), 0, "seed {seed:?}");
        bench.expect(&[("rx_frames", 21), ("rx_good", 21), ("udp_good", 21), ("udp_rx_overflow", 4)]);
    }
}

/// Runs with a taker of payloads until `packets` of them wait, and on to see that no more come.
fn run_with(bench: &mut Bench, port: &mut AxisSink, packets: usize) {
    let mut all = (&mut bench.ends, port);
    let come = |all: &(&mut Ends, &mut AxisSink)| all.1.waiting() >= packets;
    bench.board.run_until("the payloads", 50_000, &mut all, come).unwrap();
    bench.board.run(AFTERMATH, &mut all);
}

#[test]
fn packets_too_long_or_marked_bad_are_dropped_and_counted_and_nothing_is_sent_damaged() {
    for seed in SEEDS {
        let mut bench = Bench::new(seed, 12);
        let limit = udp_tx_limit::OCTETS.put(0, 100);
        bench.bus.write(&mut bench.board, &mut bench.ends, udp_tx_limit::REG.offset, limit).unwrap();
        let bad = |octets| Packet { octets: vec![3; octets], error: true };
        let packets = [
            Packet::good(vec![1; 100]),
            Packet::good(vec![2; 101]),
            bad(100),
            Packet::good(vec![4; 9]),
            Packet::good(vec![5; 3000]),
            bad(1),
            bad(8),
            // Both too long and bad counts as too long; longer than the buffer ends too.
            bad(101),
            Packet::good(vec![6; 20_000]),
            Packet::good(vec![7; 1]),
        ];
        packets.iter().for_each(|packet| bench.ends.2.push(packet.clone()));
        let taken = |ends: &Ends| ends.2.queued() == 0;
        bench.board.run_until("the packets", 50_000, &mut bench.ends, taken).unwrap();
        let wanted = [vec![1; 100], vec![4; 9], vec![7; 1]].map(|payload| transmit(&build(&FLOW, &payload)));
        assert_eq!(bench.sent(), wanted, "seed {seed:?}");
        // The packet buffer sends whole packets, so neither tx_underrun nor tx_error may move.
        bench.expect(&[("udp_tx_good", 3), ("udp_tx_oversize", 4), ("udp_tx_error", 3), ("tx_good", 3)]);
    }
}

#[test]
fn a_source_that_stops_within_a_packet_causes_no_underrun() {
    for pause in [1, 100, 5_000] {
        let mut bench = Bench::new(None, 12);
        bench.ends.2.push(Packet::good(vec![9; 1000]));
        bench.board.run(60, &mut bench.ends);
        assert_eq!(bench.ends.2.queued(), 1, "the packet was taken before its source stopped");
        let (source, sink, _) = &mut bench.ends;
        let valid = bench.board.pins().model().input("s_axis_udp_tvalid").unwrap();
        bench.board.pins().set(valid, 0);
        bench.board.run(pause, &mut (source, sink));
        let taken = |ends: &Ends| ends.2.queued() == 0;
        bench.board.run_until("the packet", 2_000, &mut bench.ends, taken).unwrap();
        assert_eq!(bench.sent(), [transmit(&build(&FLOW, &[9; 1000]))], "pause of {pause}");
        bench.expect(&[("udp_tx_good", 1), ("tx_good", 1)]);
    }
}
