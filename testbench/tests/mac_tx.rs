//! The sending MAC as seen on the line, against the octet-by-octet model.
use fastrand::Rng;
use nicforge_hdl::eth::MacTx;
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::{ethernet, xgmii};
use nicforge_sim::Board;
use nicforge_sim::board::{Actor, Pins};
use nicforge_sim::link::xgmii::{Received, ViolationKind, Word};
use nicforge_sim::link::{AxisSource, EventLog, Packet, Stalls, XgmiiSink};
use nicforge_sim::model::Output;
use nicforge_sim::models::eth::{Spacing, encode, transmit};
use nicforge_testbench::bench::Design;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("mac_tx", MacTx::default()).unwrap());

/// Cycles from the last word that is taken until the line is idle again.
const DRAIN: u64 = 12;
/// Cycles from a frame being there on an idle line to its START at the pins.
const LATENCY: u64 = 2;

fn octets(length: usize, rng: &mut Rng) -> Vec<u8> {
    std::iter::repeat_with(|| rng.u8(..)).take(length).collect()
}

/// Every word at the pins.
struct Words {
    data: Output,
    control: Output,
    words: Vec<Word>,
}

impl Words {
    fn attach(board: &mut Board) -> Self {
        let pins = board.pins();
        let [data, control] = ["txd", "txc"].map(|name| pins.model().output(name).unwrap());
        Self { data, control, words: Vec::new() }
    }

    /// From the first word that is not idle on, and one idle word before it.
    fn since_first(&self) -> &[Word] {
        let first = self.words.iter().position(|word| *word != Word::IDLE).unwrap_or(1);
        &self.words[first - 1..]
    }
}

impl Actor for Words {
    fn drive(&mut self, _: &mut Pins) {}

    fn sample(&mut self, pins: &Pins) {
        self.words.push(Word { data: pins.get(self.data), control: pins.get(self.control) as u8 });
    }
}

/// A transmitter, the stream into it and the line out of it.
struct Bench {
    board: Board,
    frames: AxisSource,
    line: XgmiiSink,
    words: Words,
    events: EventLog,
}

impl Bench {
    fn new(stalls: Stalls) -> Self {
        Self::on(DESIGN.board().unwrap(), stalls)
    }

    fn on(mut board: Board, stalls: Stalls) -> Self {
        let frames = AxisSource::attach(&mut board, "frames", stalls).unwrap();
        let line = XgmiiSink::attach(&mut board, "xgmii").unwrap();
        let words = Words::attach(&mut board);
        let events = EventLog::attach(&mut board, "event").unwrap();
        let mut bench = Self { board, frames, line, words, events };
        bench.set("max_frame", ethernet::MAX_FRAME_OCTETS as u64);
        bench
    }

    fn set(&mut self, port: &str, value: u64) {
        let input = self.board.pins().model().input(port).unwrap();
        self.board.pins().set(input, value);
    }

    fn push(&mut self, frame: &[u8]) {
        self.frames.push(Packet::good(frame));
    }

    fn run(&mut self, cycles: u64) {
        let actors = &mut (&mut self.frames, &mut self.line, &mut self.words, &mut self.events);
        self.board.run(cycles, actors);
    }

    /// Steps until every packet was taken and is on the line.
    fn finish(&mut self) {
        let actors = &mut (&mut self.frames, &mut self.line, &mut self.words, &mut self.events);
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

    /// No rule of the line is broken: gaps of 9 octets at least, never more than 3 in debt, starts in
    /// lanes 0 and 4. Error codes may stand in frames that were given up.
    #[track_caller]
    fn assert_legal(&self, given_up: bool, context: &str) {
        let allowed = given_up.then_some(ViolationKind::CodeInFrame(xgmii::ERROR));
        let mut broken = self.line.line.violations().iter();
        let broken = broken.find(|found| Some(found.kind) != allowed);
        assert_eq!(broken, None, "{context}");
        assert!(!self.line.line.is_open(), "{context}: a frame has no end");
        let cycles: Vec<_> = self.events.events().iter().map(|event| event.cycle).collect();
        assert!(cycles.windows(2).all(|pair| pair[1] - pair[0] > 1), "{context}: neighbouring events");
    }
}

fn times(counter: Counter, count: usize) -> Vec<&'static str> {
    vec![counter.name; count]
}

/// Sends frames without data of interest behind each other; their lengths count the FCS.
fn back_to_back(lengths: &[usize]) -> Vec<Received> {
    let mut bench = Bench::new(Stalls::none());
    lengths.iter().for_each(|length| bench.push(&vec![0x5a; length - ethernet::FCS_OCTETS]));
    bench.finish();
    bench.assert_legal(false, &format!("{lengths:?}"));
    let received = bench.received();
    assert!(received.iter().all(Received::is_good));
    assert_eq!(received.iter().map(|frame| frame.octets.len()).collect::<Vec<_>>(), lengths);
    received
}

fn gaps(frames: &[Received]) -> Vec<u64> {
    frames.iter().filter_map(|frame| frame.gap).collect()
}

#[test]
fn waiting_frames_of_any_length_leave_word_for_word_as_the_standard_has_it() {
    let limits = [1514, 1996, 2042, 2046, 4096, 9014, 16_116, 16_380];
    for seed in 0..8 {
        let mut rng = Rng::with_seed(seed);
        let mut lengths: Vec<usize> = (1..=300).chain(limits).collect();
        rng.shuffle(&mut lengths);
        let sent: Vec<_> = lengths.iter().map(|length| octets(*length, &mut rng)).collect();
        let mut bench = Bench::new(Stalls::none());
        sent.iter().for_each(|frame| bench.push(frame));
        bench.finish();
        bench.assert_legal(false, &format!("seed {seed}"));
        assert_eq!(bench.event_names(), times(counters::TX_GOOD, sent.len()), "seed {seed}");
        let wanted = encode(&sent.iter().map(|frame| transmit(frame)).collect::<Vec<_>>(), Spacing::Deficit);
        let found = bench.words.since_first();
        let wrong = wanted.iter().zip(found).position(|(wanted, found)| wanted != found);
        assert_eq!(wrong, None, "seed {seed}: the first wrong word");
        assert!(found[wanted.len()..].iter().all(|word| *word == Word::IDLE), "seed {seed}");
    }
}

#[test]
fn the_gaps_follow_the_table_of_the_deficit_idle_count() {
    // Rows: octets beyond a column. Columns: gap and new count for each count before.
    let table: [[(u64, usize); 4]; 4] = [
        [(12, 0), (12, 1), (12, 2), (12, 3)],
        [(11, 1), (11, 2), (11, 3), (15, 0)],
        [(10, 2), (10, 3), (14, 0), (14, 1)],
        [(9, 3), (13, 0), (13, 1), (13, 2)],
    ];
    for (beyond, row) in table.iter().enumerate() {
        for (count, (gap, after)) in row.iter().enumerate() {
            // The first frame brings the count up; the last shows the count by the gap that 3 more ask for.
            let found = gaps(&back_to_back(&[64 + count, 64 + beyond, 67, 64]));
            let last = table[3][*after].0;
            assert_eq!(found, [12 - count as u64, *gap, last], "{beyond} beyond, count {count}");
        }
    }
}

#[test]
fn the_published_sequence_of_lengths_gives_the_published_gaps() {
    let found = gaps(&back_to_back(&[64, 65, 65, 65, 66, 66, 67, 67, 67, 64, 64]));
    assert_eq!(found, [12, 11, 11, 11, 14, 10, 13, 13, 13, 12]);
    assert_eq!(gaps(&back_to_back(&[65, 65, 65, 65, 64])).iter().sum::<u64>(), 48);
}

#[test]
fn every_start_lane_meets_every_lane_of_terminate_and_of_the_next_start() {
    let mut rng = Rng::with_seed(4);
    let lengths: Vec<usize> = (0..400).map(|_| rng.usize(64..96)).collect();
    let received = back_to_back(&lengths);
    let meeting = |pair: &[Received]| {
        let end = pair[0].lane + xgmii::PREAMBLE_OCTETS + pair[0].octets.len();
        let (end_cycle, end_lane) = (pair[0].cycle + end as u64 / 8, end % 8);
        (pair[0].lane, end_lane, pair[1].lane, pair[1].cycle - end_cycle)
    };
    let met: BTreeSet<_> = received.windows(2).map(meeting).collect();
    let ends: BTreeSet<_> = met.iter().map(|(start, end, ..)| (*start, *end)).collect();
    assert_eq!(ends.len(), 16, "{met:?}");
    // A gap of 9 to 12 octets in neighbouring words: TERMINATE in the first half, START in lane 4.
    for end in 0..4 {
        assert!(met.iter().any(|(_, at, next, words)| (*at, *next, *words) == (end, 4, 1)), "{met:?}");
    }
}

#[test]
fn frames_fill_the_line_from_the_shortest_one_on() {
    for length in (64..=304).chain([1518, 9018]) {
        let count = 9;
        let starts: Vec<u64> = back_to_back(&vec![length; count])
            .iter()
            .map(|frame| 8 * frame.cycle + frame.lane as u64)
            .collect();
        let wire = (xgmii::PREAMBLE_OCTETS + length + ethernet::IFG_OCTETS) as u64;
        // After eight frames no deficit is left, whatever the length.
        assert_eq!(starts[count - 1] - starts[0], 8 * wire, "{length} octets");
    }
}

#[test]
fn a_frame_on_an_idle_line_starts_in_lane_0_two_cycles_after_it_is_there() {
    for pause in 0..24 {
        let mut bench = Bench::new(Stalls::none());
        // 66 octets: the earliest next start would be in lane 4, with a count of 2.
        bench.push(&[1; 62]);
        bench.finish();
        bench.run(pause);
        let there = bench.board.cycle();
        bench.push(&[2; 63]);
        bench.finish();
        bench.assert_legal(false, &format!("pause {pause}"));
        let second = bench.received().remove(1);
        assert_eq!((second.lane, second.cycle), (0, there + LATENCY), "pause {pause}");
        assert_eq!(second.octets, transmit(&[2; 63]), "pause {pause}");
    }
}

#[test]
fn a_frame_that_comes_at_any_time_behind_another_one_leaves_as_early_as_the_gap_allows() {
    for length in 64..80 {
        for wait in 0..24 {
            let mut bench = Bench::new(Stalls::none());
            bench.push(&vec![1; length - 4]);
            bench.run(wait);
            bench.push(&[2; 60]);
            bench.finish();
            let context = format!("{length} octets, pushed at {wait}");
            bench.assert_legal(false, &context);
            let received = bench.received();
            let natural = gaps(&back_to_back(&[length, 64]))[0];
            // In lane 0 of the word that the frame would have begun in, or right behind it.
            let end = 8 * received[0].cycle + (xgmii::PREAMBLE_OCTETS + length) as u64;
            let late = 8 * (wait + LATENCY);
            let wanted = if late <= (end + natural) / 8 * 8 { end + natural } else { late };
            assert_eq!(8 * received[1].cycle + received[1].lane as u64, wanted, "{context}");
        }
    }
}

#[test]
fn lanes_beyond_keep_never_show_in_the_padding() {
    let mut board = DESIGN.board().unwrap();
    let mut line = XgmiiSink::attach(&mut board, "xgmii").unwrap();
    let model = board.pins().model();
    let limit = model.input("max_frame").unwrap();
    let ports = ["data", "keep", "last", "valid"].map(|name| model.input(&format!("frames_{name}")).unwrap());
    board.pins().set(limit, ethernet::MAX_FRAME_OCTETS as u64);
    for length in 1..=80 {
        let words = usize::div_ceil(length, 8);
        let octets = length - 8 * (words - 1);
        let mut drive = |values: [u64; 4], cycles| {
            ports.iter().zip(values).for_each(|(port, value)| board.pins().set(*port, value));
            board.run(cycles, &mut line);
        };
        drive([u64::MAX, 0xff, 0, 1], words as u64 - 1);
        drive([u64::MAX, u64::MAX >> (64 - octets), 1, 1], 1);
        drive([u64::MAX, 0xff, 0, 0], DRAIN + 8);
        let frame = line.line.pop().unwrap();
        assert_eq!(frame.octets, transmit(&vec![0xff; length]), "{length} octets");
    }
    assert_eq!(line.line.violations(), []);
}

#[test]
fn pauses_between_frames_change_nothing_and_pauses_inside_end_the_frame() {
    for seed in 0..32 {
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(Stalls::seeded(seed));
        let sent: Vec<_> = (0..200).map(|_| octets(rng.usize(1..400), &mut rng)).collect();
        sent.iter().for_each(|frame| bench.push(frame));
        bench.finish();
        bench.assert_legal(true, &format!("seed {seed}"));
        let events = bench.event_names();
        let received = bench.received();
        assert_eq!((events.len(), received.len()), (sent.len(), sent.len()), "seed {seed}");
        for ((event, received), sent) in events.iter().zip(&received).zip(&sent) {
            let good = *event == counters::TX_GOOD.name;
            assert!(good || *event == counters::TX_UNDERRUN.name, "seed {seed}: {event}");
            assert_eq!(received.is_good(), good, "seed {seed}");
            if good {
                assert_eq!(received.octets, transmit(sent), "seed {seed}");
            } else {
                assert!(received.damaged, "seed {seed}");
                let sound = received.octets.len() - ethernet::FCS_OCTETS - 1;
                assert_eq!(received.octets[..sound], sent[..sound], "seed {seed}: not what was sent");
            }
        }
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
    bench.assert_legal(true, "every other frame is bad");
    let names = [counters::TX_ERROR.name, counters::TX_GOOD.name].repeat(139);
    assert_eq!(bench.event_names(), names);
    let received = bench.received();
    assert_eq!(received.len(), 2 * 139);
    for (length, pair) in (1..140).zip(received.chunks(2)) {
        assert!(pair[0].damaged, "{length} octets");
        assert!(pair[1].is_good(), "after {length} octets");
        assert_eq!(pair[1].octets, transmit(&[length; 70]), "after {length} octets");
    }
}

#[test]
fn a_frame_longer_than_the_limit_is_ended_as_bad_and_counted() {
    let mut rng = Rng::with_seed(5);
    for limit in (64..=80).chain([1518, 16_384]) {
        let mut bench = Bench::new(Stalls::none());
        bench.set("max_frame", limit as u64);
        let lengths: Vec<usize> = (limit - 12..limit + 20).chain([limit + 300]).collect();
        for length in &lengths {
            bench.push(&octets(length - ethernet::FCS_OCTETS, &mut rng));
            bench.push(&[7; 60]);
        }
        bench.finish();
        bench.assert_legal(true, &format!("limit {limit}"));
        let received = bench.received();
        let events = bench.event_names();
        for (pair, (events, length)) in received.chunks(2).zip(events.chunks(2).zip(&lengths)) {
            let fits = *length <= limit;
            let wanted = if fits { counters::TX_GOOD.name } else { counters::TX_OVERSIZE.name };
            assert_eq!(events, [wanted, counters::TX_GOOD.name], "limit {limit}, {length} octets");
            assert_eq!(pair[0].is_good(), fits, "limit {limit}, {length} octets");
            assert!(pair[1].is_good(), "limit {limit}, behind {length} octets");
            assert!(pair[0].octets.len() <= limit + 1, "limit {limit}, {length} octets");
        }
        assert_eq!(received.len(), 2 * lengths.len());
    }
}

#[test]
fn a_limit_that_changes_inside_a_frame_is_that_of_the_next_one() {
    for at in 0..40 {
        let mut bench = Bench::new(Stalls::none());
        bench.set("max_frame", 200);
        bench.push(&[1; 196]);
        bench.run(1 + at % 20);
        bench.set("max_frame", if at < 20 { 64 } else { 16_384 });
        bench.push(&[2; 61]);
        bench.finish();
        let second = if at < 20 { counters::TX_OVERSIZE } else { counters::TX_GOOD };
        assert_eq!(bench.event_names(), [counters::TX_GOOD.name, second.name], "changed in cycle {at}");
    }
}

#[test]
fn no_frame_begins_while_held_and_one_that_began_is_not_cut() {
    for at in 0..30 {
        let mut bench = Bench::new(Stalls::none());
        bench.push(&[1; 100]);
        bench.push(&[2; 100]);
        bench.run(at);
        bench.set("hold", 1);
        bench.run(100);
        let context = format!("held from cycle {at} on");
        let before = bench.received();
        assert!(before.iter().all(Received::is_good), "{context}");
        assert!(!bench.line.line.is_open(), "{context}");
        // The second frame begins 15 cycles behind the first one at the earliest.
        assert_eq!(before.len(), usize::from(at > 0) + usize::from(at > 15), "{context}");
        bench.set("hold", 0);
        bench.finish();
        bench.assert_legal(false, &context);
        assert_eq!(before.len() + bench.received().len(), 2, "{context}");
    }
}

#[test]
fn remote_fault_takes_the_place_of_idle_between_frames() {
    let fault = Word { data: 0x0200_009c_0200_009c, control: 0x11 };
    for length in 60..68 {
        for at in 0..20 {
            let mut bench = Bench::new(Stalls::none());
            bench.push(&vec![3; length]);
            bench.run(at);
            bench.set("answer", 1);
            bench.set("hold", 1);
            bench.run(40);
            bench.set("answer", 0);
            bench.run(1);
            bench.set("hold", 0);
            bench.push(&[4; 60]);
            bench.finish();
            let context = format!("{length} octets, answered from cycle {at} on");
            bench.assert_legal(false, &context);
            let received = bench.received();
            let wanted = [transmit(&vec![3; length]), transmit(&[4; 60])];
            assert_eq!(
                received.iter().map(|frame| &frame.octets).collect::<Vec<_>>(),
                wanted.iter().collect::<Vec<_>>(),
                "{context}"
            );
            let words = &bench.words.words;
            let faults: Vec<_> = (0..words.len()).filter(|i| words[*i] == fault).collect();
            assert!(faults.len() >= 20, "{context}: {} words", faults.len());
            assert_eq!(faults[faults.len() - 1] - faults[0] + 1, faults.len(), "{context}: not in a row");
            assert_eq!(bench.line.line.ordered_sets().0, 2 * faults.len() as u64, "{context}");
        }
    }
}

#[test]
fn a_reset_at_any_word_of_a_frame_leaves_nothing_behind() {
    let mut rng = Rng::with_seed(3);
    let (cut, good) = (octets(100, &mut rng), octets(90, &mut rng));
    for at in 0..32 {
        let mut bench = Bench::new(Stalls::none());
        bench.push(&octets(62, &mut rng));
        bench.push(&cut);
        bench.run(at);
        let mut board = bench.board;
        board.reset();
        let mut bench = Bench::on(board, Stalls::none());
        bench.push(&good);
        bench.finish();
        bench.assert_legal(false, &format!("reset at cycle {at}"));
        let received: Vec<_> = bench.received().into_iter().map(|frame| frame.octets).collect();
        assert_eq!(received, [transmit(&good)], "reset at cycle {at}");
        assert_eq!(bench.event_names(), [counters::TX_GOOD.name], "reset at cycle {at}");
    }
}
