//! The two harnesses that `make bench` compares do the same work.
use nicforge_sim::link::finish;
use nicforge_sim::model::{BuildOptions, PortInfo, VerilogSource, build};
use nicforge_testbench::harness::{Workload, cpp, ours};

/// Sends what it receives while its one register is not zero.
const CARD: &str = "
module card(input clk, input rst, input [63:0] xgmii_rxd, input [7:0] xgmii_rxc,
    output reg [63:0] xgmii_txd, output reg [7:0] xgmii_txc,
    input [11:0] s_axil_awaddr, input s_axil_awvalid, output s_axil_awready,
    input [31:0] s_axil_wdata, input [3:0] s_axil_wstrb, input s_axil_wvalid, output s_axil_wready,
    output [1:0] s_axil_bresp, output reg s_axil_bvalid, input s_axil_bready,
    input [11:0] s_axil_araddr, input s_axil_arvalid, output s_axil_arready,
    output [31:0] s_axil_rdata, output [1:0] s_axil_rresp, output s_axil_rvalid, input s_axil_rready);
  reg enabled;
  assign s_axil_awready = s_axil_awvalid & s_axil_wvalid & !s_axil_bvalid;
  assign s_axil_wready = s_axil_awready;
  assign s_axil_bresp = 0;
  assign {s_axil_arready, s_axil_rdata, s_axil_rresp, s_axil_rvalid} = 0;
  always @(posedge clk) begin
    xgmii_txd <= enabled ? xgmii_rxd : 64'h0707070707070707;
    xgmii_txc <= enabled ? xgmii_rxc : 8'hff;
    if (s_axil_awready) enabled <= s_axil_wdata != 0;
    s_axil_bvalid <= s_axil_awready | (s_axil_bvalid & !s_axil_bready);
    if (rst) begin enabled <= 0; s_axil_bvalid <= 0; end
  end
endmodule
";

fn card() -> VerilogSource {
    let inputs = [
        ("clk", 1),
        ("rst", 1),
        ("xgmii_rxd", 64),
        ("xgmii_rxc", 8),
        ("s_axil_awaddr", 12),
        ("s_axil_awvalid", 1),
        ("s_axil_wdata", 32),
        ("s_axil_wstrb", 4),
        ("s_axil_wvalid", 1),
        ("s_axil_bready", 1),
        ("s_axil_araddr", 12),
        ("s_axil_arvalid", 1),
        ("s_axil_rready", 1),
    ];
    let outputs = [
        ("xgmii_txd", 64),
        ("xgmii_txc", 8),
        ("s_axil_awready", 1),
        ("s_axil_wready", 1),
        ("s_axil_bresp", 2),
        ("s_axil_bvalid", 1),
        ("s_axil_arready", 1),
        ("s_axil_rdata", 32),
        ("s_axil_rresp", 2),
        ("s_axil_rvalid", 1),
    ];
    let inputs = inputs.map(|(name, width)| PortInfo::input(name, width));
    let outputs = outputs.map(|(name, width)| PortInfo::output(name, width));
    VerilogSource { text: CARD.into(), top: "card".into(), ports: [&inputs[..], &outputs].concat() }
}

#[test]
fn both_harnesses_see_the_same_frames() {
    let library = build(&card(), &BuildOptions::default()).unwrap();
    let frames = vec![finish(&[1; 60]), finish(&[2; 131])];
    for (value, wanted) in [(1, true), (0, false)] {
        let workload = Workload { registers: vec![(8, value)], frames: frames.clone(), cycles: 20_000 };
        let (mine, plain) = (ours(library.instance().unwrap(), &workload), cpp(&card(), &workload));
        let (mine, plain) = (mine.unwrap(), plain.unwrap());
        assert_eq!(mine.frames, plain.frames);
        assert_eq!(mine.frames > 1_000, wanted, "{} frames", mine.frames);
        assert!(mine.seconds > 0.0 && plain.seconds > 0.0);
    }
}
