//! The test source against the reference model, sample by sample.
use nicforge_hdl::sampler::TestSource;
use nicforge_sim::link::{AxisSink, Stalls};
use nicforge_sim::models::tone;
use nicforge_sim::{Board, Pins};
use nicforge_testbench::bench::Design;
use std::sync::LazyLock;

const SEEDS: u64 = 8;
const COUNTER: u64 = 0;
const TONE: u64 = 1;

static DESIGN: LazyLock<Design> =
    LazyLock::new(|| Design::new("test_source", TestSource::default()).unwrap());

/// What is set on the block's pins.
#[derive(Clone, Copy)]
struct Settings {
    enable: bool,
    source: u64,
    pace: (u16, u16),
    step: u32,
    amplitude: u8,
}

const CALM: Settings =
    Settings { enable: true, source: COUNTER, pace: (1, 1), step: 0x0100_0000, amplitude: 100 };

fn set(pins: &mut Pins, name: &str, value: u64) {
    let port = pins.model().input(name).unwrap();
    pins.set(port, value);
}

fn apply(board: &mut Board, settings: Settings) {
    let pins = board.pins();
    set(pins, "enable", settings.enable.into());
    set(pins, "source", settings.source);
    set(pins, "numerator", settings.pace.0.into());
    set(pins, "denominator", settings.pace.1.into());
    set(pins, "tone_step", settings.step.into());
    set(pins, "tone_amplitude", settings.amplitude.into());
}

fn stalls(seed: u64) -> Stalls {
    if seed == 0 { Stalls::none() } else { Stalls::seeded(seed) }
}

fn begin(settings: Settings, seed: u64) -> (Board, AxisSink) {
    let mut board = DESIGN.board().unwrap();
    apply(&mut board, settings);
    let sink = AxisSink::attach(&mut board, "samples", stalls(seed)).unwrap();
    (board, sink)
}

/// The samples taken so far, with the cycle of each word.
fn taken(sink: &mut AxisSink) -> (Vec<i8>, Vec<u64>) {
    let words: Vec<_> = std::iter::from_fn(|| sink.pop_with_cycle()).collect();
    let samples = words.iter().flat_map(|(word, _)| word.octets.iter().map(|octet| *octet as i8));
    (samples.collect(), words.iter().map(|(_, cycle)| *cycle).collect())
}

fn load(board: &mut Board, sink: &mut AxisSink) {
    set(board.pins(), "load", 1);
    board.run(1, sink);
    set(board.pins(), "load", 0);
}

#[test]
fn the_counter_counts_every_sample_once_whatever_the_stalls() {
    for seed in 0..SEEDS {
        let (mut board, mut sink) = begin(CALM, seed);
        board.run(3_000, &mut sink);
        let (samples, _) = taken(&mut sink);
        assert!(samples.len() > 4_000, "seed {seed}: only {} samples", samples.len());
        for (n, sample) in samples.iter().enumerate() {
            assert_eq!(*sample, tone::counter(n as u64), "seed {seed}, sample {n}");
        }
        assert!(sink.violations().is_empty(), "seed {seed}: {:?}", sink.violations());
    }
}

#[test]
fn the_tone_is_the_model_s_for_steps_and_amplitudes_of_every_kind() {
    let steps = [0, 1, 0x0100_0000, 0x4000_0000, 0x8000_0000, 0xffff_ffff, 0x003f_ffff, 0x0123_4567];
    let mut rng = fastrand::Rng::with_seed(11);
    let more: Vec<u32> = (0..24).map(|_| rng.u32(..)).collect();
    // Steps that bring the sample of one lane to the border of a table entry, on either side.
    let border = 1_u32 << 22;
    let borders = (1..=9).flat_map(|n| [(border - 1) / n, border / n, border.div_ceil(n)]);
    let all = borders.chain(steps).chain(more);
    for (number, step) in all.enumerate() {
        let amplitude = if number < 27 { 127 } else { [127, 100, 1, 0, 64][number % 5] };
        let settings = Settings { source: TONE, step, amplitude, ..CALM };
        let (mut board, mut sink) = begin(settings, number as u64 % SEEDS);
        board.run(1_500, &mut sink);
        let (samples, _) = taken(&mut sink);
        assert!(samples.len() > 1_000, "step {step:#x}: only {} samples", samples.len());
        for (n, sample) in samples.iter().enumerate() {
            let wanted = tone::tone(n as u64, step, amplitude);
            assert_eq!(*sample, wanted, "step {step:#x}, amplitude {amplitude}, sample {n}");
        }
        assert!(sink.violations().is_empty(), "step {step:#x}: {:?}", sink.violations());
    }
}

#[test]
fn every_entry_of_the_sine_table_is_right_at_every_amplitude_extreme() {
    for amplitude in [1, 63, 127] {
        let settings = Settings { source: TONE, step: 1 << 22, amplitude, ..CALM };
        let (mut board, mut sink) = begin(settings, 0);
        board.run(200, &mut sink);
        let (samples, _) = taken(&mut sink);
        assert!(samples.len() > 1024);
        for (n, sample) in samples.iter().enumerate() {
            assert_eq!(*sample, tone::tone(n as u64, 1 << 22, amplitude), "entry {n}, amplitude {amplitude}");
        }
    }
}

#[test]
fn a_free_consumer_gets_a_word_every_cycle_from_the_seventh_after_a_load_on() {
    let (mut board, mut sink) = begin(CALM, 0);
    board.run(20, &mut sink);
    let loaded = board.cycle();
    load(&mut board, &mut sink);
    board.run(100, &mut sink);
    let (samples, cycles) = taken(&mut sink);
    let words: Vec<_> = cycles.into_iter().filter(|cycle| *cycle > loaded).collect();
    assert_eq!(words[0], loaded + 7);
    assert!(words.windows(2).all(|pair| pair[1] == pair[0] + 1), "{words:?}");
    assert_eq!(samples[samples.len() - 8 * words.len()], 0);
}

#[test]
fn a_load_begins_again_with_sample_zero_and_a_new_step() {
    for seed in 0..SEEDS {
        let settings = Settings { source: TONE, ..CALM };
        let (mut board, mut sink) = begin(settings, seed);
        board.run(200 + seed * 7, &mut sink);
        let step = 0x0765_4321_u32;
        // The consumer of a stopped sampler takes nothing.
        let mut idle = ();
        set(board.pins(), "samples_ready", 0);
        set(board.pins(), "tone_step", step.into());
        board.run(4, &mut idle);
        set(board.pins(), "load", 1);
        board.run(1, &mut idle);
        set(board.pins(), "load", 0);
        let mut sink = AxisSink::attach(&mut board, "samples", stalls(seed)).unwrap();
        board.run(1_000, &mut sink);
        let (samples, _) = taken(&mut sink);
        assert!(samples.len() > 500, "seed {seed}");
        for (n, sample) in samples.iter().enumerate() {
            assert_eq!(*sample, tone::tone(n as u64, step, 100), "seed {seed}, sample {n}");
        }
    }
}

#[test]
fn samples_begin_again_with_zero_after_a_reset_at_any_time() {
    for source in [COUNTER, TONE] {
        for cycles in (1..60).step_by(3) {
            let (mut board, mut sink) = begin(Settings { source, ..CALM }, 3);
            board.run(cycles, &mut sink);
            board.reset();
            let mut sink = AxisSink::attach(&mut board, "samples", Stalls::none()).unwrap();
            board.run(50, &mut sink);
            let (samples, _) = taken(&mut sink);
            for (n, sample) in samples.iter().enumerate() {
                let n = n as u64;
                let wanted = if source == TONE { tone::tone(n, CALM.step, 100) } else { tone::counter(n) };
                assert_eq!(*sample, wanted, "reset after {cycles} cycles, sample {n}");
            }
        }
    }
}

#[test]
fn the_pace_is_exact_and_even() {
    for pace in [(4, 5), (1, 2), (1, 3), (2, 7), (999, 1000), (1, 1000), (65534, 65535), (12345, 54321)] {
        let (mut board, mut sink) = begin(Settings { pace, ..CALM }, 0);
        let cycles = 20_000;
        board.run(cycles, &mut sink);
        let (_, words) = taken(&mut sink);
        let (numerator, denominator) = (u64::from(pace.0), u64::from(pace.1));
        let wanted = cycles * numerator / denominator;
        assert!(words.len() as u64 <= wanted + 1, "{pace:?}: {} of {wanted} words", words.len());
        assert!(words.len() as u64 + 10 >= wanted, "{pace:?}: {} of {wanted} words", words.len());
        // Behind the first words, which are late by the filling of the stages, gaps differ by one.
        let shortest = denominator / numerator;
        for pair in words[10..].windows(2) {
            let gap = pair[1] - pair[0];
            assert!(gap == shortest || gap == shortest + 1, "{pace:?}: a gap of {gap} cycles");
        }
    }
}

#[test]
fn words_not_taken_when_due_are_made_good_up_to_255() {
    let (mut board, mut sink) = begin(Settings { pace: (1, 4), ..CALM }, 0);
    board.run(100, &mut sink);
    taken(&mut sink);
    for (pause, owed) in [(400, 100), (8_000, 255)] {
        set(board.pins(), "samples_ready", 0);
        board.run(pause, &mut ());
        let begun = board.cycle();
        board.run(2_000, &mut sink);
        let (_, words) = taken(&mut sink);
        let run = words.iter().zip(begun..).take_while(|(word, cycle)| **word == *cycle).count();
        // While they are made good, a quarter as many become due.
        let wanted = owed * 4 / 3;
        assert!(run.abs_diff(wanted) <= 4, "after a pause of {pause}: {run} words at once, wanted {wanted}");
        assert!(words.len().abs_diff(owed + 500) <= 4, "after a pause of {pause}: {} words", words.len());
    }
}

#[test]
fn no_words_come_at_pace_zero_and_all_at_a_pace_above_one() {
    for (pace, wanted) in [((0, 5), 1), ((0, 1), 1), ((5, 3), 994), ((1, 0), 994), ((0, 0), 994)] {
        let (mut board, mut sink) = begin(Settings { pace, ..CALM }, 0);
        board.run(1_000, &mut sink);
        assert_eq!(sink.waiting(), wanted, "{pace:?}");
    }
}

#[test]
fn a_consumer_that_asks_gets_samples_also_while_the_source_is_switched_off() {
    for seed in 0..SEEDS {
        let settings = Settings { pace: (1, 100), enable: true, ..CALM };
        let (mut board, mut sink) = begin(settings, seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..20 {
            set(board.pins(), "enable", 0);
            let before = sink.waiting();
            board.run(100, &mut sink);
            if seed == 0 {
                assert!(sink.waiting() >= before + 90, "{} words", sink.waiting() - before);
            }
            set(board.pins(), "enable", 1);
            board.run(rng.u64(1..400), &mut sink);
        }
        let (samples, _) = taken(&mut sink);
        for (n, sample) in samples.iter().enumerate() {
            assert_eq!(*sample, tone::counter(n as u64), "seed {seed}, sample {n}");
        }
        assert!(sink.violations().is_empty(), "seed {seed}: {:?}", sink.violations());
    }
}
