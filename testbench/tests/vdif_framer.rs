//! The framer against the reference model, octet by octet.
use nicforge_hdl::sampler::VdifFramer;
use nicforge_layout::counters;
use nicforge_sim::link::{AxisSink, AxisSource, EventLog, Packet, Stalls};
use nicforge_sim::models::vdif::Stream;
use nicforge_sim::{Board, Pins};
use nicforge_testbench::bench::Design;
use std::sync::LazyLock;

const SEEDS: u64 = 8;

static DESIGN: LazyLock<Design> =
    LazyLock::new(|| Design::new("vdif_framer", VdifFramer::default()).unwrap());

/// A framer with samples in front, and packets and events behind.
struct Framer {
    board: Board,
    samples: AxisSource,
    packets: AxisSink,
    events: EventLog,
    /// Samples pushed so far.
    pushed: u64,
}

/// Sample `n` of all tests: no period that a packet length could hide in.
fn sample(n: u64) -> i8 {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as i8
}

fn stream(data_octets: usize) -> Stream {
    Stream {
        serial: 1_000_000,
        epoch: 53,
        seconds: 13_194_000,
        frame: 12_345,
        frames_per_second: 32_000,
        data_octets,
        station: u16::from_be_bytes(*b"Ib"),
        thread: 3,
        sample: 0,
    }
}

fn set(pins: &mut Pins, name: &str, value: u64) {
    let port = pins.model().input(name).unwrap();
    pins.set(port, value);
}

fn apply(pins: &mut Pins, stream: &Stream) {
    set(pins, "serial", stream.serial);
    set(pins, "epoch", stream.epoch.into());
    set(pins, "seconds", stream.seconds.into());
    set(pins, "frame", stream.frame.into());
    set(pins, "frames_per_second", stream.frames_per_second.into());
    set(pins, "data_words", (stream.data_octets / 8) as u64);
    set(pins, "station", stream.station.into());
    set(pins, "thread", stream.thread.into());
}

impl Framer {
    /// A framer that has the stream's presets on its pins; a reset loads them.
    fn begin(stream: &Stream, seed: u64) -> Self {
        let mut board = DESIGN.board().unwrap();
        apply(board.pins(), stream);
        let stalls = |n| if seed == 0 { Stalls::none() } else { Stalls::seeded(seed * 2 + n) };
        let samples = AxisSource::attach(&mut board, "samples", stalls(0)).unwrap();
        let packets = AxisSink::attach(&mut board, "packets", stalls(1)).unwrap();
        let events = EventLog::attach(&mut board, "event").unwrap();
        Self { board, samples, packets, events, pushed: 0 }
    }

    fn set(&mut self, name: &str, value: u64) {
        set(self.board.pins(), name, value);
    }

    fn get(&mut self, name: &str) -> u64 {
        let port = self.board.pins().model().output(name).unwrap();
        self.board.pins().get(port)
    }

    fn push(&mut self, words: usize) {
        let octets: Vec<u8> = (self.pushed..).map(|n| sample(n) as u8).take(words * 8).collect();
        self.pushed += words as u64 * 8;
        self.samples.push(Packet::good(octets));
    }

    fn run(&mut self, cycles: u64) {
        self.board.run(cycles, &mut (&mut self.samples, &mut self.packets, &mut self.events));
    }

    /// Runs until so many packets wait.
    fn wait(&mut self, packets: usize, what: &str) {
        let mut actors = (&mut self.samples, &mut self.packets, &mut self.events);
        let done = |actors: &(&mut AxisSource, &mut AxisSink, &mut EventLog)| actors.1.waiting() >= packets;
        self.board.run_until("packets", 400_000, &mut actors, done).unwrap_or_else(|e| panic!("{what}: {e}"));
    }

    /// Holds everything that came out against the model.
    fn check(&mut self, stream: &mut Stream, packets: usize, what: &str) {
        let found = self.packets.packets();
        assert_eq!(found.len(), packets, "{what}");
        for (number, packet) in found.into_iter().enumerate() {
            let wanted = Packet::good(stream.packet(sample));
            assert_eq!(packet, wanted, "{what}: packet {number}");
        }
        assert!(self.packets.violations().is_empty(), "{what}: {:?}", self.packets.violations());
    }
}

#[test]
fn packets_are_the_model_s_for_every_short_length_and_long_ones() {
    let lengths = (1..=40).chain([125, 128, 129, 500, 1000, 1024, 1116]);
    for (number, words) in lengths.enumerate() {
        let seed = number as u64 % SEEDS;
        let what = format!("{words} words, seed {seed}");
        let mut stream = stream(words * 8);
        let mut framer = Framer::begin(&stream, seed);
        framer.set("enable", 1);
        framer.push(words * 4);
        framer.wait(4, &what);
        framer.check(&mut stream, 4, &what);
        assert_eq!(framer.events.codes(), [u64::from(counters::SAMPLER_PACKETS.code); 4], "{what}");
        assert_eq!(framer.get("sent"), 4, "{what}");
    }
}

#[test]
fn a_frame_without_samples_is_only_its_header() {
    let mut stream = stream(0);
    let mut framer = Framer::begin(&stream, 0);
    framer.set("limit", 3);
    framer.set("enable", 1);
    framer.run(100);
    framer.check(&mut stream, 3, "empty frames");
}

#[test]
fn a_word_comes_every_cycle_also_from_packet_to_packet() {
    let words = 1000;
    let mut framer = Framer::begin(&stream(words * 8), 0);
    framer.set("enable", 1);
    framer.push(words * 6);
    framer.wait(6, "a saturated stream");
    let ends: Vec<_> =
        std::iter::from_fn(|| framer.packets.pop_with_cycle()).map(|(_, cycle)| cycle).collect();
    for pair in ends.windows(2) {
        assert_eq!(pair[1] - pair[0], 5 + words as u64, "{ends:?}");
    }
}

#[test]
fn every_header_field_stands_in_its_own_place() {
    type Change = fn(&mut Stream);
    let changes: [(&str, Change); 16] = [
        ("serial", |s| s.serial = u64::MAX - 1),
        ("serial", |s| s.serial = 0x0102_0304_0506_0708),
        ("seconds", |s| s.seconds = (1 << 30) - 1),
        ("seconds", |s| s.seconds = 0x1555_5555),
        ("epoch", |s| s.epoch = 63),
        ("epoch", |s| s.epoch = 0),
        ("frame", |s| (s.frame, s.frames_per_second) = (0xff_fffe, 0xff_ffff)),
        ("frame", |s| s.frame = 0),
        ("station", |s| s.station = 0xffff),
        ("station", |s| s.station = 0x0001),
        ("thread", |s| s.thread = 1023),
        ("thread", |s| s.thread = 0x155),
        ("data", |s| s.data_octets = 8 * 4095),
        ("rate", |s| s.frames_per_second = 1),
        ("rate", |s| s.frames_per_second = 12_346),
        ("rate", |s| s.frames_per_second = 12_347),
    ];
    for (what, change) in changes {
        let mut stream = stream(64);
        change(&mut stream);
        let mut framer = Framer::begin(&stream, 0);
        framer.set("enable", 1);
        framer.push(stream.data_octets / 8 * 4);
        framer.wait(4, what);
        framer.check(&mut stream, 4, what);
    }
}

#[test]
fn the_frame_number_begins_again_and_the_second_advances_at_the_border() {
    for seed in 0..SEEDS {
        let mut stream = Stream { frame: 0, frames_per_second: 5, seconds: (1 << 30) - 2, ..stream(16) };
        let mut framer = Framer::begin(&stream, seed);
        framer.set("enable", 1);
        framer.push(2 * 23);
        framer.wait(23, "seconds");
        framer.check(&mut stream, 23, &format!("seed {seed}"));
    }
}

#[test]
fn it_stops_after_the_limit_and_goes_on_after_a_load() {
    for seed in 0..SEEDS {
        let mut stream = stream(24);
        let mut framer = Framer::begin(&stream, seed);
        framer.set("limit", 7);
        framer.set("enable", 1);
        framer.push(3 * 40);
        framer.run(1_500);
        framer.check(&mut stream, 7, &format!("seed {seed}"));
        assert_eq!(framer.get("sent"), 7, "seed {seed}");
        let mut stream = Stream { sample: stream.sample, serial: 5, frame: 9, ..stream };
        apply(framer.board.pins(), &stream);
        framer.set("load", 1);
        framer.run(1);
        framer.set("load", 0);
        framer.run(1_500);
        framer.check(&mut stream, 7, &format!("seed {seed}, loaded"));
        assert_eq!(framer.get("sent"), 7, "seed {seed}, loaded");
    }
}

#[test]
fn switching_off_at_any_word_ends_with_a_whole_packet_and_on_again_misses_no_sample() {
    for seed in 0..2 {
        for word in 0..40 {
            let what = format!("off after {word} cycles, seed {seed}");
            let mut stream = stream(8 * 6);
            let mut framer = Framer::begin(&stream, seed);
            framer.push(6 * 30);
            framer.set("enable", 1);
            framer.run(word);
            framer.set("enable", 0);
            framer.run(400);
            assert_eq!(framer.packets.unfinished(), 0, "{what}");
            let first = framer.packets.waiting();
            framer.check(&mut stream, first, &what);
            framer.run(50);
            assert_eq!(framer.packets.waiting(), 0, "{what}");
            framer.set("enable", 1);
            framer.wait(3, &what);
            framer.set("enable", 0);
            framer.run(400);
            let second = framer.packets.waiting();
            framer.check(&mut stream, second, &what);
        }
    }
}

#[test]
fn a_load_amid_a_packet_takes_hold_with_the_next() {
    for word in 0..30 {
        let what = format!("load after {word} cycles");
        let mut before = stream(8 * 6);
        let mut framer = Framer::begin(&before, 0);
        framer.push(6 * 10);
        framer.set("enable", 1);
        framer.run(15 + word);
        let mut after = Stream { serial: 77, seconds: 3, epoch: 1, frame: 2, ..before };
        apply(framer.board.pins(), &after);
        framer.set("load", 1);
        framer.run(1);
        framer.set("load", 0);
        framer.wait(8, &what);
        let found = framer.packets.packets();
        let border = found.iter().position(|packet| packet.octets[..8] == 77_u64.to_le_bytes());
        let border = border.unwrap_or_else(|| panic!("{what}: no packet 77"));
        for (number, packet) in found.iter().enumerate() {
            let wanted = if number < border { before.packet(sample) } else { after.packet(sample) };
            assert_eq!(packet.octets, wanted, "{what}: packet {number} of border {border}");
            after.sample = after.sample.max(before.sample);
        }
        assert_eq!(framer.get("sent") as usize, found.len() - border, "{what}");
    }
}

#[test]
fn a_reset_at_any_word_leaves_nothing_of_the_packet() {
    for word in 1..30 {
        let mut framer = Framer::begin(&stream(8 * 6), 0);
        framer.push(6 * 4);
        framer.set("enable", 1);
        framer.run(word);
        framer.board.reset();
        let board = &mut framer.board;
        framer.samples = AxisSource::attach(board, "samples", Stalls::none()).unwrap();
        framer.packets = AxisSink::attach(board, "packets", Stalls::none()).unwrap();
        framer.pushed = 0;
        framer.push(6 * 3);
        framer.wait(3, "after the reset");
        framer.check(&mut stream(8 * 6), 3, &format!("reset after {word} cycles"));
    }
}

#[test]
fn nothing_is_taken_and_nothing_comes_while_it_is_switched_off() {
    let mut framer = Framer::begin(&stream(64), 0);
    framer.push(100);
    framer.run(500);
    assert_eq!((framer.packets.waiting(), framer.packets.unfinished()), (0, 0));
    assert_eq!(framer.get("samples_ready"), 0);
    assert!(framer.events.events().is_empty());
}
