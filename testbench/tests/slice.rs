//! The register slice: nothing lost, doubled or reordered, whatever the two ends do.
use fastrand::Rng;
use nicforge_hdl::stream::Slice;
use nicforge_sim::link::{AxisSink, AxisSource, Packet, Stalls};
use nicforge_testbench::bench::Design;

fn packets(seed: u64) -> Vec<Packet> {
    let mut rng = Rng::with_seed(seed);
    let octets = |rng: &mut Rng| (0..rng.usize(1..60)).map(|_| rng.u8(..)).collect();
    (0..200).map(|_| Packet { octets: octets(&mut rng), error: rng.bool() }).collect()
}

#[test]
fn packets_pass_unchanged_whatever_the_stalls() {
    let design = Design::new("slice", Slice::<64, 8>::default()).unwrap();
    for seed in 0..16 {
        let mut board = design.board().unwrap();
        let mut source = AxisSource::attach(&mut board, "sink", Stalls::seeded(2 * seed)).unwrap();
        let mut sink = AxisSink::attach(&mut board, "source", Stalls::seeded(2 * seed + 1)).unwrap();
        let sent = packets(seed);
        sent.iter().for_each(|packet| source.push(packet.clone()));
        let actors = &mut (&mut source, &mut sink);
        let done = |(_, sink): &(&mut AxisSource, &mut AxisSink)| sink.waiting() == sent.len();
        board
            .run_until("all packets", 50_000, actors, done)
            .unwrap_or_else(|late| panic!("seed {seed}: {late}"));
        assert_eq!(sink.violations(), [""; 0], "seed {seed}");
        assert!(sink.packets() == sent, "seed {seed}: packets changed");
    }
}

#[test]
fn it_takes_a_word_a_clock_one_clock_late() {
    let mut board = Design::new("slice", Slice::<64, 8>::default()).unwrap().board().unwrap();
    let mut source = AxisSource::attach(&mut board, "sink", Stalls::none()).unwrap();
    let mut sink = AxisSink::attach(&mut board, "source", Stalls::none()).unwrap();
    (0..100).for_each(|i| source.push(Packet::good([i; 8])));
    board.run(110, &mut (&mut source, &mut sink));
    let cycles: Vec<_> = std::iter::from_fn(|| sink.pop_with_cycle()).map(|(_, cycle)| cycle).collect();
    assert_eq!(cycles, (1..=100).collect::<Vec<_>>());
}

#[test]
fn it_holds_two_words_while_its_output_stands_still_and_forgets_them_on_reset() {
    let mut board = Design::new("slice", Slice::<64, 8>::default()).unwrap().board().unwrap();
    let mut source = AxisSource::attach(&mut board, "sink", Stalls::none()).unwrap();
    (0..9).for_each(|i| source.push(Packet::good([i; 8])));
    board.run(20, &mut source);
    assert_eq!(source.queued(), 9 - 2);

    board.reset();
    let mut source = AxisSource::attach(&mut board, "sink", Stalls::none()).unwrap();
    source.push(Packet::good([0xaa; 8]));
    let mut sink = AxisSink::attach(&mut board, "source", Stalls::none()).unwrap();
    board.run(20, &mut (&mut source, &mut sink));
    assert_eq!(sink.packets(), [Packet::good([0xaa; 8])]);
}
