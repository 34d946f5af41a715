//! What the printed Verilog looks like.
use nicforge_hdl::comment;
use nicforge_hdl::stream::{Memory, Slice};
use nicforge_hdl::verilog::{
    Direction, Emitted, Module, Options, Port, Primitive, emit_block, with_large_stack,
};
use rust_hdl::prelude::*;

const OPTIONS: Options = Options { top: "top", header: "made by a test\nversion 0" };

fn emitted<B: Block>(mut block: B) -> Emitted {
    emit_block(&mut block, &OPTIONS).unwrap()
}

/// Adds a constant.
#[derive(LogicBlock)]
struct Offset {
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
    amount: Constant<Bits<8>>,
}

impl Offset {
    fn new(amount: u64) -> Self {
        Self { a: Default::default(), y: Default::default(), amount: Constant::new(amount.into()) }
    }
}

impl Logic for Offset {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: offset - adds a number that is fixed at build time");
        self.y.next = self.a.val() + self.amount.val();
    }
}

#[derive(LogicBlock)]
struct Three {
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
    offsets: [Offset; 3],
}

impl Default for Three {
    fn default() -> Self {
        let offsets = [Offset::new(4), Offset::new(31), Offset::new(4)];
        Self { a: Default::default(), y: Default::default(), offsets }
    }
}

impl Logic for Three {
    #[hdl_gen]
    fn update(&mut self) {
        self.offsets[0].a.next = self.a.val();
        for i in 1..3 {
            self.offsets[i].a.next = self.offsets[i - 1].y.val();
        }
        self.y.next = self.offsets[2].y.val();
    }
}

#[test]
fn blocks_of_equal_text_share_a_module_and_others_do_not() {
    let design = emitted(Three::default());
    let names: Vec<&str> = design.modules.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["offset", "offset_2", "top"]);
    assert!(design.modules[0].text.contains("localparam [7:0] amount = 8'd4;"));
    assert!(design.modules[1].text.contains("localparam [7:0] amount = 8'h1f;"));
    let top = &design.modules[2].text;
    assert_eq!(top.matches("offset offsets_").count(), 2);
    assert_eq!(top.matches("offset_2 offsets_1 (").count(), 1);
    assert!(top.contains(".y(y)"), "the last output is the port itself: {top}");
}

#[test]
fn a_design_opens_with_its_header_and_its_modules_say_what_they_are() {
    let text = emitted(Three::default()).verilog();
    assert!(text.starts_with("// made by a test\n// version 0\n\n`default_nettype none\n"), "{text}");
    assert!(text.contains("\n// Adds a number that is fixed at build time.\nmodule offset (\n"), "{text}");
    assert!(text.ends_with("endmodule\n\n`default_nettype wire\n"), "{text}");
}

#[test]
fn the_same_design_gives_the_same_bytes() {
    assert_eq!(emitted(Slice::<64, 8>::default()), emitted(Slice::<64, 8>::default()));
    assert_eq!(emitted(Three::default()).verilog(), emitted(Three::default()).verilog());
}

#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "Taken"]
struct Given {
    tdata: Signal<Out, Bits<12>>,
    tready: Signal<In, Bit>,
}

#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "Given"]
struct Taken {
    tdata: Signal<In, Bits<12>>,
    tready: Signal<Out, Bit>,
}

#[derive(LogicBlock, Default)]
struct Ports {
    clk: Signal<In, Clock>,
    s_axis_udp: Taken,
    m_axis_udp: Given,
    begin: Signal<In, Bit>,
    lanes: [Signal<Out, Bit>; 2],
    reset: Signal<In, Bit>,
}

impl Logic for Ports {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_axis_udp.tdata.next = self.s_axis_udp.tdata.val() ^ 1;
        self.s_axis_udp.tready.next = self.m_axis_udp.tready.val() & self.begin.val();
        self.lanes[0].next = self.reset.val();
        self.lanes[1].next = self.s_axis_udp.tdata.val().get_bit(3);
    }
}

#[test]
fn the_port_list_has_clean_names_in_the_order_of_the_fields() {
    let port =
        |name: &str, width, direction| Port { name: name.into(), width, direction, doc: String::new() };
    let ports = [
        port("clk", 1, Direction::Input),
        port("s_axis_udp_tdata", 12, Direction::Input),
        port("s_axis_udp_tready", 1, Direction::Output),
        port("m_axis_udp_tdata", 12, Direction::Output),
        port("m_axis_udp_tready", 1, Direction::Input),
        port("the_begin", 1, Direction::Input),
        port("lanes_0", 1, Direction::Output),
        port("lanes_1", 1, Direction::Output),
        port("reset", 1, Direction::Input),
    ];
    let design = emitted(Ports::default());
    assert_eq!(design.ports, ports);
    assert_eq!(design.top, "top");
    assert!(!design.verilog().contains('$'));
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Step {
    Wait,
    Work,
    Rest,
}

#[derive(LogicBlock, Default)]
struct Machine {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    start: Signal<In, Bit>,
    count: Signal<Out, Bits<4>>,
    step: DFF<Step>,
    ticks: DFF<Bits<4>>,
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, ticks);
        self.count.next = self.ticks.q.val();
        match self.step.q.val() {
            Step::Wait => {
                if self.start.val() {
                    self.step.d.next = Step::Work;
                }
            }
            Step::Work => {
                self.ticks.d.next = self.ticks.q.val() + 1;
                self.step.d.next = Step::Rest;
            }
            Step::Rest => self.step.d.next = Step::Wait,
        }
        if self.reset.val() {
            self.step.d.next = Step::Wait;
            self.ticks.d.next = 0.into();
        }
    }
}

#[test]
fn a_state_machine_reads_as_if_written_by_hand() {
    let wanted = "\
module top (
    input  wire       clock,
    input  wire       reset,
    input  wire       start,
    output wire [3:0] count
);
    localparam [1:0] step_wait = 2'd0;
    localparam [1:0] step_work = 2'd1;
    localparam [1:0] step_rest = 2'd2;

    reg  [1:0] step;
    reg  [3:0] ticks;

    assign count = ticks;

    always @(posedge clock) begin
        case (step)
            step_wait: begin
                if (start) begin
                    step <= step_work;
                end
            end
            step_work: begin
                ticks <= ticks + 4'd1;
                step <= step_rest;
            end
            default: begin // step_rest
                step <= step_wait;
            end
        endcase
        if (reset) begin
            step <= step_wait;
            ticks <= 4'd0;
        end
    end

    // Values at power-up.
    initial begin
        step = 2'd0;
        ticks = 4'd0;
    end
endmodule
";
    assert_eq!(emitted(Machine::default()).modules[0].text, wanted);
}

#[derive(LogicBlock, Default)]
struct Widths {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    c: Signal<In, Bit>,
    kept_carry: Signal<Out, Bits<9>>,
    lost_carry: Signal<Out, Bits<9>>,
    pair: Signal<Out, Bits<16>>,
    wraps: Signal<Out, Bit>,
    with_bit: Signal<Out, Bits<8>>,
    past: Signal<Out, Bits<4>>,
    chosen: Signal<Out, Bits<8>>,
}

impl Logic for Widths {
    #[hdl_gen]
    fn update(&mut self) {
        self.kept_carry.next = bit_cast::<9, 8>(self.a.val()) + bit_cast::<9, 8>(self.b.val());
        self.lost_carry.next = bit_cast::<9, 8>(self.a.val() + self.b.val());
        self.pair.next = bit_cast::<16, 8>(self.a.val()) << 8 | bit_cast::<16, 8>(self.b.val());
        self.wraps.next = self.a.val() + 1 == self.b.val();
        self.with_bit.next = self.a.val() + !self.c.val();
        self.past.next = self.a.val().get_bits::<4>(6);
        self.chosen.next = self.a.val();
        if self.c.val() {
            self.chosen.next = !self.b.val();
        }
    }
}

#[test]
fn every_operand_has_the_width_of_its_type() {
    let text = &emitted(Widths::default()).modules[0].text;
    for line in [
        "assign kept_carry = {1'b0, a} + {1'b0, b};",
        "assign lost_carry = {1'b0, a + b};",
        "assign pair = {a, b};",
        "assign wraps = a + 8'd1 == b;",
        "assign with_bit = a + {7'd0, !c};",
        "assign past = {2'd0, a[7:6]};",
        "assign chosen = c ? ~b : a;",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

#[test]
fn a_memory_keeps_the_text_of_its_author_with_ports_around_it() {
    let text = emitted(Memory::<32, 9>::default()).modules[0].text.clone();
    assert!(text.contains(
        "    output reg  [31:0] read_data\n);\n    (* no_rw_check *)\n    reg [31:0] words [0:511];"
    ));
    assert!(!text.contains("module:"), "the marker is not part of the text: {text}");
}

const GATE2: Primitive = Primitive {
    name: "GATE2",
    parameters: &[],
    ports: &[("i", Direction::Input, 2), ("o", Direction::Output, 1)],
};
const INVERTER: Primitive = Primitive {
    name: "INV",
    parameters: &[("DELAY", "0")],
    ports: &[("I", Direction::Input, 1), ("O", Direction::Output, 1)],
};

/// A reducing gate from a vendor's library.
#[derive(LogicBlock, Default)]
struct Gate {
    i: Signal<In, Bits<2>>,
    o: Signal<Out, Bit>,
}

impl Logic for Gate {
    fn update(&mut self) {
        self.o.next = self.i.val().any();
    }

    fn connect(&mut self) {
        self.o.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Blackbox(BlackBox { code: GATE2.declaration(), name: "GATE2".into() })
    }
}

/// The same with an inverter of the library behind it.
#[derive(LogicBlock, Default)]
struct InvertedGate {
    i: Signal<In, Bits<2>>,
    o: Signal<Out, Bit>,
}

impl Logic for InvertedGate {
    fn update(&mut self) {
        self.o.next = !self.i.val().any();
    }

    fn connect(&mut self) {
        self.o.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Wrapper(Wrapper {
            code: "\
// module: inverted_gate - a gate and an inverter of the part
wire any;

GATE2 gate (.i(i), .o(any));
INV #(.DELAY(3)) inverter (.I(any), .O(o));
"
            .into(),
            cores: GATE2.declaration() + &INVERTER.declaration(),
        })
    }
}

#[derive(LogicBlock, Default)]
struct Gates {
    a: Signal<In, Bits<2>>,
    y: Signal<Out, Bit>,
    gates: [Gate; 2],
    inverted: [InvertedGate; 2],
}

impl Logic for Gates {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.gates[i].i.next = self.a.val();
            self.inverted[i].i.next = self.a.val();
        }
        self.y.next = self.gates[0].o.val()
            & self.gates[1].o.val()
            & self.inverted[0].o.val()
            & self.inverted[1].o.val();
    }
}

#[test]
fn a_primitive_is_declared_once_apart_from_the_modules_and_keeps_its_names() {
    let design = emitted(Gates::default());
    let names = |modules: &[Module]| modules.iter().map(|m| m.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&design.primitives), ["GATE2", "INV"]);
    assert_eq!(names(&design.modules), ["inverted_gate", "top"]);
    assert_eq!(design.primitives[1].text, INVERTER.declaration());
    assert_eq!(design.verilog().matches("module GATE2 (").count(), 1);
    let top = &design.modules[1].text;
    assert_eq!(top.matches("    GATE2 gates_").count(), 2);
    assert!(top.contains(".i(a)"), "{top}");
}

/// Linters take the declarations, synthesis has its own; a file that is read in both ways passes both.
#[test]
fn primitives_are_accepted_by_linters_and_by_synthesis() {
    let design = emitted(Gates::default());
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("design.v");
    std::fs::write(&file, design.verilog()).unwrap();
    let file = file.to_str().unwrap();
    let script =
        format!("read_verilog {file}; synth -top top; check -assert; select -assert-count 3 t:GATE2");
    // One file holds all modules here, which `generate` never writes.
    let lint = ["--lint-only", "-Wall", "-Wno-DECLFILENAME", "--top-module", "top", file];
    for (tool, arguments) in [
        ("verilator", &lint[..]),
        ("iverilog", &["-g2005", "-Wall", "-t", "null", "-s", "top", file]),
        ("yosys", &["-q", "-p", &script]),
    ] {
        let output = std::process::Command::new(tool).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{tool}: {said}");
    }
}

#[test]
fn designs_larger_than_the_stack_of_a_thread_are_printed() {
    let design = with_large_stack(|| {
        let slices: [Slice<512, 64>; 64] = array_init::array_init(|_| Default::default());
        let sizes = slices.map(|slice| emitted(slice).modules[0].text.len());
        sizes.iter().sum::<usize>()
    });
    assert!(design > 64 * 1000);
}
