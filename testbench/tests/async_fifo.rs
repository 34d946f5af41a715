//! The FIFO between two clocks, whatever the clocks are.
use fastrand::Rng;
use nicforge_hdl::stream::AsyncFifo;
use nicforge_hdl::verilog::{self, Emitted, Options};
use nicforge_sim::link::Stalls;
use nicforge_sim::model::{Input, Model, Output};
use nicforge_testbench::bench::Design;
use nicforge_testbench::two_clocks::{Side, TwoClocks};
use std::sync::LazyLock;

static SMALL: LazyLock<Design> =
    LazyLock::new(|| Design::new("async_fifo_4", AsyncFifo::<16, 2, 3>::default()).unwrap());
static LARGE: LazyLock<Design> =
    LazyLock::new(|| Design::new("async_fifo_16", AsyncFifo::<72, 4, 5>::default()).unwrap());

/// Periods of the writing and the reading clock in picoseconds.
const PERIODS: [[u64; 2]; 9] = [
    [8_000, 16_000],
    [16_000, 8_000],
    [8_000, 8_000],
    [8_000, 7_999],
    [6_400, 8_000],
    [32_000, 8_000],
    [1_000, 97_000],
    [97_000, 1_000],
    [8_001, 24_000],
];

/// Counts upwards through the port, 16 bits of it.
struct Writer {
    data: Input,
    valid: Input,
    ready: Output,
    reset: Input,
    stalls: Stalls,
    offered: bool,
    taken: u16,
    limit: u16,
    resetting: bool,
    /// The reset that is at the port.
    applied: bool,
    /// Cycles in which it offered a word and there was no room.
    refused: u32,
}

impl Writer {
    fn new(model: &Model, stalls: Stalls, limit: u16) -> Self {
        let input = |name| model.input(name).unwrap();
        let ready = model.output("write_ready").unwrap();
        let (data, valid, reset) = (input("write_data"), input("write_valid"), input("write_reset"));
        let (offered, taken, refused, resetting, applied) = (false, 0, 0, true, false);
        Self { data, valid, ready, reset, stalls, offered, taken, limit, resetting, applied, refused }
    }
}

impl Side for Writer {
    fn sample(&mut self, model: &Model) {
        let ready = model.get(self.ready) != 0;
        assert!(!(ready && self.applied), "there is room during a reset");
        if self.offered && ready {
            self.taken += 1;
            self.offered = false;
        }
        self.refused += u32::from(self.offered);
    }
    fn drive(&mut self, model: &mut Model) {
        self.offered |= !self.resetting && self.taken < self.limit && !self.stalls.stalled();
        model.set(self.valid, self.offered.into());
        model.set_wide(self.data, &[self.taken.into(), 0x5555_aaaa, self.taken.into()]);
        model.set(self.reset, self.resetting.into());
        self.applied = self.resetting;
    }
}

/// Holds what comes out against the count.
struct Reader {
    data: Output,
    valid: Output,
    ready: Input,
    reset: Input,
    stalls: Stalls,
    willing: bool,
    seen: Vec<u16>,
    offered: Option<u64>,
    resetting: bool,
}

impl Reader {
    fn new(model: &Model, stalls: Stalls) -> Self {
        let output = |name| model.output(name).unwrap();
        let (ready, reset) = (model.input("read_ready").unwrap(), model.input("read_reset").unwrap());
        let (data, valid) = (output("read_data"), output("read_valid"));
        let (willing, seen, offered, resetting) = (false, Vec::new(), None, true);
        Self { data, valid, ready, reset, stalls, willing, seen, offered, resetting }
    }
}

impl Side for Reader {
    fn sample(&mut self, model: &Model) {
        let offered = (model.get(self.valid) != 0).then(|| model.get(self.data));
        if self.resetting {
            return;
        }
        if self.offered.is_some() {
            assert_eq!(offered, self.offered, "a word that was offered changed or went away");
        }
        self.offered = offered.filter(|_| !self.willing);
        if let Some(word) = offered.filter(|_| self.willing) {
            self.seen.push(word as u16);
        }
    }
    fn drive(&mut self, model: &mut Model) {
        self.willing = !self.resetting && !self.stalls.stalled();
        model.set(self.ready, self.willing.into());
        model.set(self.reset, self.resetting.into());
    }
}

struct Bench {
    clocks: TwoClocks,
    writer: Writer,
    reader: Reader,
}

impl Bench {
    fn new(design: &Design, periods: [u64; 2], stalls: [Stalls; 2], words: u16, seed: u64) -> Self {
        let model = design.model().unwrap();
        let [writing, reading] = stalls;
        let (writer, reader) = (Writer::new(&model, writing, words), Reader::new(&model, reading));
        let clocks = TwoClocks::new(model, ["write_clock", "read_clock"], periods, seed).unwrap();
        Self { clocks, writer, reader }
    }

    fn step(&mut self) {
        self.clocks.step([&mut self.writer, &mut self.reader]);
    }

    /// Resets both sides for so long that both clocks see it, and lets them go one after the other.
    fn reset(&mut self, writer_first: bool) {
        (self.writer.resetting, self.reader.resetting) = (true, true);
        (self.writer.offered, self.reader.offered) = (false, None);
        (0..1000).for_each(|_| self.step());
        self.writer.resetting = !writer_first;
        self.reader.resetting = writer_first;
        (0..200).for_each(|_| self.step());
        (self.writer.resetting, self.reader.resetting) = (false, false);
    }

    #[track_caller]
    fn finish(&mut self, context: &str) {
        let limit = 400_000;
        for _ in 0..limit {
            if self.reader.seen.len() == usize::from(self.writer.limit) {
                return;
            }
            self.step();
        }
        panic!("{context}: {} of {} words in {limit} edges", self.reader.seen.len(), self.writer.limit);
    }
}

fn numbers(range: std::ops::Range<u16>) -> Vec<u16> {
    range.collect()
}

#[test]
fn every_word_comes_out_once_and_in_order_whatever_the_clocks_and_stalls() {
    for (name, design) in [("small", &*SMALL), ("large", &*LARGE)] {
        for (index, periods) in PERIODS.into_iter().enumerate() {
            for seed in 0..6 {
                let context = format!("{name}, periods {periods:?}, seed {seed}");
                let stalls = match seed {
                    0 => [Stalls::none(), Stalls::none()],
                    _ => [Stalls::seeded(seed), Stalls::seeded(seed + 100 + index as u64)],
                };
                let mut bench = Bench::new(design, periods, stalls, 1500, seed);
                bench.reset(seed % 2 == 0);
                bench.finish(&context);
                assert_eq!(bench.reader.seen, numbers(0..1500), "{context}");
            }
        }
    }
}

/// A hardware edge that catches a pointer in the act may take each of its bits old or new. Here the
/// first flip-flop of each crossing does so at random, once for each change; and a pointer that ever
/// changes in more than one bit stops the output for good.
fn with_torn_edges(mut emitted: Emitted) -> Emitted {
    let pointers = [("write_gray", "write_clock", "read_clock"), ("read_gray", "read_clock", "write_clock")];
    for (pointer, clock, catching) in pointers {
        let plain = format!("{pointer}_meta <= {pointer};");
        let torn = format!("{pointer}_meta <= {pointer} == caught_{pointer} ? {pointer} : mixed_{pointer};");
        let registers = format!(
            "    reg [2:0] before_{pointer} = 0, caught_{pointer} = 0, random_{pointer} = 0;\n\
             \x20   always @(posedge {clock}) before_{pointer} <= {pointer};\n\
             \x20   always @(posedge {catching}) caught_{pointer} <= {pointer};\n\
             \x20   always @(negedge {catching}) random_{pointer} <= 3'($urandom);\n\
             \x20   wire [2:0] mixed_{pointer} =\n\
             \x20       ({pointer} & random_{pointer}) | (before_{pointer} & ~random_{pointer});\n\
             \x20   reg jumped_{pointer} = 0;\n\
             \x20   always @(posedge {clock})\n\
             \x20       if ($countones({pointer} ^ before_{pointer}) > 1) jumped_{pointer} <= 1;\n"
        );
        let module = emitted.modules.iter_mut().find(|module| module.text.contains(&plain)).unwrap();
        module.text = module.text.replacen(&plain, &torn, 1);
        let valid = "assign read_valid = offered";
        assert!(module.text.contains(valid));
        module.text = module.text.replacen(valid, &format!("{valid} & !jumped_{pointer}"), 1);
        module.text = module.text.replacen("endmodule", &format!("{registers}endmodule"), 1);
    }
    emitted
}

fn emitted(edit: impl Fn(&mut Emitted)) -> Emitted {
    let options = Options { top: "async_fifo_torn", header: "" };
    let mut emitted = verilog::emit_block(&mut AsyncFifo::<16, 2, 3>::default(), &options).unwrap();
    edit(&mut emitted);
    with_torn_edges(emitted)
}

#[test]
fn an_edge_that_catches_a_pointer_in_the_act_tears_no_word() {
    let design = Design::of("async_fifo_torn", emitted(|_| {})).unwrap();
    for (index, periods) in PERIODS.into_iter().enumerate() {
        let stalls = [Stalls::seeded(index as u64), Stalls::seeded(50 + index as u64)];
        let mut bench = Bench::new(&design, periods, stalls, 1500, index as u64);
        bench.reset(true);
        bench.finish(&format!("periods {periods:?}"));
        assert_eq!(bench.reader.seen, numbers(0..1500), "periods {periods:?}");
    }
}

#[test]
fn the_bench_finds_a_pointer_that_is_not_in_gray_code() {
    let binary = |emitted: &mut Emitted| {
        for side in ["write", "read"] {
            let gray = format!("{side}_gray <= {side}_after ^ ({side}_after >> 1);");
            let module = emitted.modules.iter_mut().find(|module| module.text.contains(&gray)).unwrap();
            module.text = module.text.replacen(&gray, &format!("{side}_gray <= {side}_after;"), 1);
            module.text = module.text.replace("3'd6;", "3'd4;");
        }
    };
    let design = Design::of("async_fifo_torn", emitted(binary)).unwrap();
    let mut bench = Bench::new(&design, [8_000, 7_000], [Stalls::none(), Stalls::none()], 1500, 1);
    bench.reset(true);
    // The reader's own check stops the bench when the word that was offered goes away.
    let run = std::panic::AssertUnwindSafe(|| (0..20_000).for_each(|_| bench.step()));
    let stopped = std::panic::catch_unwind(run).is_err() || bench.reader.seen.len() < 8;
    assert!(stopped, "this bench cannot tell a binary pointer from a Gray one");
}

#[test]
fn it_takes_and_gives_a_word_a_clock() {
    for periods in [[8_000, 8_000], [8_000, 7_000], [7_000, 8_000]] {
        let mut bench = Bench::new(&LARGE, periods, [Stalls::none(), Stalls::none()], 4000, 1);
        bench.reset(false);
        bench.finish("full speed");
        // The slower side never waits once the words flow.
        let slower_writes = periods[0] > periods[1];
        assert!(!slower_writes || bench.writer.refused == 0, "{periods:?}: {}", bench.writer.refused);
        assert!(bench.writer.refused < 4000 / 6, "{periods:?}: {}", bench.writer.refused);
    }
}

#[test]
fn it_fills_to_the_last_word_and_empties() {
    for (design, words) in [(&*SMALL, 4 + 1), (&*LARGE, 16 + 1)] {
        let mut bench = Bench::new(design, [8_000, 9_000], [Stalls::none(), Stalls::none()], 100, 2);
        bench.reset(true);
        // A reader in reset takes nothing; the word at the output is there only behind it.
        bench.reader.resetting = true;
        (0..500).for_each(|_| bench.step());
        assert_eq!(bench.writer.taken, words - 1);
        bench.reader.resetting = false;
        bench.finish("after a stop");
        assert_eq!(bench.reader.seen, numbers(0..100));
    }
}

#[test]
fn a_word_is_offered_three_or_four_edges_of_the_reader_later() {
    let mut rng = Rng::with_seed(3);
    let mut waits = Vec::new();
    for seed in 0..200 {
        let periods = [rng.u64(2_000..30_000), rng.u64(2_000..30_000)];
        let mut bench = Bench::new(&LARGE, periods, [Stalls::none(), Stalls::none()], 0, seed);
        bench.reset(true);
        (0..20).for_each(|_| bench.step());
        bench.writer.limit = 1;
        while bench.writer.taken == 0 {
            bench.step();
        }
        // Edges of the reader, each of which calls `sample` once.
        let mut edges = Edges { seen: &mut bench.reader, count: 0 };
        while edges.seen.seen.is_empty() {
            bench.clocks.step([&mut bench.writer, &mut edges]);
        }
        // The last of them is the one that takes it.
        waits.push(edges.count - 1);
    }
    assert!(waits.iter().all(|wait| [3, 4].contains(wait)), "{waits:?}");
}

struct Edges<'a> {
    seen: &'a mut Reader,
    count: u32,
}

impl Side for Edges<'_> {
    fn sample(&mut self, model: &Model) {
        self.count += 1;
        self.seen.sample(model);
    }
    fn drive(&mut self, model: &mut Model) {
        self.seen.drive(model);
    }
}

#[test]
fn a_reset_at_any_level_empties_it() {
    for words in 0..20 {
        let mut bench = Bench::new(&LARGE, [8_000, 11_000], [Stalls::none(), Stalls::none()], words, 4);
        bench.reset(true);
        (0..10 + 3 * words).for_each(|_| bench.step());
        let before = bench.reader.seen.len();
        bench.reset(words % 2 == 0);
        let taken = bench.writer.taken;
        bench.writer.limit = taken + 30;
        for _ in 0..2000 {
            bench.step();
        }
        assert_eq!(bench.reader.seen[before..], numbers(taken..taken + 30), "{words} words");
    }
}
