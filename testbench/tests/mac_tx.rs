//! The sending MAC as seen on the line, against the octet-by-octet model.
use fastrand::Rng;
use nicforge_hdl::eth::MacTx;
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::{ethernet, xgmii};
use nicforge_sim::Board;
use nicforge_sim::link::xgmii::{Received, ViolationKind};
use nicforge_sim::link::{AxisSource, EventLog, Packet, Stalls, XgmiiSink};
use nicforge_sim::models::eth::transmit;
use nicforge_testbench::bench::Design;
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("mac_tx", MacTx::default()).unwrap());

/// Cycles from the last word that is taken until the line is idle again.
const DRAIN: u64 = 16;
/// Cycles from the word being taken to the same octets at the pins.
const LATENCY: u64 = 6;

fn octets(length: usize, rng: &mut Rng) -> Vec<u8> {
    std::iter::repeat_with(|| rng.u8(..)).take(length).collect()
}

/// A transmitter, the stream into it and the line out of it.
struct Bench {
    board: Board,
    frames: AxisSource,
    line: XgmiiSink,
    events: EventLog,
}

impl Bench {
    fn new(stalls: Stalls) -> Self {
        let mut board = DESIGN.board().unwrap();
        let frames = AxisSource::attach(&mut board, "frames", stalls).unwrap();
        let line = XgmiiSink::attach(&mut board, "xgmii").unwrap();
        let events = EventLog::attach(&mut board, "event").unwrap();
        Self { board, frames, line, events }
    }

    fn run(&mut self, cycles: u64) {
        self.board.run(cycles, &mut (&mut self.frames, &mut self.line, &mut self.events));
    }

    /// Steps until every packet was taken and is on the line.
    fn finish(&mut self) {
        let actors = &mut (&mut self.frames, &mut self.line, &mut self.events);
        self.board
            .run_until("all packets to be taken", 200_000, actors, |actors| actors.0.queued() == 0)
            .unwrap();
        self.run(DRAIN);
    }

    fn received(&mut self) -> Vec<Received> {
        std::iter::from_fn(|| self.line.line.pop()).collect()
    }

    fn event_names(&self) -> Vec<&'static str> {
        let name = |code: &u64| {
            let known = counters::COUNTERS.iter().find(|counter| u64::from(counter.code) == *code);
            known.map_or("?", |counter| counter.name)
        };
        self.events.codes().iter().map(name).collect()
    }

    #[track_caller]
    fn assert_clean(&self, context: &str) {
        assert_eq!(self.line.line.violations(), [], "{context}");
        let cycles: Vec<_> = self.events.events().iter().map(|event| event.cycle).collect();
        assert!(cycles.windows(2).all(|pair| pair[1] - pair[0] > 1), "{context}: neighbouring events");
    }
}

fn times(counter: Counter, count: usize) -> Vec<&'static str> {
    vec![counter.name; count]
}

#[test]
fn every_length_leaves_with_padding_check_sequence_and_gap() {
    let mut rng = Rng::with_seed(1);
    let mut bench = Bench::new(Stalls::none());
    let sent: Vec<_> =
        (1..=300).chain([1514, 2046, 2047, 2048, 9014, 16_380]).map(|n| octets(n, &mut rng)).collect();
    sent.iter().for_each(|frame| bench.frames.push(Packet::good(frame.clone())));
    bench.finish();
    bench.assert_clean("all lengths");
    let received = bench.received();
    assert_eq!(received.len(), sent.len());
    for (received, sent) in received.iter().zip(&sent) {
        assert!(received.is_good(), "{} octets", sent.len());
        assert_eq!(received.octets, transmit(sent), "{} octets", sent.len());
        assert_eq!(received.lane, 0);
        assert!(received.gap.is_none_or(|gap| gap >= ethernet::IFG_OCTETS as u64), "{} octets", sent.len());
    }
    assert_eq!(bench.event_names(), times(counters::TX_GOOD, sent.len()));
}

#[test]
fn lanes_beyond_keep_never_show_in_the_padding() {
    let mut board = DESIGN.board().unwrap();
    let mut line = XgmiiSink::attach(&mut board, "xgmii").unwrap();
    let model = board.pins().model();
    let ports = ["data", "keep", "last", "valid"].map(|name| model.input(&format!("frames_{name}")).unwrap());
    for length in 1..=80 {
        let words = usize::div_ceil(length, 8);
        let octets = length - 8 * (words - 1);
        let mut drive = |values: [u64; 4], cycles| {
            ports.iter().zip(values).for_each(|(port, value)| board.pins().set(*port, value));
            board.run(cycles, &mut line);
        };
        // The first word waits one cycle, in which the preamble leaves.
        if words > 1 {
            drive([u64::MAX, 0xff, 0, 1], words as u64);
            drive([u64::MAX, u64::MAX >> (64 - octets), 1, 1], 1);
        } else {
            drive([u64::MAX, u64::MAX >> (64 - octets), 1, 1], 2);
        }
        drive([u64::MAX, 0xff, 0, 0], DRAIN + 8);
        let frame = line.line.pop().unwrap();
        assert_eq!(frame.octets, transmit(&vec![0xff; length]), "{length} octets");
    }
}

#[test]
fn pauses_between_frames_change_nothing_and_pauses_inside_end_the_frame() {
    for seed in 0..16 {
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(Stalls::seeded(seed));
        let sent: Vec<_> = (0..200).map(|_| octets(rng.usize(1..400), &mut rng)).collect();
        sent.iter().for_each(|frame| bench.frames.push(Packet::good(frame.clone())));
        bench.finish();
        let events = bench.event_names();
        let received = bench.received();
        assert_eq!((events.len(), received.len()), (sent.len(), sent.len()), "seed {seed}");
        for ((event, received), sent) in events.iter().zip(&received).zip(&sent) {
            let good = *event == counters::TX_GOOD.name;
            assert!(good || *event == counters::TX_UNDERRUN.name, "seed {seed}: {event}");
            assert_eq!(received.is_good(), good, "seed {seed}");
            assert!(received.gap.is_none_or(|gap| gap >= ethernet::IFG_OCTETS as u64), "seed {seed}");
            if good {
                assert_eq!(received.octets, transmit(sent), "seed {seed}");
            }
        }
        let errors = ViolationKind::CodeInFrame(xgmii::ERROR);
        assert!(bench.line.line.violations().iter().all(|found| found.kind == errors), "seed {seed}");
        assert!(events.contains(&counters::TX_UNDERRUN.name), "seed {seed}: nothing was late");
        assert!(events.contains(&counters::TX_GOOD.name), "seed {seed}: everything was late");
    }
}

#[test]
fn a_frame_marked_bad_leaves_damaged_and_the_next_one_leaves_whole() {
    let mut rng = Rng::with_seed(2);
    let mut bench = Bench::new(Stalls::none());
    for length in 1..140 {
        bench.frames.push(Packet { octets: octets(length, &mut rng), error: true });
        bench.frames.push(Packet::good(vec![length as u8; 70]));
    }
    bench.finish();
    let names = [counters::TX_ERROR.name, counters::TX_GOOD.name].repeat(139);
    assert_eq!(bench.event_names(), names);
    let received = bench.received();
    assert_eq!(received.len(), 2 * 139);
    for (length, pair) in (1..140).zip(received.chunks(2)) {
        assert!(pair[0].damaged, "{length} octets");
        assert_eq!(pair[1].octets, transmit(&[length; 70]), "after {length} octets");
        assert!(
            pair[1].is_good() && pair[1].gap >= Some(ethernet::IFG_OCTETS as u64),
            "after {length} octets"
        );
    }
}

#[test]
fn a_reset_at_any_word_of_a_frame_leaves_nothing_behind() {
    let mut rng = Rng::with_seed(3);
    let (cut, good) = (octets(100, &mut rng), octets(90, &mut rng));
    for at in 0..32 {
        let mut bench = Bench::new(Stalls::none());
        bench.frames.push(Packet::good(cut.clone()));
        bench.run(at);
        let mut board = bench.board;
        board.reset();
        let frames = AxisSource::attach(&mut board, "frames", Stalls::none()).unwrap();
        let line = XgmiiSink::attach(&mut board, "xgmii").unwrap();
        let events = EventLog::attach(&mut board, "event").unwrap();
        let mut bench = Bench { board, frames, line, events };
        bench.frames.push(Packet::good(good.clone()));
        bench.finish();
        bench.assert_clean(&format!("reset at cycle {at}"));
        let received: Vec<_> = bench.received().into_iter().map(|frame| frame.octets).collect();
        assert_eq!(received, [transmit(&good)], "reset at cycle {at}");
        assert_eq!(bench.event_names(), [counters::TX_GOOD.name], "reset at cycle {at}");
    }
}

#[test]
fn a_saturated_stream_of_vdif_packets_fills_99_percent_of_the_line() {
    // 8082 octets with all headers, and the FCS.
    let (frames, length) = (20, 8086);
    let mut bench = Bench::new(Stalls::none());
    (0..frames).for_each(|_| bench.frames.push(Packet::good(vec![0x55; length - 4])));
    bench.finish();
    let starts: Vec<_> = bench.received().iter().map(|frame| frame.cycle).collect();
    let cycles = starts[starts.len() - 1] - starts[0];
    let wire = (frames - 1) * (xgmii::PREAMBLE_OCTETS + length + ethernet::IFG_OCTETS);
    let share = wire as f64 / (8 * cycles) as f64;
    assert!((0.99..=1.0).contains(&share), "{share}");
}

#[test]
fn a_frame_of_n_words_takes_n_plus_three_cycles_and_a_word_six() {
    for words in 8..40 {
        let mut bench = Bench::new(Stalls::none());
        (0..3).for_each(|_| bench.frames.push(Packet::good(vec![0; 8 * words])));
        bench.finish();
        let starts: Vec<_> = bench.received().iter().map(|frame| frame.cycle).collect();
        let period = words as u64 + 3;
        // The preamble leaves in the first cycle, in which no word is taken yet.
        assert_eq!(starts, [LATENCY, LATENCY + period, LATENCY + 2 * period], "{words} words");
    }
}
