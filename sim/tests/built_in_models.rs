//! A model that the build script linked into the program.
#![cfg(feature = "ibob")]
use nicforge_sim::Board;
use nicforge_sim::link::{AxisSink, AxisSource, Packet, Stalls};
use nicforge_sim::model::slice::{self, PORTS};

#[test]
fn typed_ports_are_the_ports_found_by_name() {
    let model = slice::model().unwrap();
    assert_eq!(model.input("sink_data").unwrap(), PORTS.sink_data);
    assert_eq!(model.input("reset").unwrap(), PORTS.reset);
    assert_eq!(model.output("source_valid").unwrap(), PORTS.source_valid);
    assert_eq!((model.input_width(PORTS.sink_data), model.output_width(PORTS.source_keep)), (64, 8));
}

/// Sends packets through a slice of its own, and traces if asked.
fn packets_through(seed: u64, trace: Option<&std::path::Path>) {
    let mut board = Board::new(slice::model().unwrap()).unwrap();
    trace.iter().for_each(|path| board.trace(path).unwrap());
    let source = AxisSource::attach(&mut board, "sink", Stalls::seeded(seed)).unwrap();
    let sink = AxisSink::attach(&mut board, "source", Stalls::seeded(seed + 1)).unwrap();
    let mut ends = (source, sink);
    let packets: Vec<_> = (1..20_u8).map(|length| Packet::good(vec![length; length.into()])).collect();
    packets.iter().for_each(|packet| ends.0.push(packet.clone()));
    board.run_until("19 packets", 5_000, &mut ends, |(_, sink)| sink.waiting() == 19).unwrap();
    assert_eq!(ends.1.packets(), packets, "seed {seed}");
}

#[test]
fn instances_on_threads_work_side_by_side() {
    std::thread::scope(|scope| {
        for seed in 0..8 {
            scope.spawn(move || (0..20).for_each(|round| packets_through(100 * seed + round, None)));
        }
    });
}

#[test]
fn threads_trace_to_files_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let path = |index| directory.path().join(format!("{index}.vcd"));
    std::thread::scope(|scope| {
        for index in 0..4 {
            scope.spawn(move || packets_through(7, Some(&path(index))));
        }
    });
    // The header holds the wall time.
    let body = |index| {
        let text = std::fs::read_to_string(path(index)).unwrap();
        text.split_once("$enddefinitions").unwrap().1.to_owned()
    };
    assert!(body(0).len() > 1_000 && (1..4).all(|index| body(index) == body(0)));
}
