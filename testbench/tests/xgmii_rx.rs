//! The receiving MAC as seen at its pins, against the octet-by-octet model.
use fastrand::Rng;
use nicforge_hdl::eth::XgmiiRx;
use nicforge_hdl::stream::VERDICT_DELAY;
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::{ethernet, xgmii};
use nicforge_sim::Board;
use nicforge_sim::board::{Actor, Pins};
use nicforge_sim::link::xgmii::{Pacing, Word};
use nicforge_sim::link::{EventLog, Packet, Stalls, XgmiiSource};
use nicforge_sim::model::Output;
use nicforge_sim::models::eth::{Received, decode, with_fcs, words};
use nicforge_testbench::bench::Design;
use std::collections::VecDeque;
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("mac_rx", XgmiiRx::default()).unwrap());

/// The limit that most tests run with.
const LIMIT: usize = 1518;
/// Cycles from a frame's last word at the pins until everything about it is out.
const DRAIN: u64 = 20;
/// Cycles from a word at the pins to the same octets at the output (frames that start in lane 0).
const LATENCY: u64 = 2;
/// A frame is cut off with the word that goes beyond the limit.
const WORD: usize = 8;

type Symbol = (u8, bool);

/// A frame of this length, FCS included, whose FCS is right.
fn frame(length: usize, rng: &mut Rng) -> Vec<u8> {
    with_fcs(&std::iter::repeat_with(|| rng.u8(..)).take(length - ethernet::FCS_OCTETS).collect::<Vec<_>>())
}

/// A line being written, octet by octet.
#[derive(Default)]
struct Wire(Vec<Symbol>);

impl Wire {
    fn idle(&mut self, octets: usize) -> &mut Self {
        self.0.resize(self.0.len() + octets, (xgmii::IDLE, true));
        self
    }

    /// Idle until a frame may start in this lane.
    fn until_lane(&mut self, lane: usize) -> &mut Self {
        self.idle((8 + lane - self.0.len() % 8) % 8)
    }

    fn preamble(&mut self) -> &mut Self {
        self.0.push((xgmii::START, true));
        self.0.extend([(xgmii::PREAMBLE, false); 6]);
        self.0.push((xgmii::SFD, false));
        self
    }

    fn data(&mut self, octets: &[u8]) -> &mut Self {
        self.0.extend(octets.iter().map(|octet| (*octet, false)));
        self
    }

    fn terminate(&mut self) -> &mut Self {
        self.0.push((xgmii::TERMINATE, true));
        self
    }

    fn frame(&mut self, octets: &[u8]) -> &mut Self {
        self.preamble().data(octets).terminate()
    }

    fn words(&self) -> Vec<Word> {
        words(&self.0)
    }
}

/// The frames at the output, with the rules that hold for any input.
struct Flow {
    ports: [Output; 7],
    open: Option<(u64, Vec<u8>)>,
    /// Frames whose verdict is due, with the cycle of their last word.
    due: VecDeque<(u64, u64, Vec<u8>)>,
    /// Cycle of the first word, and the frame; `error` is a verdict that is not good.
    frames: Vec<(u64, Packet)>,
}

impl Flow {
    fn attach(board: &mut Board) -> Self {
        let model = board.pins().model();
        let ports = ["data", "keep", "last", "valid", "judged", "good", "octets"]
            .map(|name| model.output(&format!("frames_{name}")).unwrap());
        Self { ports, open: None, due: VecDeque::new(), frames: Vec::new() }
    }

    /// Forgets what a reset cut off.
    fn forget(&mut self) {
        self.open = None;
        self.due.clear();
    }

    fn word(&mut self, cycle: u64, data: u64, keep: u64, last: bool) {
        assert_eq!(keep & (keep + 1), 0, "cycle {cycle}: keep {keep:#04x} has holes");
        assert!(last || keep == 0xff, "cycle {cycle}: keep {keep:#04x} inside a frame");
        let octets = data.to_le_bytes();
        let (kept, beyond) = octets.split_at(keep.count_ones() as usize);
        assert!(beyond.iter().all(|octet| *octet == 0), "cycle {cycle}: data beyond the end");
        let (_, open) = self.open.get_or_insert((cycle, Vec::new()));
        open.extend(kept);
        if let Some((first, octets)) = self.open.take_if(|_| last) {
            self.due.push_back((cycle, first, octets));
        }
    }

    fn verdict(&mut self, cycle: u64, judged: bool, good: bool, count: u64) {
        let is_due = self.due.front().is_some_and(|(last, ..)| cycle == *last + VERDICT_DELAY);
        let due = if is_due { self.due.pop_front() } else { None };
        assert_eq!(judged, due.is_some(), "cycle {cycle}: a verdict out of its place, or none");
        let Some((_, first, octets)) = due else { return };
        if good {
            assert_eq!(count, octets.len() as u64, "cycle {cycle}: the length of a good frame");
        }
        self.frames.push((first, Packet { octets, error: !good }));
    }
}

impl Actor for Flow {
    fn drive(&mut self, _: &mut Pins) {}

    fn sample(&mut self, pins: &Pins) {
        let [data, keep, last, valid, judged, good, octets] = self.ports;
        self.verdict(pins.cycle(), pins.is_set(judged), pins.is_set(good), pins.get(octets));
        if pins.is_set(valid) {
            self.word(pins.cycle(), pins.get(data), pins.get(keep), pins.is_set(last));
        }
    }
}

/// What came out of the receiver.
struct Outcome {
    frames: Vec<Packet>,
    verdicts: Vec<u64>,
}

/// A receiver and everything around it.
struct Bench {
    board: Board,
    wire: XgmiiSource,
    frames: Flow,
    total: EventLog,
    verdict: EventLog,
}

impl Bench {
    fn new(limit: usize) -> Self {
        let mut board = DESIGN.board().unwrap();
        let wire = XgmiiSource::attach(&mut board, "xgmii", Pacing::default(), Stalls::none()).unwrap();
        let frames = Flow::attach(&mut board);
        let total = EventLog::attach(&mut board, "total").unwrap();
        let verdict = EventLog::attach(&mut board, "verdict").unwrap();
        let mut bench = Self { board, wire, frames, total, verdict };
        bench.set("max_frame", limit as u64);
        bench.set("enable", 1);
        bench
    }

    fn set(&mut self, port: &str, value: u64) {
        let input = self.board.pins().model().input(port).unwrap();
        self.board.pins().set(input, value);
    }

    fn run(&mut self, cycles: u64) {
        let actors = &mut (&mut self.wire, &mut self.frames, &mut self.total, &mut self.verdict);
        self.board.run(cycles, actors);
    }

    fn send(&mut self, words: &[Word]) {
        self.wire.line.push_words(words.to_vec());
        self.run(words.len() as u64 + DRAIN);
    }

    /// What came out so far, once the rules that hold for any input were checked.
    fn outcome(&mut self, context: &str) -> Outcome {
        assert_eq!(self.frames.open, None, "{context}: a frame has no end");
        assert!(self.frames.due.is_empty(), "{context}: a frame has no verdict");
        let cycles = |log: &EventLog| log.events().iter().map(|event| event.cycle).collect::<Vec<_>>();
        assert_eq!(cycles(&self.total), cycles(&self.verdict), "{context}: total and verdict part");
        assert!(
            cycles(&self.verdict).windows(2).all(|pair| pair[1] - pair[0] > 1),
            "{context}: events in neighbouring cycles"
        );
        let code = u64::from(counters::RX_FRAMES.code);
        assert!(self.total.codes().iter().all(|found| *found == code), "{context}");
        let frames = self.frames.frames.drain(..).map(|(_, packet)| packet).collect();
        Outcome { frames, verdicts: self.verdict.codes() }
    }
}

fn receive(words: &[Word], limit: usize, context: &str) -> Outcome {
    let mut bench = Bench::new(limit);
    bench.send(words);
    bench.outcome(context)
}

fn name(code: u64) -> &'static str {
    counters::COUNTERS.iter().find(|counter| u64::from(counter.code) == code).map_or("?", |found| found.name)
}

/// Holds what came out against what the model says of the same words.
#[track_caller]
fn check(outcome: &Outcome, wanted: &[Received], limit: usize, context: &str) {
    let found: Vec<_> = outcome.verdicts.iter().map(|code| name(*code)).collect();
    let names: Vec<_> = wanted.iter().map(|frame| frame.verdict.name).collect();
    assert_eq!(found, names, "{context}");
    let mut frames = outcome.frames.iter().peekable();
    for received in wanted {
        let good = received.verdict == counters::RX_GOOD;
        if received.verdict == counters::RX_PREAMBLE_ERROR {
            continue;
        }
        let Some(frame) = frames.next() else { panic!("{context}: a frame is missing") };
        assert_eq!(frame.error, !good, "{context}: {}", received.verdict.name);
        assert!(received.octets.starts_with(&frame.octets), "{context}: octets that were never sent");
        assert!(frame.octets.len() <= limit + WORD, "{context}: beyond the limit");
        if good {
            assert_eq!(frame.octets, received.octets, "{context}");
        }
    }
    assert!(frames.next().is_none(), "{context}: a frame from nowhere");
}

#[track_caller]
fn compare(words: &[Word], limit: usize, context: &str) {
    check(&receive(words, limit, context), &decode(words, limit), limit, context);
}

/// A damaged piece of line gets this verdict, and the good frame behind it is received.
#[track_caller]
fn damage(wire: &mut Wire, verdict: Counter, limit: usize, context: &str) {
    let good = frame(77, &mut Rng::with_seed(1));
    wire.idle(12).until_lane(4).frame(&good).idle(16);
    let words = wire.words();
    let outcome = receive(&words, limit, context);
    let found: Vec<_> = outcome.verdicts.iter().map(|code| name(*code)).collect();
    assert_eq!(found, [verdict.name, counters::RX_GOOD.name], "{context}");
    assert_eq!(outcome.frames.last(), Some(&Packet::good(&*good)), "{context}");
    check(&outcome, &decode(&words, limit), limit, context);
}

#[test]
fn every_length_comes_through_at_every_gap_in_both_start_lanes() {
    let mut rng = Rng::with_seed(2);
    for lane in [0, 4] {
        for gap in ethernet::MIN_RX_GAP_OCTETS..=16 {
            let mut wire = Wire::default();
            for length in 60..=140 {
                wire.until_lane(lane).frame(&frame(length, &mut rng)).idle(gap - 1);
            }
            wire.idle(16);
            compare(&wire.words(), LIMIT, &format!("lane {lane}, gap {gap}"));
        }
    }
}

#[test]
fn frames_of_any_length_follow_each_other_at_any_gap() {
    for seed in 0..8 {
        let mut rng = Rng::with_seed(seed);
        let mut wire = Wire::default();
        for _ in 0..300 {
            let length = if rng.u8(..) < 16 { rng.usize(5..64) } else { rng.usize(64..400) };
            let mut octets = frame(length, &mut rng);
            if rng.u8(..) < 32 {
                let place = rng.usize(..length);
                octets[place] ^= 1 << rng.u8(..8);
            }
            wire.frame(&octets).idle(rng.usize(4..24));
            wire.idle((4 - wire.0.len() % 4) % 4);
        }
        wire.idle(16);
        compare(&wire.words(), 300, &format!("seed {seed}"));
    }
}

#[test]
fn a_frame_at_the_limit_is_good_and_one_octet_more_is_not() {
    let mut rng = Rng::with_seed(3);
    for limit in [64, 65, 66, 67, 68, 69, 70, 71, 72, 1518, 9018, 16_384] {
        for (length, verdict) in [
            (limit - 1, if limit == 64 { counters::RX_UNDERSIZE } else { counters::RX_GOOD }),
            (limit, counters::RX_GOOD),
            (limit + 1, counters::RX_OVERSIZE),
        ] {
            for lane in [0, 4] {
                let mut wire = Wire::default();
                wire.idle(8 + lane).frame(&frame(length, &mut rng)).idle(40);
                let context = format!("limit {limit}, length {length}, lane {lane}");
                let words = wire.words();
                let outcome = receive(&words, limit, &context);
                assert_eq!(outcome.verdicts, [u64::from(verdict.code)], "{context}");
                check(&outcome, &decode(&words, limit), limit, &context);
            }
        }
    }
}

#[test]
fn short_and_long_frames_are_told_apart_by_their_check_sequence() {
    let mut rng = Rng::with_seed(4);
    for lane in [0, 4] {
        for length in 4..64 {
            let mut octets = frame(length, &mut rng);
            let context = format!("length {length}, lane {lane}");
            let wire = |octets: &[u8]| {
                let mut wire = Wire::default();
                wire.idle(8 + lane).frame(octets);
                wire
            };
            damage(&mut wire(&octets), counters::RX_UNDERSIZE, LIMIT, &context);
            octets[0] ^= 1;
            damage(&mut wire(&octets), counters::RX_FRAGMENT, LIMIT, &context);
        }
        for length in [101, 102, 104, 105, 300, 40_000] {
            let mut octets = frame(length, &mut rng);
            octets[length / 2] ^= 0x10;
            let mut wire = Wire::default();
            wire.idle(8 + lane).frame(&octets);
            damage(&mut wire, counters::RX_JABBER, 100, &format!("length {length}, lane {lane}"));
        }
    }
}

#[test]
fn scraps_below_four_octets_are_fragments() {
    for lane in [0, 4] {
        for length in 0..4 {
            let mut wire = Wire::default();
            wire.idle(8 + lane).frame(&[0; 4][..length]);
            damage(&mut wire, counters::RX_FRAGMENT, LIMIT, &format!("length {length}, lane {lane}"));
        }
    }
}

#[test]
fn a_flipped_bit_anywhere_is_a_wrong_check_sequence() {
    let good = frame(67, &mut Rng::with_seed(5));
    for bit in 0..8 * good.len() {
        let mut octets = good.clone();
        octets[bit / 8] ^= 1 << (bit % 8);
        let mut wire = Wire::default();
        wire.idle(8 + 4 * (bit % 2)).frame(&octets);
        damage(&mut wire, counters::RX_FCS_ERROR, LIMIT, &format!("bit {bit}"));
    }
}

#[test]
fn any_code_inside_a_frame_is_a_code_error() {
    let good = frame(80, &mut Rng::with_seed(6));
    for code in [xgmii::ERROR, xgmii::IDLE, 0x06, 0x9c, 0x5c, 0x00, 0xff] {
        for place in 0..good.len() {
            for lane in [0, 4] {
                let mut wire = Wire::default();
                wire.idle(8 + lane).frame(&good);
                wire.0[8 + lane + 8 + place] = (code, true);
                let context = format!("code {code:#04x} at {place}, lane {lane}");
                damage(&mut wire, counters::RX_CODE_ERROR, LIMIT, &context);
            }
        }
    }
}

#[test]
fn a_frame_without_terminate_is_a_code_error() {
    let mut rng = Rng::with_seed(7);
    for length in 64..80 {
        let mut wire = Wire::default();
        wire.idle(8 + 4 * (length % 2)).preamble().data(&frame(length, &mut rng));
        damage(&mut wire, counters::RX_CODE_ERROR, LIMIT, &format!("length {length}"));
    }
}

#[test]
fn a_start_inside_a_frame_ends_that_one_and_begins_a_new_one() {
    let mut rng = Rng::with_seed(8);
    for lane in [0, 4] {
        for length in (8..100).step_by(4) {
            let mut wire = Wire::default();
            wire.idle(8 + lane).preamble().data(&frame(length, &mut rng));
            wire.frame(&frame(90, &mut rng)).idle(16);
            let context = format!("after {length} octets, lane {lane}");
            let outcome = receive(&wire.words(), LIMIT, &context);
            let wanted = [counters::RX_CODE_ERROR, counters::RX_GOOD].map(|counter| u64::from(counter.code));
            assert_eq!(outcome.verdicts, wanted, "{context}");
            check(&outcome, &decode(&wire.words(), LIMIT), LIMIT, &context);
        }
    }
}

#[test]
fn any_wrong_octet_in_the_preamble_is_a_preamble_error() {
    let good = frame(64, &mut Rng::with_seed(9));
    for lane in [0, 4] {
        for place in 1..8 {
            for wrong in [(0x00, false), (xgmii::SFD, false), (xgmii::PREAMBLE, false), (xgmii::ERROR, true)]
            {
                let mut wire = Wire::default();
                wire.idle(8 + lane).frame(&good);
                if wire.0[8 + lane + place] == wrong {
                    continue;
                }
                wire.0[8 + lane + place] = wrong;
                let context = format!("{wrong:?} at {place}, lane {lane}");
                damage(&mut wire, counters::RX_PREAMBLE_ERROR, LIMIT, &context);
            }
        }
    }
}

#[test]
fn a_start_too_close_behind_a_terminate_is_a_preamble_error_and_harms_nobody_else() {
    let mut rng = Rng::with_seed(10);
    for lane in [0, 4] {
        // The lengths that make exactly these gaps end in a start lane.
        for gap in 1..ethernet::MIN_RX_GAP_OCTETS {
            for words in 8..11 {
                let mut wire = Wire::default();
                let first = frame(8 * words + (16 - gap) % 4 + 4 * (words % 2), &mut rng);
                wire.idle(8 + lane).frame(&first).idle(gap - 1);
                assert_eq!(wire.0.len() % 4, 0);
                wire.frame(&frame(70, &mut rng)).idle(12);
                wire.idle((4 - wire.0.len() % 4) % 4).frame(&frame(80, &mut rng)).idle(16);
                let context = format!("gap {gap}, lane {lane}, {words} words");
                let outcome = receive(&wire.words(), LIMIT, &context);
                let wanted = [counters::RX_GOOD, counters::RX_PREAMBLE_ERROR, counters::RX_GOOD]
                    .map(|counter| u64::from(counter.code));
                assert_eq!(outcome.verdicts, wanted, "{context}");
                check(&outcome, &decode(&wire.words(), LIMIT), LIMIT, &context);
            }
        }
    }
}

#[test]
fn a_start_in_the_word_behind_another_one_is_a_part_of_its_damage() {
    for lane in [0, 4] {
        for starts in 1..20 {
            let mut wire = Wire::default();
            wire.idle(8 + lane);
            (0..starts).for_each(|_| {
                wire.preamble();
            });
            let good = frame(77, &mut Rng::with_seed(15));
            wire.idle(24).until_lane(0).frame(&good).idle(16);
            let context = format!("{starts} starts, lane {lane}");
            let outcome = receive(&wire.words(), LIMIT, &context);
            let mut wanted = vec![u64::from(counters::RX_CODE_ERROR.code); usize::div_ceil(starts, 2)];
            wanted.push(counters::RX_GOOD.code.into());
            assert_eq!(outcome.verdicts, wanted, "{context}");
            assert_eq!(outcome.frames.last(), Some(&Packet::good(&*good)), "{context}");
        }
    }
}

#[test]
fn an_endless_frame_is_cut_at_the_limit() {
    for limit in [64, 100, 1518] {
        let mut bench = Bench::new(limit);
        let mut wire = Wire::default();
        wire.idle(8).preamble().data(&vec![0x5a; 100_000]);
        bench.send(&wire.words());
        let outcome = bench.outcome(&format!("limit {limit}"));
        assert_eq!(outcome.frames.len(), 1, "limit {limit}");
        // The line goes idle at last.
        assert_eq!(outcome.verdicts, [u64::from(counters::RX_CODE_ERROR.code)], "limit {limit}");
        let frame = &outcome.frames[0];
        assert!(frame.error && frame.octets.len() <= limit + WORD, "limit {limit}");
    }
}

#[test]
fn a_frame_keeps_the_limit_that_it_began_with() {
    let mut rng = Rng::with_seed(16);
    let mut wire = Wire::default();
    for length in [297, 301, 302, 303, 304] {
        wire.until_lane(0).frame(&frame(length, &mut rng)).idle(5);
    }
    wire.idle(16);
    let words = wire.words();
    for (before, after) in [(100, LIMIT), (LIMIT, 100), (300, 304), (304, 300)] {
        let (old, new) = (decode(&words, before), decode(&words, after));
        for at in 0..words.len() as u64 {
            let context = format!("limit {before}, from cycle {at} on {after}");
            let mut bench = Bench::new(before);
            bench.wire.line.push_words(words.clone());
            bench.run(at);
            bench.set("max_frame", after as u64);
            bench.run(words.len() as u64 + DRAIN);
            let outcome = bench.outcome(&context);
            // The limit changed between two frames: the first ones were held to the old limit.
            let fits = |changed: usize| {
                let wanted = old[..changed].iter().chain(&new[changed..]);
                wanted.map(|frame| u64::from(frame.verdict.code)).eq(outcome.verdicts.iter().copied())
            };
            assert!((0..=old.len()).any(fits), "{context}: {:?}", outcome.verdicts);
            let errors = outcome.frames.iter().map(|frame| frame.error);
            let good = u64::from(counters::RX_GOOD.code);
            assert!(errors.eq(outcome.verdicts.iter().map(|code| *code != good)), "{context}");
        }
    }
}

#[test]
fn nothing_is_received_or_counted_while_disabled() {
    let mut rng = Rng::with_seed(11);
    let mut bench = Bench::new(LIMIT);
    bench.set("enable", 0);
    let mut wire = Wire::default();
    for length in 60..80 {
        wire.idle(8).until_lane(0).frame(&frame(length, &mut rng));
    }
    wire.idle(16);
    bench.send(&wire.words());
    let outcome = bench.outcome("disabled");
    assert!(outcome.frames.is_empty() && outcome.verdicts.is_empty());
}

#[test]
fn a_frame_that_began_before_the_receiver_was_disabled_is_received_to_its_end() {
    let good = frame(100, &mut Rng::with_seed(12));
    let mut wire = Wire::default();
    wire.idle(8).frame(&good).idle(16);
    let words = wire.words();
    for at in 0..words.len() {
        let mut bench = Bench::new(LIMIT);
        bench.wire.line.push_words(words.clone());
        bench.run(at as u64);
        bench.set("enable", 0);
        bench.run(words.len() as u64 + DRAIN);
        let outcome = bench.outcome(&format!("disabled at word {at}"));
        assert_eq!(outcome.frames.len(), outcome.verdicts.len(), "disabled at word {at}");
        assert!(outcome.frames.iter().all(|frame| *frame == Packet::good(&*good)));
        // The word with the START needs a cycle to where the decision is made.
        assert_eq!(outcome.frames.len(), usize::from(at > 1 + 1), "disabled at word {at}");
    }
}

#[test]
fn a_reset_at_any_word_of_a_frame_leaves_nothing_behind() {
    let mut rng = Rng::with_seed(13);
    let (cut, good) = (frame(120, &mut rng), frame(90, &mut rng));
    for at in 0..40 {
        let mut bench = Bench::new(LIMIT);
        let mut wire = Wire::default();
        wire.idle(8 + 4 * (at % 2)).frame(&cut).idle(32);
        bench.wire.line.push_words(wire.words());
        bench.run(at as u64);
        // The rest of the frame is not sent: the line stands still during the reset.
        bench.wire.line = nicforge_sim::link::xgmii::Encoder::new(Pacing::default(), Stalls::none());
        bench.set("rxd", Word::IDLE.data);
        bench.set("rxc", Word::IDLE.control.into());
        bench.board.reset();
        bench.frames.forget();
        let before = bench.frames.frames.len();
        let events = bench.verdict.codes().len();
        let mut wire = Wire::default();
        wire.idle(16).frame(&good).idle(16);
        bench.send(&wire.words());
        let frames = &bench.frames.frames;
        assert_eq!(
            bench.verdict.codes()[events..],
            [u64::from(counters::RX_GOOD.code)],
            "reset at word {at}"
        );
        assert_eq!(frames.len(), before + 1, "reset at word {at}");
        assert_eq!(frames[before].1, Packet::good(&*good), "reset at word {at}");
    }
}

#[test]
fn damage_anywhere_on_a_line_gives_the_verdicts_of_the_model() {
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(1000 + seed);
        let mut wire = Wire::default();
        wire.idle(8);
        for _ in 0..12 {
            let length = rng.usize(40..160);
            wire.frame(&frame(length, &mut rng)).idle(rng.usize(4..24));
            wire.idle((4 - wire.0.len() % 4) % 4);
        }
        for _ in 0..rng.usize(1..6) {
            let place = rng.usize(8..wire.0.len());
            let codes = [xgmii::IDLE, xgmii::START, xgmii::TERMINATE, xgmii::ERROR, 0x9c];
            wire.0[place] = match rng.u8(..3) {
                0 => (rng.u8(..), false),
                1 => (codes[rng.usize(..codes.len())], true),
                // A START where one can stand.
                _ => (xgmii::START, true),
            };
        }
        wire.idle(24);
        // A START less than 16 octets behind another one may be a part of its damage, says the aligner.
        let starts: Vec<_> =
            (0..wire.0.len()).step_by(4).filter(|i| wire.0[*i] == (xgmii::START, true)).collect();
        if starts.windows(2).all(|pair| pair[1] - pair[0] >= 16) {
            compare(&wire.words(), 120, &format!("seed {}", 1000 + seed));
        }
    }
}

#[test]
fn no_noise_at_all_stops_the_receiver_or_breaks_the_rules_at_its_output() {
    for seed in 0..64 {
        let mut rng = Rng::with_seed(seed);
        let share = rng.u8(..);
        let mut wire = Wire::default();
        for _ in 0..4000 {
            let codes = [xgmii::IDLE, xgmii::START, xgmii::TERMINATE, xgmii::ERROR, rng.u8(..)];
            let noise = if rng.u8(..) < share { (codes[rng.usize(..5)], true) } else { (rng.u8(..), false) };
            if rng.u8(..) < 24 && wire.0.len() % 4 == 0 {
                wire.preamble();
            } else {
                wire.0.push(noise);
            }
        }
        let good = frame(100, &mut rng);
        wire.until_lane(0).idle(64).frame(&good).idle(16);
        let context = format!("seed {seed}");
        let outcome = receive(&wire.words(), 64, &context);
        assert!(outcome.frames.len() <= outcome.verdicts.len(), "{context}");
        assert_eq!(outcome.verdicts.last(), Some(&u64::from(counters::RX_OVERSIZE.code)), "{context}");
        assert!(outcome.verdicts.len() > 4, "{context}: hardly anything was counted");
    }
}

#[test]
fn a_word_takes_two_cycles_from_the_pins_to_the_output_and_half_a_word_more_behind_lane_4() {
    for (lane, more) in [(0, 0), (4, 1)] {
        for length in 64..=72 {
            let good = frame(length, &mut Rng::with_seed(14));
            let mut bench = Bench::new(LIMIT);
            let mut wire = Wire::default();
            wire.idle(lane).frame(&good).idle(16);
            bench.wire.line.push_words(wire.words());
            bench.run(40);
            // START in cycle 0, the first octet of the frame in cycle 1.
            let wanted = vec![(1 + more + LATENCY, Packet::good(good))];
            assert_eq!(bench.frames.frames, wanted, "{length} octets, lane {lane}");
        }
    }
}
