//! The packet arbiter.
use fastrand::Rng;
use nicforge_hdl::stream::Arbiter;
use nicforge_sim::Board;
use nicforge_sim::link::{AxisSink, AxisSource, Packet, Stalls};
use nicforge_testbench::bench::Design;
use std::sync::LazyLock;

const STREAMS: usize = 3;

static DESIGN: LazyLock<Design> =
    LazyLock::new(|| Design::new("arbiter", Arbiter::<64, 8, STREAMS>::default()).unwrap());

struct Bench {
    board: Board,
    sources: Vec<AxisSource>,
    sink: AxisSink,
}

impl Bench {
    fn new(stalls: impl Fn(u64) -> Stalls) -> Self {
        let mut board = DESIGN.board().unwrap();
        let mut source =
            |i: usize| AxisSource::attach(&mut board, &format!("sinks_{i}"), stalls(i as u64)).unwrap();
        let sources = (0..STREAMS).map(&mut source).collect();
        let sink = AxisSink::attach(&mut board, "source", stalls(STREAMS as u64)).unwrap();
        Self { board, sources, sink }
    }

    fn run(&mut self, cycles: u64) {
        self.board.run(cycles, &mut (&mut self.sources[..], &mut self.sink));
    }

    /// Steps until so many packets are out.
    fn finish(&mut self, count: usize, context: &str) {
        let actors = &mut (&mut self.sources[..], &mut self.sink);
        let done = |actors: &(&mut [AxisSource], &mut AxisSink)| actors.1.waiting() == count;
        let outcome = self.board.run_until("all packets", 100_000, actors, done);
        outcome.unwrap_or_else(|late| panic!("{context}: {late}"));
        assert_eq!(self.sink.violations(), [""; 0], "{context}");
    }
}

/// A packet of so many words that says which stream it is of.
fn packet(stream: usize, number: usize, words: usize) -> Packet {
    let mut octets = vec![number as u8; 8 * words];
    octets[0] = stream as u8;
    Packet::good(octets)
}

fn stream_of(packet: &Packet) -> usize {
    packet.octets[0].into()
}

#[test]
fn packets_come_out_unbroken_and_each_stream_in_order_whatever_the_stalls() {
    for seed in 0..16 {
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(|i| Stalls::seeded(100 * seed + i));
        let sent: Vec<Vec<_>> = (0..STREAMS)
            .map(|stream| {
                let octets = |rng: &mut Rng| (0..rng.usize(0..90)).map(|_| rng.u8(..)).collect::<Vec<_>>();
                let packet = |rng: &mut Rng| [vec![stream as u8], octets(rng)].concat();
                (0..100).map(|_| Packet { octets: packet(&mut rng), error: rng.bool() }).collect()
            })
            .collect();
        for (source, packets) in bench.sources.iter_mut().zip(&sent) {
            packets.iter().for_each(|packet| source.push(packet.clone()));
        }
        bench.finish(100 * STREAMS, &format!("seed {seed}"));
        let received = bench.sink.packets();
        for (stream, sent) in sent.iter().enumerate() {
            let of_stream: Vec<_> = received.iter().filter(|found| stream_of(found) == stream).collect();
            assert!(of_stream.into_iter().eq(sent), "seed {seed}, stream {stream}");
        }
    }
}

#[test]
fn streams_that_all_have_packets_take_turns_without_a_cycle_between() {
    for words in 1..6 {
        let mut bench = Bench::new(|_| Stalls::none());
        for number in 0..20 {
            for stream in 0..STREAMS {
                bench.sources[stream].push(packet(stream, number, words));
            }
        }
        bench.finish(20 * STREAMS, &format!("{words} words"));
        let found: Vec<_> = std::iter::from_fn(|| bench.sink.pop_with_cycle()).collect();
        let turns: Vec<_> = found.iter().map(|(packet, _)| stream_of(packet)).collect();
        assert!(turns.chunks(STREAMS).all(|turn| turn == &turns[..STREAMS]), "{words} words: {turns:?}");
        assert!(found.windows(2).all(|pair| pair[1].1 - pair[0].1 == words as u64), "{words} words");
    }
}

#[test]
fn a_stream_alone_loses_no_cycle_between_its_packets() {
    for stream in 0..STREAMS {
        let mut bench = Bench::new(|_| Stalls::none());
        (0..20).for_each(|number| bench.sources[stream].push(packet(stream, number, 3)));
        bench.finish(20, &format!("stream {stream}"));
        let ends: Vec<_> =
            std::iter::from_fn(|| bench.sink.pop_with_cycle()).map(|(_, cycle)| cycle).collect();
        assert!(ends.windows(2).all(|pair| pair[1] - pair[0] == 3), "stream {stream}: {ends:?}");
        assert!(ends[0] <= 3, "stream {stream} waited for nobody");
    }
}

#[test]
fn a_stream_waits_for_at_most_one_packet_of_each_other_stream() {
    for seed in 0..16 {
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(|_| Stalls::none());
        let waiting = rng.usize(..STREAMS);
        for stream in (0..STREAMS).filter(|stream| *stream != waiting) {
            (0..40).for_each(|number| bench.sources[stream].push(packet(stream, number, 4)));
        }
        bench.run(rng.u64(20..60));
        let before = bench.sink.waiting();
        bench.sources[waiting].push(packet(waiting, 0, 4));
        bench.finish(81, &format!("seed {seed}"));
        let place = bench.sink.packets().iter().skip(before).position(|found| stream_of(found) == waiting);
        assert!(place.is_some_and(|place| place <= STREAMS), "seed {seed}: {place:?}");
    }
}

#[test]
fn a_reset_in_a_packet_gives_everybody_a_fresh_turn() {
    for at in 0..12 {
        let mut bench = Bench::new(|_| Stalls::none());
        bench.sources[1].push(packet(1, 0, 8));
        bench.run(at);
        let mut board = bench.board;
        let offered = board.pins().model().input("sinks_1_valid").unwrap();
        board.pins().set(offered, 0);
        board.reset();
        let attach =
            |board: &mut Board, i| AxisSource::attach(board, &format!("sinks_{i}"), Stalls::none()).unwrap();
        let sources = (0..STREAMS).map(|i| attach(&mut board, i)).collect();
        let sink = AxisSink::attach(&mut board, "source", Stalls::none()).unwrap();
        let mut bench = Bench { board, sources, sink };
        bench.sources[2].push(packet(2, 7, 5));
        bench.finish(1, &format!("reset at cycle {at}"));
        assert_eq!(bench.sink.packets(), [packet(2, 7, 5)], "reset at cycle {at}");
    }
}
