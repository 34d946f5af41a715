//! The receiving half of the 1 GbE MAC against the octet-by-octet model.
use fastrand::Rng;
use nicforge_hdl::eth::GmiiRx;
use nicforge_layout::counters::{self, Counter};
use nicforge_sim::link::gmii::{PERIOD, Pacing, Symbol, symbols_of};
use nicforge_sim::link::{AxisSink, EventLog, GmiiSource, Stalls};
use nicforge_sim::models::eth::{Received, with_fcs};
use nicforge_sim::models::gmii::Receiver;
use nicforge_sim::{Board, Clock};
use nicforge_testbench::bench::Design;
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("gmii_rx", GmiiRx::default()).unwrap());

/// Core clock periods in picoseconds: 31.25 MHz, 62.5 MHz, about 125 MHz, 156.25 MHz.
const PERIODS: [u64; 5] = [32_000, 16_000, 8_003, 7_999, 6_400];
const LIMIT: usize = 1518;
/// Octet times in which a carrier is a bounce of the one before.
const BOUNCE: u64 = 9;

struct Bench {
    board: Board,
    source: GmiiSource,
    frames: AxisSink,
    total: EventLog,
    verdict: EventLog,
}

impl Bench {
    fn new(period: u64, pacing: Pacing, pauses: Stalls) -> Self {
        let mut board = Board::with_core_period(DESIGN.model().unwrap(), period).unwrap();
        board.add_clock("rx_clk", PERIOD, 2_900).unwrap();
        let source = GmiiSource::attach(&mut board, "gmii", pacing, pauses).unwrap();
        let frames = AxisSink::attach(&mut board, "frames", Stalls::none()).unwrap();
        let total = EventLog::attach(&mut board, "total").unwrap();
        let verdict = EventLog::attach(&mut board, "verdict").unwrap();
        let mut bench = Self { board, source, frames, total, verdict };
        bench.set("enable", 1);
        bench.set("max_frame", LIMIT as u64);
        // Until both clocks have seen the reset.
        bench.run(60 + 20 * period / PERIOD);
        bench
    }

    fn calm(period: u64) -> Self {
        Self::new(period, Pacing::default(), Stalls::none())
    }

    fn set(&mut self, port: &str, value: u64) {
        let port = self.board.pins().model().input(port).unwrap();
        self.board.pins().set(port, value);
    }

    /// Lets so many octet times pass.
    fn run(&mut self, octets: u64) {
        let cycles = (octets * PERIOD).div_ceil(self.board.period(Clock::CORE));
        let actors = &mut (&mut self.source, &mut self.frames, &mut self.total, &mut self.verdict);
        self.board.run(cycles, actors);
    }

    fn finish(&mut self) {
        for _ in 0..1000 {
            if self.source.line.is_empty() {
                break;
            }
            self.run(1000);
        }
        assert!(self.source.line.is_empty(), "the line never came to its end");
        self.run(200);
    }

    fn verdicts(&self) -> Vec<&'static str> {
        self.verdict.codes().iter().map(|code| name(*code)).collect()
    }

    /// Holds everything that came out against what the model received.
    #[track_caller]
    fn check(&mut self, wanted: &[Received], context: &str) {
        let names: Vec<_> = wanted.iter().map(|frame| frame.verdict.name).collect();
        assert_eq!(self.verdicts(), names, "{context}");
        assert_eq!(self.total.codes(), vec![u64::from(counters::RX_FRAMES.code); wanted.len()], "{context}");
        let cycles = |log: &EventLog| log.events().iter().map(|event| event.cycle).collect::<Vec<_>>();
        assert_eq!(cycles(&self.total), cycles(&self.verdict), "{context}");
        let apart = cycles(&self.verdict).windows(2).all(|pair| pair[1] - pair[0] > 1);
        assert!(apart, "{context}: neighbouring events");
        let out = self.frames.packets();
        // A frame without an octet before its FCS has no word.
        let with_words: Vec<_> = wanted.iter().filter(|frame| frame.octets.len() > 4).collect();
        assert_eq!(out.len(), with_words.len(), "{context}");
        for (found, wanted) in out.iter().zip(with_words) {
            let good = wanted.verdict == counters::RX_GOOD;
            assert_eq!(found.error, !good, "{context}: {wanted:?}");
            let data = &wanted.octets[..wanted.octets.len() - 4];
            if data.len() + 4 <= LIMIT {
                assert_eq!(found.octets, data, "{context}");
            } else {
                // Cut off in the word that crosses the limit.
                assert!(found.octets.len() < LIMIT + 8 && data.starts_with(&found.octets), "{context}");
            }
        }
    }
}

fn name(code: u64) -> &'static str {
    let known = counters::COUNTERS.iter().find(|counter| u64::from(counter.code) == code);
    known.map_or("?", |counter| counter.name)
}

fn random_frame(length: usize, rng: &mut Rng) -> Vec<u8> {
    with_fcs(&std::iter::repeat_with(|| rng.u8(..)).take(length - 4).collect::<Vec<_>>())
}

/// What the model receives, without what begins and ends so close behind a frame that it is a bounce.
fn received(symbols: &[Symbol]) -> Vec<Received> {
    let mut receiver = Receiver::new(LIMIT);
    let mut found = Vec::new();
    let mut last = None;
    for (time, symbol) in symbols.iter().chain([&Symbol::IDLE]).enumerate() {
        let Some(frame) = receiver.symbol(*symbol) else { continue };
        let time = time as u64;
        if last.is_none_or(|last| time - last > BOUNCE) {
            found.push(frame);
            last = Some(time);
        }
    }
    found
}

#[test]
fn every_length_back_to_back_arrives_with_the_smallest_gap_and_any_rest_of_the_preamble() {
    for (period, preamble) in PERIODS.into_iter().zip([7, 0, 1, 7, 3]) {
        let mut rng = Rng::with_seed(period);
        let mut bench = Bench::new(period, Pacing { gap: 8, preamble }, Stalls::none());
        let lengths = (5..=140).chain([1514, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 2, 2000]).chain([64; 60]);
        let sent: Vec<_> = lengths.map(|length| random_frame(length, &mut rng)).collect();
        let wanted: Vec<_> = sent.iter().flat_map(|frame| received(&symbols_of(frame, 7))).collect();
        sent.iter().for_each(|frame| bench.source.line.push_frame(frame.clone()));
        bench.finish();
        bench.check(&wanted, &format!("period {period}"));
    }
}

#[test]
fn each_fault_is_counted_under_its_one_name() {
    let frame = random_frame(100, &mut Rng::with_seed(1));
    let damaged = |at: usize, change: fn(&mut Symbol)| {
        let mut symbols = symbols_of(&frame, 7);
        change(&mut symbols[at]);
        symbols
    };
    let whole = |length: usize, good: bool| {
        let mut octets = random_frame(length, &mut Rng::with_seed(2));
        octets[length - 1] ^= u8::from(!good);
        symbols_of(&octets, 7)
    };
    let cases: [(&str, Vec<Symbol>, Counter); 11] = [
        ("good", whole(64, true), counters::RX_GOOD),
        ("FCS", whole(64, false), counters::RX_FCS_ERROR),
        ("runt", whole(63, true), counters::RX_UNDERSIZE),
        ("fragment", whole(63, false), counters::RX_FRAGMENT),
        ("giant", whole(LIMIT + 1, true), counters::RX_OVERSIZE),
        ("jabber", whole(9000, false), counters::RX_JABBER),
        ("rx_er inside", damaged(40, |symbol| symbol.error = true), counters::RX_CODE_ERROR),
        ("rx_er in the preamble", damaged(2, |symbol| symbol.error = true), counters::RX_CODE_ERROR),
        ("rx_er with the last octet", damaged(107, |symbol| symbol.error = true), counters::RX_CODE_ERROR),
        ("no delimiter", vec![Symbol::octet(0x55); 30], counters::RX_PREAMBLE_ERROR),
        ("octet damaged", damaged(50, |symbol| symbol.data ^= 4), counters::RX_FCS_ERROR),
    ];
    for (what, symbols, counter) in cases {
        for period in PERIODS {
            let mut bench = Bench::calm(period);
            bench.source.line.push_symbols(symbols.clone());
            bench.source.line.push_idle(12);
            bench.source.line.push_frame(frame.clone());
            bench.finish();
            assert_eq!(bench.verdicts(), [counter.name, "rx_good"], "{what}, period {period}");
            let packets = bench.frames.packets();
            let last = packets.last().unwrap();
            assert_eq!((&last.octets[..], last.error), (&frame[..96], false), "{what}, period {period}");
        }
    }
}

#[test]
fn false_carriers_and_carrier_extension_are_no_frames() {
    let frame = random_frame(64, &mut Rng::with_seed(3));
    let mut bench = Bench::calm(16_000);
    for noise in
        [Symbol::FALSE_CARRIER, Symbol::CARRIER_EXTEND, Symbol { data: 0xff, ..Symbol::FALSE_CARRIER }]
    {
        bench.source.line.push_symbols(vec![noise; 20]);
        bench.source.line.push_frame(frame.clone());
        bench.source.line.push_symbols(vec![noise; 3]);
    }
    bench.finish();
    assert_eq!(bench.verdicts(), ["rx_good"; 3]);
}

/// Lines on which anything may stand: frames, scraps of frames, noise, gaps down to one octet.
fn any_line(rng: &mut Rng) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for _ in 0..150 {
        let mut piece = match rng.u32(0..6) {
            0 => (0..rng.usize(1..40)).map(|_| any_symbol(rng)).collect(),
            1 => symbols_of(&random_frame(rng.usize(4..40), rng), rng.usize(0..9)),
            _ => symbols_of(&random_frame(rng.usize(60..300), rng), rng.usize(0..9)),
        };
        if rng.u32(0..4) == 0 {
            let at = rng.usize(0..piece.len());
            piece[at] = any_symbol(rng);
        }
        if rng.u32(0..8) == 0 {
            piece.truncate(rng.usize(1..=piece.len()));
        }
        symbols.extend(piece);
        symbols.extend(vec![Symbol::IDLE; rng.usize(1..20)]);
    }
    symbols
}

fn any_symbol(rng: &mut Rng) -> Symbol {
    let data = *rng.choice(&[0x55, 0xd5, 0x0e, 0x0f]).unwrap_or(&0);
    let data = if rng.bool() { data } else { rng.u8(..) };
    Symbol { data, enable: rng.bool(), error: rng.u32(0..4) == 0 }
}

#[test]
fn any_line_is_received_as_the_model_receives_it() {
    for seed in 0..25 {
        let mut rng = Rng::with_seed(seed);
        let period = PERIODS[seed as usize % PERIODS.len()];
        let symbols = any_line(&mut rng);
        let mut bench = Bench::calm(period);
        bench.source.line.push_symbols(symbols.clone());
        bench.finish();
        bench.check(&received(&symbols), &format!("seed {seed}, period {period}"));
    }
}

#[test]
fn a_carrier_that_flickers_is_counted_every_ten_octets_and_blocks_nothing() {
    let frame = random_frame(64, &mut Rng::with_seed(4));
    for period in PERIODS {
        let mut bench = Bench::calm(period);
        bench.source.line.push_symbols([Symbol::octet(0xd5), Symbol::IDLE].repeat(500));
        bench.source.line.push_frame(frame.clone());
        bench.finish();
        let verdicts = bench.verdicts();
        assert_eq!(verdicts, [vec!["rx_fragment"; 100], vec!["rx_good"]].concat(), "period {period}");
    }
}

#[test]
fn a_core_that_is_too_slow_loses_whole_frames_and_counts_each() {
    let mut lost = 0;
    for (period, length) in [(80_000, 1500), (150_000, 64), (100_000, 300), (700_000, 200)] {
        let mut rng = Rng::with_seed(period);
        let mut bench = Bench::calm(period);
        let sent: Vec<_> = (0..60).map(|_| random_frame(length, &mut rng)).collect();
        sent.iter().for_each(|frame| bench.source.line.push_frame(frame.clone()));
        bench.finish();
        bench.run(200 * period / PERIOD);
        let verdicts = bench.verdicts();
        assert_eq!(verdicts.len(), sent.len(), "period {period}");
        let good = verdicts.iter().filter(|name| **name == "rx_good").count();
        let overrun = verdicts.iter().filter(|name| **name == "rx_overrun").count();
        assert_eq!(good + overrun, sent.len(), "period {period}: {verdicts:?}");
        let whole: Vec<_> = bench.frames.packets().into_iter().filter(|packet| !packet.error).collect();
        assert_eq!(whole.len(), good, "period {period}");
        let known = |octets: &Vec<u8>| sent.iter().any(|frame| frame[..length - 4] == octets[..]);
        assert!(whole.iter().all(|packet| known(&packet.octets)), "period {period}: a frame of two");
        lost += overrun;
    }
    assert!(lost > 100, "only {lost} frames were lost: the core kept up");
}

#[test]
fn frames_that_begin_while_disabled_are_ignored_and_the_limit_holds_for_the_whole_frame() {
    let mut rng = Rng::with_seed(5);
    let frame = random_frame(200, &mut rng);
    let mut bench = Bench::calm(16_000);
    bench.set("enable", 0);
    bench.source.line.push_frame(frame.clone());
    bench.run(150);
    bench.set("enable", 1);
    bench.run(200);
    assert_eq!(bench.verdicts(), [""; 0]);
    bench.set("max_frame", 100);
    bench.source.line.push_frame(frame.clone());
    bench.run(100);
    bench.set("max_frame", 1518);
    bench.run(200);
    bench.source.line.push_frame(frame);
    bench.run(400);
    assert_eq!(bench.verdicts(), ["rx_oversize", "rx_good"]);
}

#[test]
fn a_receive_clock_that_stops_inside_a_frame_harms_only_that_frame() {
    for reset in [false, true] {
        let mut rng = Rng::with_seed(6);
        let frame = random_frame(400, &mut rng);
        let mut bench = Bench::calm(16_000);
        let clock = bench.board.clock("rx_clk").unwrap();
        bench.source.line.push_frame(frame.clone());
        bench.run(200);
        bench.board.run_clock(clock, false);
        bench.run(3000);
        if reset {
            bench.board.reset();
            // The words that came out before have no end any more.
            bench.frames = AxisSink::attach(&mut bench.board, "frames", Stalls::none()).unwrap();
        }
        bench.run(100);
        bench.board.run_clock(clock, true);
        bench.source.line.push_frame(frame.clone());
        bench.finish();
        // A frame that was under way when the reset came is none that began behind it.
        let wanted = if reset { vec!["rx_good"] } else { vec!["rx_good"; 2] };
        assert_eq!(bench.verdicts(), wanted, "reset {reset}");
        let packets = bench.frames.packets();
        assert_eq!(packets.last().unwrap().octets, frame[..396]);
    }
}

#[test]
fn a_word_leaves_eight_octets_and_seven_core_cycles_later_at_most() {
    for period in PERIODS {
        let mut bench = Bench::calm(period);
        let before = bench.board.cycle();
        bench.source.line.push_frame(random_frame(64, &mut Rng::with_seed(7)));
        bench.run(200);
        let (_, last) = bench.frames.pop_with_cycle().unwrap();
        // Preamble, 64 octets, the octet time that ends them, four registers on the receive clock.
        let octets = 8 + 64 + 1 + 4;
        let time = (last - before) * period;
        assert!(time <= octets * PERIOD + 8 * period, "period {period}: {time} ps");
    }
}
