//! A board with several clocks: order and time of edges, and which actors act in which cycle.
use nicforge_sim::model::{BuildOptions, Input, Output, PortInfo, VerilogSource, build};
use nicforge_sim::{Actor, Board, Clock, Pins};

/// A register in each of two clock domains, and one that takes the other domain's register.
const TWO: &str = "
module two(input clk, input rst, input side_clk, input [31:0] core_in, input [31:0] side_in,
    output reg [31:0] core_out, output reg [31:0] side_out, output [31:0] side_now,
    output reg [31:0] crossed);
  assign side_now = ~side_in;
  always @(posedge clk) core_out <= rst ? 32'd0 : core_in;
  always @(posedge side_clk) side_out <= side_in;
  always @(posedge side_clk) crossed <= core_out;
endmodule
";

fn board(trace: bool) -> Board {
    let input = |(name, width): (&str, usize)| PortInfo::input(name, width);
    let inputs = [("clk", 1), ("rst", 1), ("side_clk", 1), ("core_in", 32), ("side_in", 32)].map(input);
    let output = |name: &str| PortInfo::output(name, 32);
    let outputs = ["core_out", "side_out", "side_now", "crossed"].map(output);
    let ports = inputs.into_iter().chain(outputs).collect();
    let source = VerilogSource { text: TWO.into(), top: "two".into(), ports };
    let library = build(&source, &BuildOptions { trace, cache: None }).unwrap();
    Board::new(library.instance().unwrap()).unwrap()
}

/// Drives the number of its cycle and keeps what it sees.
struct Probe {
    clock: Clock,
    input: Input,
    outputs: Vec<Output>,
    seen: Vec<Vec<u64>>,
}

impl Probe {
    fn new(board: &mut Board, clock: Clock, input: &str, outputs: &[&str]) -> Self {
        let model = board.pins().model();
        let outputs = outputs.iter().map(|name| model.output(name).unwrap()).collect();
        Self { clock, input: model.input(input).unwrap(), outputs, seen: Vec::new() }
    }
}

impl Actor for Probe {
    fn drive(&mut self, pins: &mut Pins) {
        assert_eq!(pins.cycle(), self.seen.len() as u64);
        pins.set(self.input, pins.cycle());
    }

    fn sample(&mut self, pins: &Pins) {
        assert_eq!(pins.cycle(), self.seen.len() as u64);
        self.seen.push(self.outputs.iter().map(|output| pins.get(*output)).collect());
    }

    fn clock(&self) -> Clock {
        self.clock
    }
}

/// Runs both probes and returns what they saw.
fn run(board: &mut Board, side: Clock, cycles: u64) -> [Vec<Vec<u64>>; 2] {
    let core = Probe::new(board, Clock::CORE, "core_in", &["core_out"]);
    let side = Probe::new(board, side, "side_in", &["side_out", "side_now", "crossed"]);
    let mut probes = (core, side);
    board.run(cycles, &mut probes);
    [probes.0.seen, probes.1.seen]
}

#[test]
fn every_actor_acts_once_a_cycle_of_its_own_clock() {
    for (period, phase) in [(8_000, 0), (8_000, 1_300), (6_400, 0), (6_401, 3_200), (2_000, 1), (50_000, 7)] {
        let mut board = board(false);
        let side = board.add_clock("side_clk", period, phase).unwrap();
        assert_eq!((board.period(side), board.clock("side_clk")), (period, Some(side)));
        assert_eq!(board.clock("clk"), Some(Clock::CORE));
        let [core, side] = run(&mut board, side, 1_000);
        assert_eq!((core.len(), board.cycle()), (1_000, 1_000), "period {period}");
        let wanted = 1_000 * 6_400 / period;
        assert!((side.len() as u64).abs_diff(wanted) <= 1, "period {period}: {} cycles", side.len());
        for (cycle, seen) in core.iter().enumerate().skip(1) {
            assert_eq!(seen[0], cycle as u64 - 1);
        }
        for (cycle, seen) in side.iter().enumerate().skip(1) {
            let cycle = cycle as u64;
            assert_eq!(seen[..2], [cycle - 1, u64::from(!(cycle as u32))], "period {period}");
        }
    }
}

#[test]
fn edges_at_the_same_time_see_registers_from_before() {
    let mut board = board(false);
    let side = board.add_clock("side_clk", 6_400, 0).unwrap();
    let [_, side] = run(&mut board, side, 100);
    // One cycle into `core_out`, one more across: with both clocks in step that is exact.
    side.iter().enumerate().skip(2).for_each(|(cycle, seen)| assert_eq!(seen[2], cycle as u64 - 2));
}

#[test]
fn a_value_crosses_at_the_next_edge_of_the_slower_or_faster_clock() {
    for (period, phase) in [(3_000, 400), (17_000, 900)] {
        let mut board = board(false);
        let side = board.add_clock("side_clk", period, phase).unwrap();
        let [_, side] = run(&mut board, side, 500);
        let begin = side[1][2];
        for (cycle, seen) in side.iter().enumerate().skip(2) {
            let passed = (cycle as u64 - 1) * period / 6_400;
            assert!((seen[2] - begin).abs_diff(passed) <= 1, "period {period}, cycle {cycle}");
        }
    }
}

#[test]
fn a_stopped_clock_keeps_its_registers_and_its_actors_wait() {
    let mut board = board(false);
    let side = board.add_clock("side_clk", 8_000, 0).unwrap();
    let mut probe = Probe::new(&mut board, side, "side_in", &["side_out"]);
    board.run(100, &mut probe);
    board.run_clock(side, false);
    let before = probe.seen.len();
    board.run(100, &mut probe);
    assert_eq!(probe.seen.len(), before);
    board.run_clock(side, true);
    board.run(100, &mut probe);
    assert!(probe.seen.len().abs_diff(before + 80) <= 1);
    probe.seen.iter().enumerate().skip(1).for_each(|(cycle, seen)| assert_eq!(seen[0], cycle as u64 - 1));
}

#[test]
fn a_reset_is_no_cycle_of_any_clock() {
    let mut board = board(false);
    let side = board.add_clock("side_clk", 2_000, 0).unwrap();
    let mut probe = Probe::new(&mut board, side, "side_in", &["side_out"]);
    board.run(10, &mut probe);
    board.reset();
    board.run(10, &mut probe);
    assert!(probe.seen.len().abs_diff(2 * 32) <= 2, "{} cycles", probe.seen.len());
}

#[test]
fn a_waveform_has_the_time_of_every_edge() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("two.vcd");
    let mut board = board(true);
    board.add_clock("side_clk", 5_000, 700).unwrap();
    board.trace(&path).unwrap();
    board.run(2, &mut ());
    drop(board);
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("1ps"), "the unit of time is a picosecond");
    let times = text.lines().filter_map(|line| line.strip_prefix('#')?.parse::<u64>().ok());
    // Eight cycles of reset, twelve until those of all clocks are over, and the two of the board.
    let last = 22 * 6_400 - 3_200;
    let core = (0..44).map(|edge| edge * 3_200);
    let side = (0..).map(|edge| 700 + edge * 2_500).take_while(|time| *time < last);
    let mut wanted: Vec<u64> = core.chain(side).collect();
    wanted.sort_unstable();
    wanted.dedup();
    assert_eq!(times.collect::<Vec<_>>(), wanted);
}
