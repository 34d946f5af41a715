//! Single bits and resets between two clocks.
use fastrand::Rng;
use nicforge_hdl::eth::ClockWatch;
use nicforge_hdl::stream::{DomainReset, Synchronizer};
use nicforge_sim::model::{Input, Model, Output};
use nicforge_sim::{Board, Clock};
use nicforge_testbench::bench::Design;
use nicforge_testbench::two_clocks::{Side, TwoClocks};
use std::sync::LazyLock;

static SYNCHRONIZER: LazyLock<Design> =
    LazyLock::new(|| Design::new("synchronizer", Synchronizer::default()).unwrap());
static RESET: LazyLock<Design> =
    LazyLock::new(|| Design::new("domain_reset", DomainReset::default()).unwrap());

const CORE_HERTZ: u64 = 62_500_000;
static WATCH: LazyLock<Design> =
    LazyLock::new(|| Design::new("clock_watch", ClockWatch::new(CORE_HERTZ)).unwrap());

#[test]
fn a_bit_arrives_with_the_second_edge_behind_it_and_no_pulse_of_two_periods_is_lost() {
    let mut board = SYNCHRONIZER.board().unwrap();
    let from = board.pins().model().input("from").unwrap();
    let level = board.pins().model().output("level").unwrap();
    let mut rng = Rng::with_seed(1);
    let mut history = vec![0, 0];
    for cycle in 0..2000 {
        let bit = rng.u64(0..2);
        board.pins().set(from, bit);
        board.run(1, &mut ());
        history.push(bit);
        // Read just behind an edge: the bit is in its second flip-flop when another edge has come.
        assert_eq!(board.pins().get(level), history[history.len() - 2], "cycle {cycle}");
    }
}

/// Asks for resets now and then, and looks at both of them.
struct Near {
    reset: Input,
    near: Output,
    far: Output,
    rng: Rng,
    asked: bool,
    /// Since the last request: both were in reset at one time.
    together: bool,
    was_near: bool,
    finished: u32,
}

impl Side for Near {
    fn sample(&mut self, model: &Model) {
        let (near, far) = (model.get(self.near) != 0, model.get(self.far) != 0);
        if self.was_near && !near {
            assert!(self.together, "the near side was let go before both had been in reset");
            assert!(!far, "the near side was let go before the far side");
            self.finished += 1;
        }
        self.together |= near && far;
        self.was_near = near;
        if self.asked {
            self.together = near && far;
        }
    }
    fn drive(&mut self, model: &mut Model) {
        self.asked = self.rng.u32(0..60) == 0;
        model.set(self.reset, self.asked.into());
    }
}

impl Near {
    fn new(model: &Model, seed: u64) -> Self {
        let output = |name| model.output(name).unwrap();
        let (reset, near) = (model.input("reset").unwrap(), output("near_reset"));
        let (asked, together, was_near, finished) = (false, false, false, 0);
        let (far, rng) = (output("far_reset"), Rng::with_seed(seed));
        Self { reset, near, far, rng, asked, together, was_near, finished }
    }
}

#[test]
fn both_sides_are_in_reset_at_one_time_and_the_near_side_is_let_go_last() {
    for (seed, periods) in [[8_000, 8_000], [6_400, 8_000], [32_000, 8_000], [8_000, 90_000], [90_000, 8_000]]
        .into_iter()
        .enumerate()
    {
        let model = RESET.model().unwrap();
        let mut near = Near::new(&model, seed as u64);
        let mut clocks = TwoClocks::new(model, ["clock", "far_clock"], periods, seed as u64).unwrap();
        (0..60_000).for_each(|_| clocks.step([&mut near, &mut ()]));
        assert!(near.finished > 20, "periods {periods:?}: only {} resets came to their end", near.finished);
    }
}

#[test]
fn a_far_clock_that_stands_still_keeps_the_near_side_in_reset() {
    let mut board = Board::with_core_period(RESET.model().unwrap(), 16_000).unwrap();
    let far = board.add_clock("far_clock", 8_000, 1_000).unwrap();
    let [near_reset, far_reset] =
        ["near_reset", "far_reset"].map(|name| board.pins().model().output(name).unwrap());
    board.run(30, &mut ());
    assert_eq!(board.pins().get(near_reset), 0);
    board.run_clock(far, false);
    board.reset();
    for _ in 0..1000 {
        board.run(1, &mut ());
        assert_eq!((board.pins().get(near_reset), board.pins().get(far_reset)), (1, 0));
    }
    board.run_clock(far, true);
    let mut seen = false;
    for _ in 0..20 {
        board.run(1, &mut ());
        seen |= board.pins().get(far_reset) != 0;
    }
    assert!(seen);
    assert_eq!((board.pins().get(near_reset), board.pins().get(far_reset)), (0, 0));
}

/// A board with the watched clock at this period.
fn watched(period: u64) -> (Board, Clock, Output) {
    let core = 1_000_000_000_000 / CORE_HERTZ;
    let mut board = Board::with_core_period(WATCH.model().unwrap(), core).unwrap();
    let clock = board.add_clock("watched", period, 900).unwrap();
    let runs = board.pins().model().output("runs").unwrap();
    (board, clock, runs)
}

#[test]
fn a_clock_of_125_megahertz_runs_and_one_of_25_or_2_5_does_not() {
    for (period, wanted) in [(8_000, 1), (8_001, 1), (7_999, 1), (40_000, 0), (400_000, 0)] {
        let (mut board, _, runs) = watched(period);
        board.run(100, &mut ());
        for cycle in 0..5000 {
            board.run(1, &mut ());
            assert_eq!(board.pins().get(runs), wanted, "period {period}, cycle {cycle}");
        }
    }
}

#[test]
fn a_stop_and_a_start_are_seen_within_two_microseconds() {
    let (mut board, clock, runs) = watched(8_000);
    let cycles = (2 * CORE_HERTZ).div_ceil(1_000_000);
    assert_eq!(board.pins().get(runs), 0);
    for _ in 0..3 {
        board.run(cycles, &mut ());
        assert_eq!(board.pins().get(runs), 1);
        board.run_clock(clock, false);
        board.run(cycles, &mut ());
        assert_eq!(board.pins().get(runs), 0);
        board.run_clock(clock, true);
    }
}
