//! The whole-frame FIFO: a frame comes out complete, or leaves no trace.
use fastrand::Rng;
use nicforge_hdl::stream::FrameFifo;
use nicforge_layout::counters;
use nicforge_sim::Board;
use nicforge_sim::link::{AxisSink, AxisSource, EventLog, Packet, Stalls};
use nicforge_testbench::bench::Design;
use std::sync::LazyLock;

/// Words in the memory: 32, of which one stays free.
const WORDS: usize = 31;
/// Words that wait at the output besides.
const AHEAD: usize = 2;
/// Octets of the shortest packets here: ends of frames are two cycles apart or more.
const SHORTEST: usize = 9;

static DESIGN: LazyLock<Design> = LazyLock::new(|| {
    Design::new("frame_fifo", FrameFifo::<64, 8, 5>::new(counters::UDP_RX_OVERFLOW)).unwrap()
});

struct Bench {
    board: Board,
    flow: AxisSource,
    sink: AxisSink,
    dropped: EventLog,
}

impl Bench {
    fn new(gaps: Stalls, stalls: Stalls) -> Self {
        let mut board = DESIGN.board().unwrap();
        let flow = AxisSource::attach(&mut board, "flow", gaps).unwrap();
        let sink = AxisSink::attach(&mut board, "source", stalls).unwrap();
        let dropped = EventLog::attach(&mut board, "dropped").unwrap();
        Self { board, flow, sink, dropped }
    }

    /// Runs until the flow is empty, then long enough for everything to come out.
    fn finish(&mut self, context: &str) {
        let actors = &mut (&mut self.flow, &mut self.sink, &mut self.dropped);
        let sent = self.board.run_until("the flow", 100_000, actors, |actors| actors.0.queued() == 0);
        sent.unwrap_or_else(|late| panic!("{context}: {late}"));
        self.board.run(3000, actors);
        assert_eq!(self.sink.violations(), [""; 0], "{context}");
        assert_eq!(self.sink.unfinished(), 0, "{context}: a frame is not complete");
        let code = u64::from(counters::UDP_RX_OVERFLOW.code);
        assert!(self.dropped.codes().iter().all(|found| *found == code), "{context}");
    }

    /// The flow alone, with the output standing still.
    fn fill(&mut self, cycles: u64) {
        let ready = self.board.pins().model().input("source_ready").unwrap();
        self.board.pins().set(ready, 0);
        self.board.run(cycles, &mut (&mut self.flow, &mut self.dropped));
    }
}

/// A frame of so many words that can be told from the others.
fn frame(words: usize, tag: usize) -> Packet {
    Packet::good((0..8 * words).map(|i| (i * 7 + tag * 31) as u8).collect::<Vec<_>>())
}

#[test]
fn good_frames_come_out_whole_and_every_other_one_is_dropped_or_was_bad() {
    for seed in 0..16 {
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(Stalls::seeded(2 * seed), Stalls::seeded(2 * seed + 1));
        let sent: Vec<_> = (0..400_u32)
            .map(|tag| {
                let mut octets = tag.to_le_bytes().to_vec();
                octets.resize(rng.usize(SHORTEST..160), tag as u8);
                Packet { octets, error: rng.u8(..) < 64 }
            })
            .collect();
        sent.iter().for_each(|packet| bench.flow.push(packet.clone()));
        bench.finish(&format!("seed {seed}"));
        let received = bench.sink.packets();
        let good = sent.iter().filter(|packet| !packet.error).count();
        assert_eq!(received.len() + bench.dropped.codes().len(), good, "seed {seed}");
        assert!(!bench.dropped.codes().is_empty(), "seed {seed}: nothing was dropped");
        // Each is one of those sent, and they are in order.
        let mut rest = sent.iter();
        let in_order = received.iter().all(|frame| rest.any(|sent| sent == frame && !sent.error));
        assert!(in_order, "seed {seed}: a frame changed or moved");
    }
}

#[test]
fn a_frame_that_just_fits_comes_out_and_one_word_more_is_dropped() {
    for words in WORDS - 2..WORDS + 40 {
        let mut bench = Bench::new(Stalls::none(), Stalls::none());
        bench.flow.push(frame(words, 1));
        bench.finish(&format!("{words} words"));
        bench.flow.push(frame(3, 2));
        bench.finish(&format!("{words} words"));
        let fits = words <= WORDS;
        assert_eq!(bench.dropped.codes().len(), usize::from(!fits), "{words} words");
        let wanted = if fits { vec![frame(words, 1), frame(3, 2)] } else { vec![frame(3, 2)] };
        assert_eq!(bench.sink.packets(), wanted, "{words} words");
    }
}

#[test]
fn whatever_fills_it_the_next_frame_after_emptying_passes() {
    for words in 2..=12 {
        for more in 0..=WORDS {
            let context = format!("frames of {words} words, then one of {}", words + more);
            let mut bench = Bench::new(Stalls::none(), Stalls::none());
            // As many as fit, one more that does not, and a bad one.
            let fit = (WORDS + AHEAD) / words;
            (0..fit).for_each(|tag| bench.flow.push(frame(words, tag)));
            bench.flow.push(frame(words + more, 99));
            bench.flow.push(Packet { error: true, ..frame(2, 98) });
            bench.fill(1000);
            let last_fits = fit * words + words + more <= WORDS + AHEAD;
            assert_eq!(bench.dropped.codes().len(), usize::from(!last_fits), "{context}");
            bench.finish(&context);
            bench.flow.push(frame(5, 50));
            bench.finish(&context);
            let mut wanted: Vec<_> = (0..fit).map(|tag| frame(words, tag)).collect();
            wanted.extend(last_fits.then(|| frame(words + more, 99)));
            wanted.push(frame(5, 50));
            assert_eq!(bench.sink.packets(), wanted, "{context}");
        }
    }
}

#[test]
fn a_bad_frame_of_any_length_leaves_no_trace_and_is_not_counted_here() {
    for words in 2..80 {
        let mut bench = Bench::new(Stalls::none(), Stalls::none());
        bench.flow.push(frame(4, 1));
        bench.flow.push(Packet { error: true, ..frame(words, 2) });
        bench.flow.push(frame(6, 3));
        bench.finish(&format!("{words} words"));
        assert_eq!(bench.sink.packets(), [frame(4, 1), frame(6, 3)], "{words} words");
        assert_eq!(bench.dropped.codes(), [0; 0], "{words} words");
    }
}

#[test]
fn a_reset_at_any_word_of_a_frame_leaves_nothing_behind() {
    for at in 0..50 {
        let mut bench = Bench::new(Stalls::none(), Stalls::none());
        (0..4).for_each(|tag| bench.flow.push(frame(11, tag)));
        bench.fill(at);
        let mut board = bench.board;
        board.reset();
        let flow = AxisSource::attach(&mut board, "flow", Stalls::none()).unwrap();
        let sink = AxisSink::attach(&mut board, "source", Stalls::none()).unwrap();
        let dropped = EventLog::attach(&mut board, "dropped").unwrap();
        let mut bench = Bench { board, flow, sink, dropped };
        bench.flow.push(frame(WORDS, 9));
        bench.finish(&format!("reset at cycle {at}"));
        assert_eq!(bench.sink.packets(), [frame(WORDS, 9)], "reset at cycle {at}");
    }
}

#[test]
fn frames_stream_through_at_a_word_a_clock() {
    let mut bench = Bench::new(Stalls::none(), Stalls::none());
    (0..50).for_each(|tag| bench.flow.push(frame(10, tag)));
    bench.finish("streaming");
    let ends: Vec<_> = std::iter::from_fn(|| bench.sink.pop_with_cycle()).map(|(_, cycle)| cycle).collect();
    // A frame begins to leave three cycles after its last word came in.
    assert_eq!(ends, (0..50).map(|tag| 10 * (tag + 1) - 1 + 3 + 9).collect::<Vec<_>>());
}
