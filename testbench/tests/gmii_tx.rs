//! The sending half of the 1 GbE MAC as seen on the line, against the octet-by-octet model.
use fastrand::Rng;
use nicforge_hdl::eth::GmiiTx;
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::ethernet;
use nicforge_sim::Board;
use nicforge_sim::link::gmii::{PERIOD, ViolationKind};
use nicforge_sim::link::{AxisSource, EventLog, GmiiSink, Packet, Received, Stalls};
use nicforge_sim::models::eth::transmit;
use nicforge_testbench::bench::Design;
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("gmii_tx", GmiiTx::default()).unwrap());

/// Octet times in which all that the FIFO can hold is on the line: eighteen of the shortest frames.
const DRAIN: u64 = 18 * (8 + 64 + 12) + 100;
/// Core clock periods in picoseconds: 31.25 MHz, 62.5 MHz, about 125 MHz, 156.25 MHz.
const PERIODS: [u64; 5] = [32_000, 16_000, 8_003, 7_999, 6_400];

fn octets(length: usize, rng: &mut Rng) -> Vec<u8> {
    std::iter::repeat_with(|| rng.u8(..)).take(length).collect()
}

/// A transmitter, the stream into it and the line out of it.
struct Bench {
    board: Board,
    frames: AxisSource,
    line: GmiiSink,
    events: EventLog,
}

impl Bench {
    fn new(period: u64, stalls: Stalls) -> Self {
        let mut board = Board::with_core_period(DESIGN.model().unwrap(), period).unwrap();
        board.add_clock("tx_clk", PERIOD, 1_700).unwrap();
        let frames = AxisSource::attach(&mut board, "frames", stalls).unwrap();
        let line = GmiiSink::attach(&mut board, "gmii").unwrap();
        let events = EventLog::attach(&mut board, "event").unwrap();
        let mut bench = Self { board, frames, line, events };
        bench.run(400_000);
        bench
    }

    /// Lets so many picoseconds pass.
    fn run(&mut self, time: u64) {
        let cycles = time.div_ceil(self.board.period(nicforge_sim::Clock::CORE));
        self.board.run(cycles, &mut (&mut self.frames, &mut self.line, &mut self.events));
    }

    /// Steps until every packet was taken and is on the line.
    fn finish(&mut self) {
        let actors = &mut (&mut self.frames, &mut self.line, &mut self.events);
        let done = |actors: &(&mut AxisSource, &mut GmiiSink, &mut EventLog)| actors.0.queued() == 0;
        self.board.run_until("all packets to be taken", 2_000_000, actors, done).unwrap();
        self.run(DRAIN * PERIOD);
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
    fn assert_apart(&self, context: &str) {
        let cycles: Vec<_> = self.events.events().iter().map(|event| event.cycle).collect();
        assert!(cycles.windows(2).all(|pair| pair[1] - pair[0] > 1), "{context}: neighbouring events");
    }
}

fn times(counter: Counter, count: usize) -> Vec<&'static str> {
    vec![counter.name; count]
}

#[test]
fn every_length_leaves_back_to_back_with_padding_check_sequence_and_gap() {
    for period in PERIODS {
        let mut rng = Rng::with_seed(1);
        let mut bench = Bench::new(period, Stalls::none());
        let lengths = (1..=140).chain([1514, 2046, 2047, 2048, 9014]).chain([1; 50]);
        let sent: Vec<_> = lengths.map(|n| octets(n, &mut rng)).collect();
        sent.iter().for_each(|frame| bench.frames.push(Packet::good(frame.clone())));
        bench.finish();
        bench.assert_apart("all lengths");
        assert_eq!(bench.line.line.violations(), [], "period {period}");
        let received = bench.received();
        assert_eq!(received.len(), sent.len(), "period {period}");
        for (received, sent) in received.iter().zip(&sent) {
            assert_eq!(received.octets, transmit(sent), "period {period}, {} octets", sent.len());
        }
        let wanted = ethernet::IFG_OCTETS as u64;
        assert!(received[1..].iter().all(|frame| frame.gap == Some(wanted)), "period {period}");
        assert_eq!(bench.event_names(), times(counters::TX_GOOD, sent.len()), "period {period}");
    }
}

#[test]
fn a_frame_is_on_the_line_seven_octet_times_after_its_first_word_at_most() {
    for period in PERIODS {
        let mut bench = Bench::new(period, Stalls::none());
        bench.frames.push(Packet::good([7; 60]));
        let before = bench.board.cycle();
        bench.run(100 * PERIOD);
        let began = bench.received()[0].cycle * PERIOD;
        let given = (before + 1) * period;
        let late = began as i64 + 1_700 - given as i64;
        assert!(late <= 7 * PERIOD as i64 + 2 * period as i64, "period {period}: {late} ps");
    }
}

#[test]
fn octets_beyond_keep_never_show_in_the_padding() {
    let mut bench = Bench::new(16_000, Stalls::none());
    let model = bench.board.pins().model();
    let ports = ["data", "keep", "last", "valid"].map(|name| model.input(&format!("frames_{name}")).unwrap());
    for length in 1..=8 {
        for (port, value) in ports.iter().zip([u64::MAX, u64::MAX >> (64 - length), 1, 1]) {
            bench.board.pins().set(*port, value);
        }
        bench.board.run(1, &mut (&mut bench.line, &mut bench.events));
        bench.board.pins().set(ports[3], 0);
        bench.board.run(200, &mut (&mut bench.line, &mut bench.events));
        assert_eq!(bench.received()[0].octets, transmit(&vec![0xff; length]), "{length} octets");
    }
}

#[test]
fn pauses_between_frames_change_nothing_and_pauses_inside_end_the_frame() {
    let mut short = 0;
    for seed in 0..16 {
        let mut rng = Rng::with_seed(seed);
        let period = PERIODS[seed as usize % PERIODS.len()];
        let mut bench = Bench::new(period, Stalls::seeded(seed));
        let sent: Vec<_> = (0..150).map(|_| octets(rng.usize(1..400), &mut rng)).collect();
        sent.iter().for_each(|frame| bench.frames.push(Packet::good(frame.clone())));
        bench.finish();
        bench.assert_apart(&format!("seed {seed}"));
        let events = bench.event_names();
        let received = bench.received();
        assert_eq!((events.len(), received.len()), (sent.len(), sent.len()), "seed {seed}");
        for ((event, received), sent) in events.iter().zip(&received).zip(&sent) {
            let good = *event == counters::TX_GOOD.name;
            assert!(good || *event == counters::TX_UNDERRUN.name, "seed {seed}: {event}");
            assert_eq!(received.is_good(), good, "seed {seed}");
            assert_eq!(received.damaged, !good, "seed {seed}");
            if good {
                assert_eq!(received.octets, transmit(sent), "seed {seed}");
            }
            short += usize::from(!good);
        }
        let kinds = bench.line.line.violations().iter().map(|violation| violation.kind);
        assert!(kinds.clone().all(|kind| kind == ViolationKind::ErrorInFrame), "seed {seed}");
    }
    assert!(short > 100, "only {short} frames met a pause");
}

#[test]
fn a_frame_that_its_source_marks_bad_is_bad_on_the_line() {
    let mut rng = Rng::with_seed(9);
    let mut bench = Bench::new(6_400, Stalls::none());
    let sent: Vec<_> = (1..=40).map(|n| (octets(3 * n, &mut rng), n % 3 != 0)).collect();
    for (frame, error) in &sent {
        bench.frames.push(Packet { octets: frame.clone(), error: *error });
    }
    bench.finish();
    let received = bench.received();
    let wanted = |(_, error): &(Vec<u8>, bool)| match error {
        true => counters::TX_ERROR.name,
        false => counters::TX_GOOD.name,
    };
    assert_eq!(bench.event_names(), sent.iter().map(wanted).collect::<Vec<_>>());
    assert_eq!(received.len(), sent.len());
    for (received, (frame, error)) in received.iter().zip(&sent) {
        assert_eq!(received.damaged, *error);
        assert!(*error || received.octets == transmit(frame));
    }
}

#[test]
fn a_stopped_clock_holds_frames_up_and_a_reset_meanwhile_leaves_no_scrap() {
    let mut bench = Bench::new(16_000, Stalls::none());
    let clock = bench.board.clock("tx_clk").unwrap();
    bench.frames.push(Packet::good([1; 1000]));
    bench.run(200 * PERIOD);
    bench.board.run_clock(clock, false);
    bench.run(2000 * PERIOD);
    assert_eq!(bench.frames.queued(), 1, "a frame of more than the FIFO waits for the clock");
    bench.board.reset();
    let mut frames = AxisSource::attach(&mut bench.board, "frames", Stalls::none()).unwrap();
    frames.push(Packet::good([2; 60]));
    bench.frames = frames;
    bench.run(100 * PERIOD);
    assert_eq!(bench.frames.queued(), 1, "nothing is taken while the clock stands still");
    let _ = bench.received();
    bench.board.run_clock(clock, true);
    bench.run(400 * PERIOD);
    let received = bench.received();
    let last = received.last().unwrap();
    assert_eq!(last.octets, transmit(&[2; 60]));
    assert_eq!(received.iter().filter(|frame| frame.is_good()).count(), 1);
}
