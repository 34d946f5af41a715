//! What the Verilog back end prints becomes a board without a word in between.
use nicforge_hdl::stream::Slice;
use nicforge_hdl::verilog::{Options, emit_block};
use nicforge_sim::Board;
use nicforge_sim::link::{AxisSink, AxisSource, Packet, Stalls};
use nicforge_sim::model::{BuildOptions, VerilogSource, build};

#[test]
fn a_printed_block_passes_packets_between_the_actors() {
    let options = Options { top: "slice", header: "" };
    let emitted = emit_block(&mut Slice::<64, 8>::default(), &options).unwrap();
    let library = build(&VerilogSource::from(&emitted), &BuildOptions::default()).unwrap();
    for seed in 0..4 {
        let mut board = Board::new(library.instance().unwrap()).unwrap();
        let source = AxisSource::attach(&mut board, "sink", Stalls::seeded(seed)).unwrap();
        let sink = AxisSink::attach(&mut board, "source", Stalls::seeded(seed + 50)).unwrap();
        let mut ends = (source, sink);
        let packets: Vec<_> = (1..30_u8).map(|length| Packet::good(vec![length; length.into()])).collect();
        packets.iter().for_each(|packet| ends.0.push(packet.clone()));
        board.run_until("29 packets", 5_000, &mut ends, |(_, sink)| sink.waiting() == 29).unwrap();
        assert_eq!(ends.1.packets(), packets, "seed {seed}");
        assert_eq!(ends.1.violations(), [""; 0], "seed {seed}");
    }
}
