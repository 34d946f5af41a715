//! The actors on small designs whose behaviour is known, right and wrong ones.
use nicforge_sim::link::xgmii::Pacing;
use nicforge_sim::link::{
    AxiLite, AxisSink, AxisSource, EventLog, Packet, PcapSink, PcapSource, Stalls, XgmiiSink, XgmiiSource,
    finish,
};
use nicforge_sim::model::{BuildOptions, PortInfo, VerilogSource, build};
use nicforge_sim::pcap::{Reader, Writer};
use nicforge_sim::{Board, Error};
use std::path::Path;
use std::time::Duration;

fn board(text: &str, top: &str, ports: Vec<PortInfo>) -> Board {
    let source = VerilogSource { text: text.into(), top: top.into(), ports };
    Board::new(build(&source, &BuildOptions::default()).unwrap().instance().unwrap()).unwrap()
}

fn inputs(prefix: &str, ports: &[(&str, usize)]) -> Vec<PortInfo> {
    ports.iter().map(|(name, width)| PortInfo::input(format!("{prefix}{name}"), *width)).collect()
}

fn outputs(prefix: &str, ports: &[(&str, usize)]) -> Vec<PortInfo> {
    ports.iter().map(|(name, width)| PortInfo::output(format!("{prefix}{name}"), *width)).collect()
}

/// A register between two streams, with an event for each word that leaves.
const SLICE: &str = "
module slice(input clk, input rst,
    input [63:0] s_tdata, input [7:0] s_tkeep, input s_tlast, input s_tuser, input s_tvalid, output s_tready,
    output reg [63:0] m_tdata, output reg [7:0] m_tkeep, output reg m_tlast, output reg m_tuser,
    output reg m_tvalid, input m_tready, output moved_valid, output [5:0] moved_code);
  assign s_tready = !m_tvalid | m_tready;
  assign moved_valid = m_tvalid & m_tready;
  assign moved_code = m_tlast ? 6'd9 : 6'd5;
  always @(posedge clk) begin
    if (s_tready) begin
      {m_tdata, m_tkeep, m_tlast, m_tuser} <= {s_tdata, s_tkeep, s_tlast, s_tuser};
      m_tvalid <= s_tvalid;
    end
    if (rst) m_tvalid <= 1'b0;
  end
endmodule
";

const STREAM: [(&str, usize); 5] = [("tdata", 64), ("tkeep", 8), ("tlast", 1), ("tuser", 1), ("tvalid", 1)];

fn slice_board(text: &str) -> Board {
    let ports = [
        inputs("", &[("clk", 1), ("rst", 1), ("m_tready", 1)]),
        inputs("s_", &STREAM),
        outputs("m_", &STREAM),
        outputs("", &[("s_tready", 1), ("moved_valid", 1), ("moved_code", 6)]),
    ];
    board(text, "slice", ports.concat())
}

fn packets(seed: u64) -> Vec<Packet> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut packet =
        |_| Packet { octets: (0..rng.usize(1..40)).map(|_| rng.u8(..)).collect(), error: rng.u8(..) < 32 };
    (0..50).map(&mut packet).collect()
}

/// Sends packets through a design and returns those that came, with the sink's violations.
fn through(text: &str, sent: &[Packet], stalls: [Stalls; 2]) -> (Vec<Packet>, Vec<String>, Vec<u64>) {
    let mut board = slice_board(text);
    let [of_source, of_sink] = stalls;
    let source = AxisSource::attach(&mut board, "s", of_source).unwrap();
    let sink = AxisSink::attach(&mut board, "m", of_sink).unwrap();
    let events = EventLog::attach(&mut board, "moved").unwrap();
    let mut actors = (source, sink, events);
    sent.iter().for_each(|packet| actors.0.push(packet.clone()));
    board.run_until("the packets", 20_000, &mut actors, |(source, ..)| source.queued() == 0).unwrap();
    board.run(200, &mut actors);
    (actors.1.packets(), actors.1.violations().to_vec(), actors.2.codes())
}

#[test]
fn packets_pass_a_register_unchanged_with_and_without_stalls() {
    for seed in 0..8 {
        let stalls = match seed {
            0 => [Stalls::none(), Stalls::none()],
            _ => [Stalls::seeded(seed), Stalls::seeded(seed + 100)],
        };
        let sent = packets(seed);
        let (received, violations, codes) = through(SLICE, &sent, stalls);
        assert_eq!(received, sent, "seed {seed}");
        assert_eq!(violations, [""; 0], "seed {seed}");
        let words: usize = sent.iter().map(|packet| packet.octets.len().div_ceil(8)).sum();
        assert_eq!((codes.len(), codes.iter().filter(|code| **code == 9).count()), (words, sent.len()));
    }
}

#[test]
fn a_producer_that_breaks_its_promise_is_seen() {
    let faults = [
        (
            "m_tvalid <= s_tvalid;\n    end",
            "m_tvalid <= s_tvalid;\n    end else m_tvalid <= 0;",
            "valid fell",
        ),
        ("if (rst)", "if (m_tvalid & !m_tready) m_tdata <= m_tdata + 1;\n    if (rst)", "became"),
        ("<= {s_tdata, s_tkeep", "<= {s_tdata, s_tkeep & 8'h7f", "keep is 0x7f with last false"),
        ("<= {s_tdata, s_tkeep", "<= {s_tdata, s_tkeep & 8'hfd", "keep is 0xfd"),
    ];
    for (good, bad, wanted) in faults {
        let (_, violations, _) =
            through(&SLICE.replace(good, bad), &packets(3), [Stalls::none(), Stalls::seeded(4)]);
        assert!(violations.iter().any(|text| text.contains(wanted)), "{wanted}: {violations:?}");
    }
}

#[test]
fn a_stream_too_wide_for_the_actors_is_refused() {
    let text = "module wide(input clk, input [127:0] s_data, input s_valid); endmodule";
    let ports = inputs("", &[("clk", 1), ("s_data", 128), ("s_valid", 1)]);
    let mut board = board(text, "wide", ports);
    let refusal = AxisSource::attach(&mut board, "s", Stalls::none()).unwrap_err();
    assert!(matches!(refusal, Error::PortWidth { found: 128, .. }), "{refusal}");
}

/// A register file of four words; each channel waits for a while that a shift register decides.
const REGISTERS: &str = "
module registers(input clk, input rst,
    input [11:0] a_awaddr, input a_awvalid, output a_awready, input [31:0] a_wdata, input [3:0] a_wstrb,
    input a_wvalid, output a_wready, output reg [1:0] a_bresp, output reg a_bvalid, input a_bready,
    input [11:0] a_araddr, input a_arvalid, output a_arready, output reg [31:0] a_rdata,
    output reg [1:0] a_rresp, output reg a_rvalid, input a_rready);
  reg [31:0] file [0:3];
  reg [15:0] noise = 16'hace1;
  reg [11:0] address; reg [31:0] data; reg [3:0] strobes; reg has_address, has_data;
  assign a_awready = !has_address & noise[0];
  assign a_wready = !has_data & noise[3];
  assign a_arready = !a_rvalid & noise[5];
  integer i;
  always @(posedge clk) begin
    noise <= {noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]};
    if (a_awvalid & a_awready) begin address <= a_awaddr; has_address <= 1; end
    if (a_wvalid & a_wready) begin data <= a_wdata; strobes <= a_wstrb; has_data <= 1; end
    if (has_address & has_data & !a_bvalid) begin
      for (i = 0; i < 4; i = i + 1) if (strobes[i]) file[address[3:2]][8*i +: 8] <= data[8*i +: 8];
      a_bresp <= address < 16 ? 2'd0 : 2'd2;
      a_bvalid <= 1; has_address <= 0; has_data <= 0;
    end
    if (a_bvalid & a_bready) a_bvalid <= 0;
    if (a_arvalid & a_arready) begin
      a_rdata <= file[a_araddr[3:2]]; a_rresp <= a_araddr < 16 ? 2'd0 : 2'd3; a_rvalid <= 1;
    end
    if (a_rvalid & a_rready) a_rvalid <= 0;
    if (rst) begin a_bvalid <= 0; a_rvalid <= 0; has_address <= 0; has_data <= 0; end
  end
endmodule
";

fn registers(text: &str) -> Board {
    let to = [
        ("awaddr", 12),
        ("awvalid", 1),
        ("wdata", 32),
        ("wstrb", 4),
        ("wvalid", 1),
        ("bready", 1),
        ("araddr", 12),
        ("arvalid", 1),
        ("rready", 1),
    ];
    let from = [
        ("awready", 1),
        ("wready", 1),
        ("bresp", 2),
        ("bvalid", 1),
        ("arready", 1),
        ("rdata", 32),
        ("rresp", 2),
        ("rvalid", 1),
    ];
    let ports = [inputs("", &[("clk", 1), ("rst", 1)]), inputs("a_", &to), outputs("a_", &from)];
    board(text, "registers", ports.concat())
}

#[test]
fn registers_read_back_what_was_written_however_the_channels_wait() {
    for seed in 0..8 {
        let mut board = registers(REGISTERS);
        let stalls = if seed == 0 { Stalls::none() } else { Stalls::seeded(seed) };
        let mut bus = AxiLite::attach(&mut board, "a", stalls).unwrap();
        for round in 0..20_u32 {
            let address = round % 4 * 4;
            bus.write(&mut board, &mut (), address, 0x1234_5678 + round).unwrap();
            assert_eq!(bus.read(&mut board, &mut (), address).unwrap(), 0x1234_5678 + round, "seed {seed}");
        }
        bus.write_octets(&mut board, &mut (), 4, 0xaabb_ccdd, 0b0101).unwrap();
        let (kept, last) = (0x1234_5678 + 17, bus.read(&mut board, &mut (), 4).unwrap());
        assert_eq!(last, kept & 0xff00_ff00 | 0x00bb_00dd, "seed {seed}");
        assert_eq!(bus.violations(), 0);
    }
}

#[test]
fn refused_accesses_name_the_address_and_the_answer() {
    let mut board = registers(REGISTERS);
    let mut bus = AxiLite::attach(&mut board, "a", Stalls::none()).unwrap();
    let refusal = bus.write(&mut board, &mut (), 0x20, 1).unwrap_err();
    assert!(matches!(refusal, Error::Refused { address: 0x20, response: 2 }), "{refusal}");
    let refusal = bus.read(&mut board, &mut (), 0x24).unwrap_err();
    assert!(matches!(refusal, Error::Refused { address: 0x24, response: 3 }), "{refusal}");
    bus.read(&mut board, &mut (), 0x0c).unwrap();
}

#[test]
fn a_board_that_never_answers_is_given_up() {
    let mut board =
        registers(&REGISTERS.replace("assign a_arready = !a_rvalid & noise[5]", "assign a_arready = 0"));
    let mut bus = AxiLite::attach(&mut board, "a", Stalls::none()).unwrap();
    let text = bus.read(&mut board, &mut (), 8).unwrap_err().to_string();
    assert!(text.contains("0x0008") && text.contains("10000 cycles"), "{text}");
}

/// The line comes back two cycles later.
const LOOP: &str = "
module back(input clk, input [63:0] xgmii_rxd, input [7:0] xgmii_rxc, output reg [63:0] xgmii_txd,
    output reg [7:0] xgmii_txc);
  reg [71:0] held = {64'h0707070707070707, 8'hff};
  always @(posedge clk) begin
    held <= {xgmii_rxd, xgmii_rxc};
    {xgmii_txd, xgmii_txc} <= held;
  end
  initial {xgmii_txd, xgmii_txc} = {64'h0707070707070707, 8'hff};
endmodule
";

fn line_board() -> Board {
    let ports = [
        inputs("", &[("clk", 1), ("xgmii_rxd", 64), ("xgmii_rxc", 8)]),
        outputs("", &[("xgmii_txd", 64), ("xgmii_txc", 8)]),
    ];
    board(LOOP, "back", ports.concat())
}

fn line_ends(board: &mut Board) -> (XgmiiSource, XgmiiSink) {
    let pacing = Pacing { deficit_idle: true, ..Pacing::default() };
    let source = XgmiiSource::attach(board, "xgmii", pacing, Stalls::none()).unwrap();
    (source, XgmiiSink::attach(board, "xgmii").unwrap())
}

#[test]
fn frames_come_back_over_a_line_with_the_cycle_of_their_start() {
    let mut board = line_board();
    let mut ends = line_ends(&mut board);
    let frames: Vec<_> = (0..20_usize).map(|index| finish(&vec![index as u8; 40 + 7 * index])).collect();
    frames.iter().for_each(|frame| ends.0.line.push_frame(frame.clone()));
    board.run_until("the frames", 1_000, &mut ends, |(_, sink)| sink.line.waiting() == 20).unwrap();
    let first = ends.1.line.pop().unwrap();
    assert_eq!((first.cycle, first.lane, first.gap, &first.octets), (2, 0, None, &frames[0]));
    for frame in &frames[1..] {
        let received = ends.1.line.pop().unwrap();
        assert!(received.is_good() && received.octets == *frame);
    }
    assert_eq!(ends.1.line.violations(), []);
}

#[test]
fn a_capture_goes_over_the_line_and_comes_back_with_the_time_of_the_cycles() {
    let mut board = line_board();
    let (source, sink) = line_ends(&mut board);
    let frames: Vec<_> = (0..50_usize).map(|index| finish(&vec![index as u8; 60 + 31 * index])).collect();
    let mut file = Writer::new(Vec::new(), Path::new("in")).unwrap();
    frames.iter().for_each(|frame| file.write(Duration::ZERO, frame).unwrap());
    let file = file.finish().unwrap();
    let reader = Reader::new(&file[..], Path::new("in")).unwrap();
    let writer = Writer::new(Vec::new(), Path::new("out")).unwrap();
    let mut ends = (PcapSource::new(source, reader), PcapSink::new(sink, writer));
    board.run_until("the capture", 20_000, &mut ends, |(source, _)| source.is_done()).unwrap();
    board.run(4, &mut ends);
    assert_eq!(ends.0.finish().unwrap(), 50);
    let (written, file) = ends.1.finish().unwrap();
    let records: Vec<_> = Reader::new(&file[..], Path::new("out")).unwrap().map(Result::unwrap).collect();
    assert_eq!(written, 50);
    assert_eq!(
        records.iter().map(|record| &record.octets).collect::<Vec<_>>(),
        frames.iter().collect::<Vec<_>>()
    );
    // The first start code came in cycle 2: 12.8 ns.
    assert_eq!(records[0].time, Duration::from_nanos(12));
}

#[test]
fn a_damaged_capture_ends_the_sending_with_its_place() {
    let mut board = line_board();
    let (source, _) = line_ends(&mut board);
    let mut file = Writer::new(Vec::new(), Path::new("in")).unwrap();
    (0..2).for_each(|_| file.write(Duration::ZERO, &finish(&[1; 60])).unwrap());
    let file = file.finish().unwrap();
    let reader = Reader::new(&file[..file.len() - 1], Path::new("in")).unwrap();
    let mut source = PcapSource::new(source, reader);
    board.run_until("the end", 1_000, &mut source, PcapSource::is_done).unwrap();
    let text = source.finish().unwrap_err().to_string();
    assert_eq!(text, "in, octet 104: a frame is cut: wanted 64 octets, found 63");
}

#[test]
fn a_wait_that_ends_badly_says_what_was_awaited() {
    let mut board = line_board();
    let mut ends = line_ends(&mut board);
    let failure = board.run_until("the first frame", 50, &mut ends, |(_, sink)| sink.line.waiting() > 0);
    assert_eq!(failure.unwrap_err().to_string(), "the first frame did not finish within 50 cycles");
    assert_eq!(board.cycle(), 50);
}

#[test]
fn boards_on_threads_and_interleaved_give_the_same_cycles() {
    let run = |boards: usize| {
        let mut all: Vec<_> = (0..boards).map(|_| line_board()).collect();
        let mut ends: Vec<_> = all.iter_mut().map(line_ends).collect();
        ends.iter_mut().for_each(|(source, _)| source.line.push_frame(finish(&[9; 100])));
        for _ in 0..60 {
            for (board, (source, sink)) in all.iter_mut().zip(&mut ends) {
                board.step(&mut [source, sink]);
            }
        }
        ends.iter_mut().map(|(_, sink)| sink.line.pop().unwrap()).collect::<Vec<_>>()
    };
    let alone = run(1);
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(move || run(2))).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), [alone[0].clone(), alone[0].clone()]);
    }
}
