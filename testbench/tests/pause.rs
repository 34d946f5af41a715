//! PAUSE both ways, between a pair of MACs.
use fastrand::Rng;
use nicforge_hdl::comment;
use nicforge_hdl::eth::{MacTx, PauseRx, PauseTx, XgmiiRx};
use nicforge_hdl::stream::{EventSource, MacFlowSource, StreamSink, StreamSource};
use nicforge_layout::counters;
use nicforge_layout::wire::ethernet;
use nicforge_sim::Board;
use nicforge_sim::link::xgmii::{Pacing, Received};
use nicforge_sim::link::{AxisSource, EventLog, Packet, Stalls, XgmiiSink, XgmiiSource};
use nicforge_sim::models::eth::{Mac, transmit};
use nicforge_sim::models::pause::{self, QUANTUM_CYCLES};
use nicforge_testbench::bench::Design;
use nicforge_testbench::network::{CARD, HOST_MAC, mac_bits, set};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

/// Both halves of a MAC with PAUSE.
#[derive(LogicBlock, Default)]
struct Pair {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    rxd: Signal<In, Bits<64>>,
    rxc: Signal<In, Bits<8>>,
    txd: Signal<Out, Bits<64>>,
    txc: Signal<Out, Bits<8>>,
    frames: StreamSink<64, 8>,
    own_mac: Signal<In, Bits<48>>,
    max_frame: Signal<In, Bits<15>>,
    obeys: Signal<In, Bit>,
    asks: Signal<In, Bit>,
    level: Signal<In, Bits<16>>,
    high: Signal<In, Bits<16>>,
    low: Signal<In, Bits<16>>,
    quanta: Signal<In, Bits<16>>,
    heard: EventSource,
    told: EventSource,
    sent: EventSource,
    received: EventSource,

    mac_rx: XgmiiRx,
    pause_rx: PauseRx,
    pause_tx: PauseTx,
    mac_tx: MacTx,
}

impl Logic for Pair {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: pause_pair");
        clock!(self, clock, mac_rx, pause_rx, pause_tx, mac_tx);
        self.mac_rx.reset.next = self.reset.val();
        self.pause_rx.reset.next = self.reset.val();
        self.pause_tx.reset.next = self.reset.val();
        self.mac_tx.reset.next = self.reset.val();
        self.mac_rx.rxd.next = self.rxd.val();
        self.mac_rx.rxc.next = self.rxc.val();
        self.mac_rx.enable.next = true;
        self.mac_rx.max_frame.next = self.max_frame.val();
        MacFlowSource::join(&mut self.mac_rx.frames, &mut self.pause_rx.frames);
        EventSource::link(&mut self.received, &mut self.mac_rx.verdict);
        self.pause_rx.own_mac.next = self.own_mac.val();
        self.pause_rx.enable.next = self.obeys.val();
        EventSource::link(&mut self.heard, &mut self.pause_rx.event);
        StreamSink::<64, 8>::link(&mut self.frames, &mut self.pause_tx.sink);
        self.pause_tx.paused.next = self.pause_rx.paused.val();
        self.pause_tx.own_mac.next = self.own_mac.val();
        self.pause_tx.enable.next = self.asks.val();
        self.pause_tx.level.next = self.level.val();
        self.pause_tx.high.next = self.high.val();
        self.pause_tx.low.next = self.low.val();
        self.pause_tx.quanta.next = self.quanta.val();
        EventSource::link(&mut self.told, &mut self.pause_tx.event);
        StreamSource::<64, 8>::join(&mut self.pause_tx.source, &mut self.mac_tx.frames);
        self.mac_tx.max_frame.next = self.max_frame.val();
        self.mac_tx.hold.next = false;
        self.mac_tx.answer.next = false;
        EventSource::link(&mut self.sent, &mut self.mac_tx.event);
        self.txd.next = self.mac_tx.txd.val();
        self.txc.next = self.mac_tx.txc.val();
    }
}

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("pause_pair", Pair::default()).unwrap());

/// Cycles from the last octet of a PAUSE frame at the pins until no frame begins there, and a word of slack.
const REACTION: u64 = 12;

struct Bench {
    board: Board,
    wire: XgmiiSource,
    frames: AxisSource,
    line: XgmiiSink,
    heard: EventLog,
    told: EventLog,
}

impl Bench {
    fn new(pauses: Stalls) -> Self {
        let mut board = DESIGN.board().unwrap();
        let wire = XgmiiSource::attach(&mut board, "xgmii", Pacing::default(), pauses).unwrap();
        let frames = AxisSource::attach(&mut board, "frames", Stalls::none()).unwrap();
        let line = XgmiiSink::attach(&mut board, "xgmii").unwrap();
        let heard = EventLog::attach(&mut board, "heard").unwrap();
        let told = EventLog::attach(&mut board, "told").unwrap();
        let mut bench = Self { board, wire, frames, line, heard, told };
        bench.set(&[
            ("own_mac", mac_bits(CARD.mac)),
            ("max_frame", ethernet::MAX_FRAME_OCTETS as u64),
            ("obeys", 1),
            ("high", 1000),
            ("low", 200),
            ("quanta", 100),
        ]);
        bench
    }

    fn set(&mut self, inputs: &[(&str, u64)]) {
        set(&mut self.board, inputs).unwrap();
    }

    fn run(&mut self, cycles: u64) {
        let actors = &mut (&mut self.wire, &mut self.frames, &mut self.line, &mut self.heard, &mut self.told);
        self.board.run(cycles, actors);
    }

    /// Frames enough to fill the line for so many cycles.
    fn fill(&mut self, cycles: u64) {
        (0..cycles / 10 + 1).for_each(|_| self.frames.push(Packet::good([0x5a; 60])));
    }

    fn receive(&mut self, frame: &[u8]) {
        self.wire.line.push_frame(transmit(frame));
    }

    fn sent(&mut self) -> Vec<Received> {
        assert_eq!(self.line.line.violations(), []);
        std::iter::from_fn(|| self.line.line.pop()).collect()
    }
}

/// The PAUSE frames among these: cycle and parameter.
fn pauses(sent: &[Received]) -> Vec<(u64, u16)> {
    let own = [0; 6];
    let pause = |frame: &Received| Some((frame.cycle, pause::asked(&frame.octets, own)?));
    sent.iter().filter_map(pause).collect()
}

/// The longest time without a start.
fn longest_silence(sent: &[Received]) -> u64 {
    sent.windows(2).map(|pair| pair[1].cycle - pair[0].cycle).max().unwrap()
}

#[test]
fn a_pause_holds_the_next_frame_for_its_time() {
    for quanta in [1, 2, 10, 300] {
        for to in [None, Some(CARD.mac)] {
            let mut bench = Bench::new(Stalls::none());
            bench.fill(QUANTUM_CYCLES * u64::from(quanta) + 400);
            let mut frame = pause::build(HOST_MAC, quanta);
            if let Some(to) = to {
                frame[..6].copy_from_slice(&to);
            }
            bench.receive(&frame);
            bench.run(QUANTUM_CYCLES * u64::from(quanta) + 300);
            let sent = bench.sent();
            let silence = longest_silence(&sent);
            let wanted = QUANTUM_CYCLES * u64::from(quanta);
            // The line could have carried the next frame 10 or 11 cycles behind the last one.
            assert!((wanted..wanted + 12).contains(&silence), "{quanta} quanta: silent for {silence}");
            assert!(sent.iter().all(Received::is_good));
            assert_eq!(bench.heard.codes(), [u64::from(counters::RX_PAUSE.code)]);
        }
    }
}

#[test]
fn a_pause_reacts_at_once_and_zero_ends_it() {
    let mut bench = Bench::new(Stalls::none());
    bench.fill(2000);
    bench.receive(&pause::build(HOST_MAC, u16::MAX));
    bench.run(500);
    // The frame takes ten words on the wire from cycle 0 on.
    let before = bench.sent();
    assert!(before.last().unwrap().cycle <= 10 + REACTION, "{:?}", before.last());
    let at = bench.board.cycle();
    bench.receive(&pause::build(HOST_MAC, 0));
    bench.run(200);
    let after = bench.sent();
    assert!((at + 10..at + 10 + REACTION).contains(&after[0].cycle), "{at}: {:?}", after[0]);
}

#[test]
fn other_frames_and_damaged_ones_do_not_pause() {
    let foreign: Mac = [0x02, 0, 0, 0, 0, 0x55];
    let good = pause::build(HOST_MAC, 1000);
    let mut to_foreign = good.clone();
    to_foreign[..6].copy_from_slice(&foreign);
    let mut priority = good.clone();
    priority[14] = 1;
    let mut other_type = good.clone();
    other_type[13] = 9;
    for frame in [to_foreign, priority, other_type] {
        let mut bench = Bench::new(Stalls::none());
        bench.fill(600);
        bench.receive(&frame);
        bench.run(600);
        assert!(longest_silence(&bench.sent()) <= 11);
        assert_eq!(bench.heard.codes(), [0; 0]);
    }
    // One bit wrong anywhere: the FCS says so.
    let mut rng = Rng::with_seed(1);
    for _ in 0..50 {
        let mut frame = transmit(&good);
        let bit = rng.usize(..8 * frame.len());
        frame[bit / 8] ^= 1 << (bit % 8);
        let mut bench = Bench::new(Stalls::none());
        bench.fill(300);
        bench.wire.line.push_frame(frame);
        bench.run(300);
        assert!(longest_silence(&bench.sent()) <= 11, "bit {bit}");
        assert_eq!(bench.heard.codes(), [0; 0], "bit {bit}");
    }
}

#[test]
fn a_pause_is_counted_but_not_obeyed_while_that_is_switched_off() {
    let mut bench = Bench::new(Stalls::none());
    bench.set(&[("obeys", 0)]);
    bench.fill(600);
    bench.receive(&pause::build(HOST_MAC, 1000));
    bench.run(600);
    assert!(longest_silence(&bench.sent()) <= 11);
    assert_eq!(bench.heard.codes(), [u64::from(counters::RX_PAUSE.code)]);
}

#[test]
fn a_filling_buffer_asks_for_a_pause_again_and_again_and_a_drained_one_ends_it() {
    for busy in [false, true] {
        let mut bench = Bench::new(Stalls::none());
        bench.set(&[("asks", 1), ("level", 999)]);
        if busy {
            bench.fill(6000);
        }
        bench.run(300);
        assert_eq!(pauses(&bench.sent()), [], "below the high mark");
        bench.set(&[("level", 1000)]);
        let at = bench.board.cycle();
        bench.run(2000);
        bench.set(&[("level", 201)]);
        bench.run(500);
        let asked = pauses(&bench.sent());
        // At once, but for the frame on its way; then whenever half of 100 quanta have gone by.
        assert!(asked[0].0 - at <= 24, "busy {busy}: {at}, {asked:?}");
        assert!(asked.iter().all(|(_, quanta)| *quanta == 100), "{asked:?}");
        let apart: Vec<_> = asked.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(apart.len() >= 5, "busy {busy}: {asked:?}");
        let half = 50 * QUANTUM_CYCLES;
        assert!(apart.iter().all(|cycles| (half..half + 30).contains(cycles)), "busy {busy}: {apart:?}");
        bench.set(&[("level", 200)]);
        bench.run(1000);
        let ended: Vec<_> = pauses(&bench.sent()).into_iter().map(|(_, quanta)| quanta).collect();
        assert_eq!(ended, [0], "busy {busy}");
        assert_eq!(bench.told.codes().len(), asked.len() + 1, "busy {busy}");
    }
}

#[test]
fn pause_frames_leave_while_paused_and_are_those_of_the_standard() {
    let mut bench = Bench::new(Stalls::none());
    bench.fill(200);
    bench.receive(&pause::build(HOST_MAC, u16::MAX));
    bench.run(100);
    bench.sent();
    bench.set(&[("asks", 1), ("level", 2000)]);
    bench.run(50);
    let sent: Vec<_> = bench.sent().into_iter().map(|frame| frame.octets).collect();
    assert_eq!(sent, [transmit(&pause::build(CARD.mac, 100))]);
}

#[test]
fn the_stream_stays_whole_among_pauses_of_any_kind() {
    for seed in 0..16 {
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(Stalls::seeded(seed));
        bench.set(&[("asks", 1), ("quanta", 8)]);
        let frames: Vec<Vec<u8>> = (0..150).map(|_| vec![rng.u8(..); rng.usize(15..300)]).collect();
        frames.iter().for_each(|frame| bench.frames.push(Packet::good(frame.clone())));
        for _ in 0..60 {
            bench.receive(&pause::build(HOST_MAC, rng.u16(..20)));
        }
        while bench.frames.queued() > 0 {
            assert!(bench.board.cycle() < 200_000, "seed {seed}: the stream stands still");
            bench.set(&[("level", rng.u64(..1200))]);
            bench.run(rng.u64(1..60));
        }
        bench.run(300);
        let sent = bench.sent();
        assert!(sent.iter().all(Received::is_good), "seed {seed}");
        let own = sent.iter().filter(|frame| pause::asked(&frame.octets, CARD.mac).is_none());
        let octets: Vec<_> = own.map(|frame| frame.octets.clone()).collect();
        let wanted: Vec<_> = frames.iter().map(|frame| transmit(frame)).collect();
        assert!(octets == wanted, "seed {seed}: the stream has changed");
        assert!(sent.len() > frames.len() + 10, "seed {seed}: hardly any pause was asked for");
    }
}
