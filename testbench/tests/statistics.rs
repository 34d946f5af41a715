//! The counters: every event counted once, and snapshots of one moment.
use nicforge_hdl::control::{Gather, Statistics};
use nicforge_layout::counters::PLACES;
use nicforge_layout::registers::{COUNTER_WINDOW, SPACE};
use nicforge_sim::model::{Input, Output};
use nicforge_sim::{Actor, Board, Pins};
use nicforge_testbench::bench::Design;
use nicforge_testbench::register_bus::{Outcome, RegisterBus};
use std::sync::LazyLock;

const SOURCES: usize = 10;
const SEEDS: u64 = 8;
/// Cycles of a snapshot when no events come.
const SNAPSHOT_CYCLES: u64 = 80;

static DESIGN: LazyLock<Design> =
    LazyLock::new(|| Design::new("statistics", Statistics::<SOURCES>::default()).unwrap());

/// Raises events: in each cycle every source that was quiet in the cycle before asks `choose`.
struct Events<F: FnMut(u64, usize) -> Option<u8>> {
    ports: Vec<(Input, Input)>,
    choose: F,
    raised: [bool; SOURCES],
    /// How often each code was raised.
    counts: [u64; PLACES],
}

impl<F: FnMut(u64, usize) -> Option<u8>> Events<F> {
    fn attach(board: &mut Board, choose: F) -> Self {
        let model = board.pins().model();
        let port = |n: usize, name: &str| model.input(&format!("events_{n}_{name}")).unwrap();
        let ports = (0..SOURCES).map(|n| (port(n, "valid"), port(n, "code"))).collect();
        Self { ports, choose, raised: [false; SOURCES], counts: [0; PLACES] }
    }
}

impl<F: FnMut(u64, usize) -> Option<u8>> Actor for Events<F> {
    fn drive(&mut self, pins: &mut Pins) {
        for (n, (valid, code)) in self.ports.iter().enumerate() {
            let event = if self.raised[n] { None } else { (self.choose)(pins.cycle(), n) };
            self.raised[n] = event.is_some();
            pins.set(*valid, event.is_some().into());
            // A code without an event must not matter.
            pins.set(*code, event.map_or(pins.cycle() ^ n as u64, u64::from) & 0x3f);
            if let Some(code) = event {
                self.counts[usize::from(code)] += 1;
            }
        }
    }
    fn sample(&mut self, _: &Pins) {}
}

/// The control side of the block.
struct Control {
    bus: RegisterBus,
    snapshot: Input,
    preset: Input,
    code: Input,
    preset_value: Input,
    busy: Output,
    lost: Output,
}

impl Control {
    /// Connects, and waits until the counters are cleared.
    fn begin(board: &mut Board) -> Self {
        let bus = RegisterBus::attach(board).unwrap();
        let model = board.pins().model();
        let input = |name| model.input(name).unwrap();
        let control = Self {
            bus,
            snapshot: input("snapshot"),
            preset: input("preset"),
            code: input("code"),
            preset_value: input("preset_value"),
            busy: model.output("busy").unwrap(),
            lost: model.output("lost").unwrap(),
        };
        control.settle(board, &mut (), SNAPSHOT_CYCLES);
        control
    }

    /// Steps until the block is idle.
    fn settle<A: Actor + ?Sized>(&self, board: &mut Board, others: &mut A, limit: u64) {
        board.step_with(others);
        for _ in 0..limit {
            if board.pins().get(self.busy) == 0 {
                return;
            }
            board.step_with(others);
        }
        panic!("busy for more than {limit} cycles");
    }

    fn pulse<A: Actor + ?Sized>(&self, board: &mut Board, others: &mut A, ports: &[Input]) {
        ports.iter().for_each(|port| board.pins().set(*port, 1));
        board.step_with(others);
        ports.iter().for_each(|port| board.pins().set(*port, 0));
    }

    fn preset<A: Actor + ?Sized>(&self, board: &mut Board, others: &mut A, code: u8, value: u64) {
        board.pins().set(self.code, code.into());
        board.pins().set(self.preset_value, value);
        self.pulse(board, others, &[self.preset]);
        board.pins().set(self.code, 0);
        self.settle(board, others, SNAPSHOT_CYCLES);
    }

    fn snapshot<A: Actor + ?Sized>(&self, board: &mut Board, others: &mut A) {
        self.pulse(board, others, &[self.snapshot]);
        self.settle(board, others, 300);
    }

    /// Reads the whole window.
    fn window<A: Actor + ?Sized>(&mut self, board: &mut Board, others: &mut A) -> [u64; PLACES] {
        std::array::from_fn(|code| {
            let place = COUNTER_WINDOW + 8 * code as u32;
            let half = |outcome| match outcome {
                Outcome::Hit(word) => u64::from(word),
                Outcome::NoHit => panic!("counter {code} is not in the window"),
            };
            half(self.bus.read(board, others, place)) | half(self.bus.read(board, others, place + 4)) << 32
        })
    }

    fn lost(&self, board: &mut Board) -> bool {
        board.pins().get(self.lost) != 0
    }
}

/// Cycles between two events of a source that are enough for all sources together.
const APART: u64 = SOURCES as u64 + 1;

/// Chooses events at random: those of a source at least `apart` cycles apart, then in `per_mille` of
/// the cycles, with codes below `codes`.
fn storm(seed: u64, apart: u64, per_mille: u32, codes: u8) -> impl FnMut(u64, usize) -> Option<u8> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut free_from = [0; SOURCES];
    move |cycle, n| {
        let raises = cycle >= free_from[n] && rng.u32(0..1000) < per_mille;
        raises.then(|| {
            free_from[n] = cycle + apart;
            rng.u8(0..codes)
        })
    }
}

#[test]
fn all_counters_are_zero_after_a_reset_also_in_mid_snapshot() {
    let mut board = DESIGN.board().unwrap();
    let mut control = Control::begin(&mut board);
    assert_eq!(control.window(&mut board, &mut ()), [0; PLACES], "at power-up");
    for steps in (0..100).step_by(7) {
        let mut events = Events::attach(&mut board, storm(steps, APART, 300, 64));
        board.run(500, &mut events);
        control.snapshot(&mut board, &mut events);
        control.pulse(&mut board, &mut events, &[control.snapshot]);
        board.run(steps, &mut events);
        board.reset();
        Events::attach(&mut board, |_, _| None).drive(board.pins());
        control = Control::begin(&mut board);
        assert_eq!(control.window(&mut board, &mut ()), [0; PLACES], "reset {steps} cycles into a snapshot");
        control.snapshot(&mut board, &mut ());
        assert_eq!(control.window(&mut board, &mut ()), [0; PLACES], "snapshot after that reset");
    }
}

#[test]
fn every_event_is_counted_once_whatever_comes_before_and_after_it() {
    // Few codes: events of the same counter follow each other at every distance.
    for (codes, per_mille) in [(1, 1000), (1, 400), (2, 400), (3, 200), (5, 400), (64, 400), (64, 10)] {
        for seed in 0..SEEDS {
            let mut board = DESIGN.board().unwrap();
            let mut control = Control::begin(&mut board);
            let mut events = Events::attach(&mut board, storm(seed, APART, per_mille, codes));
            board.run(5_000, &mut events);
            let counts = events.counts;
            let mut quiet = Events::attach(&mut board, |_, _| None);
            board.run(300, &mut quiet);
            control.snapshot(&mut board, &mut quiet);
            let found = control.window(&mut board, &mut quiet);
            assert_eq!(found, counts, "seed {seed}, {codes} codes, {per_mille} per mille");
            assert!(!control.lost(&mut board), "seed {seed}");
            assert!(control.bus.violations().is_empty(), "seed {seed}: {:?}", control.bus.violations());
        }
    }
}

#[test]
fn bursts_and_busy_pairs_are_counted_also_during_snapshots() {
    let bursts = |cycle: u64, _| cycle.is_multiple_of(12).then_some(7);
    let pair = |cycle: u64, n: usize| (n < 2 && cycle.is_multiple_of(2)).then_some(n as u8 * 5);
    // Frames of three words, while now and then three other sources speak.
    let short_frames = |cycle: u64, n: usize| match n {
        0 | 1 => cycle.is_multiple_of(3).then_some(n as u8),
        2..5 => cycle.is_multiple_of(40).then_some(n as u8),
        _ => None,
    };
    type Pattern<'a> = &'a dyn Fn(u64, usize) -> Option<u8>;
    // The pair leaves the queue no cycle to recover from a snapshot: it holds two.
    let patterns: [(Pattern, u32); 3] = [(&bursts, 20), (&pair, 2), (&short_frames, 20)];
    for (number, (pattern, snapshots)) in patterns.into_iter().enumerate() {
        let mut board = DESIGN.board().unwrap();
        let mut control = Control::begin(&mut board);
        let mut events = Events::attach(&mut board, pattern);
        for _ in 0..snapshots {
            board.run(300, &mut events);
            control.snapshot(&mut board, &mut events);
        }
        let counts = events.counts;
        let mut quiet = Events::attach(&mut board, |_, _| None);
        board.run(300, &mut quiet);
        control.snapshot(&mut board, &mut quiet);
        assert_eq!(control.window(&mut board, &mut quiet), counts, "pattern {number}");
        assert!(!control.lost(&mut board), "pattern {number}");
    }
}

#[test]
fn a_snapshot_has_all_events_of_a_cycle_or_none() {
    for seed in 0..SEEDS {
        let mut board = DESIGN.board().unwrap();
        let mut control = Control::begin(&mut board);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut next = 0;
        // All sources speak in the same cycles, each with a code of its own.
        let mut events = Events::attach(&mut board, move |cycle, n| {
            if cycle > next {
                next = cycle + APART + rng.u64(0..20);
            }
            (cycle == next).then_some(n as u8 * 6)
        });
        let mut last = 0;
        for _ in 0..25 {
            board.run(seed * 3, &mut events);
            let before = events.counts[0];
            control.snapshot(&mut board, &mut events);
            let after = events.counts[0];
            let found = control.window(&mut board, &mut events);
            for n in 0..SOURCES {
                assert_eq!(found[n * 6], found[0], "seed {seed}, source {n}");
            }
            assert!((before..=after).contains(&found[0]) || found[0] + 1 == before, "seed {seed}");
            assert!(found[0] >= last, "seed {seed}");
            last = found[0];
        }
        assert!(last > 100, "seed {seed}: only {last} events seen");
        assert!(!control.lost(&mut board), "seed {seed}");
    }
}

#[test]
fn a_snapshot_stays_until_the_next() {
    let mut board = DESIGN.board().unwrap();
    let mut control = Control::begin(&mut board);
    let mut events = Events::attach(&mut board, storm(5, APART, 100, 64));
    board.run(1_000, &mut events);
    control.snapshot(&mut board, &mut events);
    let first = control.window(&mut board, &mut events);
    assert_eq!(control.window(&mut board, &mut events), first);
    control.snapshot(&mut board, &mut events);
    assert_ne!(control.window(&mut board, &mut events), first);
}

#[test]
fn counters_wrap_at_64_bits_and_carry_between_the_halves_the_bus_reads() {
    let mut board = DESIGN.board().unwrap();
    let mut control = Control::begin(&mut board);
    for (code, value) in [(0, u64::MAX - 2), (1, u64::from(u32::MAX) - 2), (63, u64::MAX), (40, 5)] {
        control.preset(&mut board, &mut (), code, value);
    }
    let mut left = 8;
    let mut events = Events::attach(&mut board, |cycle, n| {
        let raises = n < 2 && left > 0 && cycle.is_multiple_of(2);
        left -= u32::from(raises);
        raises.then_some(n as u8)
    });
    board.run(100, &mut events);
    assert_eq!(events.counts[..2], [4, 4]);
    control.snapshot(&mut board, &mut events);
    let found = control.window(&mut board, &mut events);
    let mut wanted = [0; PLACES];
    (wanted[0], wanted[1], wanted[63], wanted[40]) = (1, u64::from(u32::MAX) + 2, u64::MAX, 5);
    assert_eq!(found, wanted);
}

#[test]
fn a_preset_amid_events_of_its_counter_loads_between_two_of_them() {
    for seed in 0..SEEDS {
        let mut board = DESIGN.board().unwrap();
        let mut control = Control::begin(&mut board);
        let mut events = Events::attach(&mut board, storm(seed, APART, 300, 2));
        board.run(200, &mut events);
        let value = 1 << 40;
        let before = events.counts;
        control.preset(&mut board, &mut events, 1, value);
        board.run(200, &mut events);
        let counts = events.counts;
        let mut quiet = Events::attach(&mut board, |_, _| None);
        board.run(100, &mut quiet);
        control.snapshot(&mut board, &mut quiet);
        let found = control.window(&mut board, &mut quiet);
        assert_eq!(found[0], counts[0], "seed {seed}");
        // Events of at most the last rounds before the preset may come after it.
        let most = counts[1] - before[1] + 20;
        assert!((value..=value + most).contains(&found[1]), "seed {seed}: {}", found[1] - value);
    }
}

#[test]
fn a_preset_and_a_snapshot_asked_for_together_come_in_this_order() {
    let mut board = DESIGN.board().unwrap();
    let mut control = Control::begin(&mut board);
    board.pins().set(control.code, 9);
    board.pins().set(control.preset_value, 1234);
    control.pulse(&mut board, &mut (), &[control.preset, control.snapshot]);
    control.settle(&mut board, &mut (), SNAPSHOT_CYCLES);
    let mut wanted = [0; PLACES];
    wanted[9] = 1234;
    assert_eq!(control.window(&mut board, &mut ()), wanted);
}

#[test]
fn more_events_than_can_be_counted_are_said_to_be_lost() {
    let mut board = DESIGN.board().unwrap();
    let mut control = Control::begin(&mut board);
    let mut events = Events::attach(&mut board, |_, n| (n < 5).then_some(n as u8));
    board.run(2_000, &mut events);
    let raised: u64 = events.counts.iter().sum();
    assert!(control.lost(&mut board));
    let mut quiet = Events::attach(&mut board, |_, _| None);
    board.run(400, &mut quiet);
    control.snapshot(&mut board, &mut quiet);
    let counted: u64 = control.window(&mut board, &mut quiet).iter().sum();
    assert!(counted < raised && counted >= 1_990, "{counted} of {raised} counted");
    assert!(control.lost(&mut board), "the mark stays");
    board.reset();
    assert!(!control.lost(&mut board), "the mark goes with a reset");
}

#[test]
fn events_wait_out_snapshots_that_follow_each_other() {
    for seed in 0..SEEDS {
        let mut board = DESIGN.board().unwrap();
        let mut control = Control::begin(&mut board);
        let mut events = Events::attach(&mut board, storm(seed, APART, 50, 64));
        for _ in 0..40 {
            control.snapshot(&mut board, &mut events);
        }
        let counts = events.counts;
        let mut quiet = Events::attach(&mut board, |_, _| None);
        board.run(300, &mut quiet);
        control.snapshot(&mut board, &mut quiet);
        assert_eq!(control.window(&mut board, &mut quiet), counts, "seed {seed}");
        assert!(!control.lost(&mut board), "seed {seed}");
    }
}

#[test]
fn the_window_is_where_the_map_says_and_writes_to_it_change_nothing() {
    let mut board = DESIGN.board().unwrap();
    let mut control = Control::begin(&mut board);
    control.preset(&mut board, &mut (), 3, 77);
    control.snapshot(&mut board, &mut ());
    let window = COUNTER_WINDOW..COUNTER_WINDOW + 8 * PLACES as u32;
    for address in (0..SPACE).step_by(4) {
        let wanted = |value| if window.contains(&address) { Outcome::Hit(value) } else { Outcome::NoHit };
        let word = if address == COUNTER_WINDOW + 24 { 77 } else { 0 };
        assert_eq!(control.bus.write(&mut board, &mut (), address, u32::MAX), wanted(0), "{address:#x}");
        assert_eq!(control.bus.read(&mut board, &mut (), address), wanted(word), "{address:#x}");
    }
    assert!(control.bus.violations().is_empty(), "{:?}", control.bus.violations());
}

#[test]
fn gathering_loses_nothing_while_there_is_room_often_enough() {
    let design = Design::new("gather", Gather::<SOURCES>::default()).unwrap();
    for seed in 0..SEEDS {
        let mut board = design.board().unwrap();
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut events = Events::attach(&mut board, storm(seed, 40, 100, 64));
        let model = board.pins().model();
        let room = model.input("room").unwrap();
        let valid = model.output("gathered_valid").unwrap();
        let (code, lost) = (model.output("gathered_code").unwrap(), model.output("lost").unwrap());
        let mut found = [0; PLACES];
        for _ in 0..4_000 {
            board.pins().set(room, (rng.u32(0..10) < 8).into());
            board.step_with(&mut events);
            if board.pins().is_set(valid) {
                found[board.pins().get(code) as usize] += 1;
            }
        }
        board.pins().set(room, 1);
        let counts = events.counts;
        let mut quiet = Events::attach(&mut board, |_, _| None);
        for _ in 0..40 {
            board.step_with(&mut quiet);
            if board.pins().is_set(valid) {
                found[board.pins().get(code) as usize] += 1;
            }
        }
        assert!(board.pins().get(lost) == 0, "seed {seed}");
        assert_eq!(found, counts, "seed {seed}");
    }
}
