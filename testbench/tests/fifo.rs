//! The FIFO on one clock.
use fastrand::Rng;
use nicforge_hdl::stream::Fifo;
use nicforge_sim::Board;
use nicforge_sim::link::{AxisSink, AxisSource, Packet, Stalls};
use nicforge_testbench::bench::Design;
use std::sync::LazyLock;

/// Sixteen words: small, so that it is full and empty often.
static SMALL: LazyLock<Design> =
    LazyLock::new(|| Design::new("fifo_16", Fifo::<64, 8, 4, 5>::default()).unwrap());
static LARGE: LazyLock<Design> =
    LazyLock::new(|| Design::new("fifo_512", Fifo::<64, 8, 9, 10>::default()).unwrap());

fn packets(seed: u64) -> Vec<Packet> {
    let mut rng = Rng::with_seed(seed);
    let octets = |rng: &mut Rng| (0..rng.usize(1..300)).map(|_| rng.u8(..)).collect();
    (0..200).map(|_| Packet { octets: octets(&mut rng), error: rng.bool() }).collect()
}

fn level(board: &mut Board) -> u64 {
    let port = board.pins().model().output("level").unwrap();
    board.pins().get(port)
}

#[test]
fn packets_pass_unchanged_whatever_the_stalls() {
    for (name, design) in [("small", &*SMALL), ("large", &*LARGE)] {
        for seed in 0..12 {
            let mut board = design.board().unwrap();
            let mut source = AxisSource::attach(&mut board, "sink", Stalls::seeded(2 * seed)).unwrap();
            let mut sink = AxisSink::attach(&mut board, "source", Stalls::seeded(2 * seed + 1)).unwrap();
            let sent = packets(seed);
            sent.iter().for_each(|packet| source.push(packet.clone()));
            let actors = &mut (&mut source, &mut sink);
            let done = |(_, sink): &(&mut AxisSource, &mut AxisSink)| sink.waiting() == sent.len();
            let outcome = board.run_until("all packets", 100_000, actors, done);
            outcome.unwrap_or_else(|late| panic!("{name}, seed {seed}: {late}"));
            assert_eq!(sink.violations(), [""; 0], "{name}, seed {seed}");
            assert!(sink.packets() == sent, "{name}, seed {seed}: packets changed");
            assert_eq!(level(&mut board), 0, "{name}, seed {seed}");
        }
    }
}

#[test]
fn words_that_stop_coming_do_not_stay_inside() {
    for words in 1..=40 {
        let mut board = SMALL.board().unwrap();
        let mut source = AxisSource::attach(&mut board, "sink", Stalls::none()).unwrap();
        let mut sink = AxisSink::attach(&mut board, "source", Stalls::none()).unwrap();
        (0..words).for_each(|i| source.push(Packet::good([i; 8])));
        board.run(u64::from(words) + 3, &mut (&mut source, &mut sink));
        assert_eq!(sink.waiting(), usize::from(words), "{words} words");
    }
}

#[test]
fn it_takes_a_word_a_clock_three_clocks_late() {
    let mut board = LARGE.board().unwrap();
    let mut source = AxisSource::attach(&mut board, "sink", Stalls::none()).unwrap();
    let mut sink = AxisSink::attach(&mut board, "source", Stalls::none()).unwrap();
    (0..2000_u32).for_each(|i| source.push(Packet::good(i.to_le_bytes())));
    board.run(2010, &mut (&mut source, &mut sink));
    let cycles: Vec<_> = std::iter::from_fn(|| sink.pop_with_cycle()).map(|(_, cycle)| cycle).collect();
    assert_eq!(cycles, (3..2003).collect::<Vec<_>>());
}

#[test]
fn it_fills_to_the_last_word_empties_and_fills_again() {
    let mut board = SMALL.board().unwrap();
    for round in 0..5_u8 {
        let mut source = AxisSource::attach(&mut board, "sink", Stalls::none()).unwrap();
        (0..30).for_each(|i| source.push(Packet::good([round, i])));
        board.run(40, &mut source);
        // Sixteen in the memory, and two at the output.
        assert_eq!((source.queued(), level(&mut board)), (30 - 18, 16), "round {round}");
        let mut sink = AxisSink::attach(&mut board, "source", Stalls::none()).unwrap();
        board.run(40, &mut (&mut source, &mut sink));
        let wanted: Vec<_> = (0..30).map(|i| Packet::good([round, i])).collect();
        assert_eq!(sink.packets(), wanted, "round {round}");
        assert_eq!(level(&mut board), 0, "round {round}");
        let ready = board.pins().model().input("source_ready").unwrap();
        board.pins().set(ready, 0);
    }
}

#[test]
fn a_reset_at_any_level_empties_it() {
    for words in 0..20 {
        let mut board = SMALL.board().unwrap();
        let mut source = AxisSource::attach(&mut board, "sink", Stalls::none()).unwrap();
        (0..words).for_each(|i| source.push(Packet::good([i; 8])));
        board.run(30, &mut source);
        board.reset();
        let mut source = AxisSource::attach(&mut board, "sink", Stalls::none()).unwrap();
        let mut sink = AxisSink::attach(&mut board, "source", Stalls::none()).unwrap();
        source.push(Packet::good([0xaa; 20]));
        board.run(30, &mut (&mut source, &mut sink));
        assert_eq!(sink.packets(), [Packet::good([0xaa; 20])], "reset with {words} words");
    }
}
