//! The address filter.
use fastrand::Rng;
use nicforge_hdl::eth::AddressFilter;
use nicforge_layout::counters;
use nicforge_sim::Board;
use nicforge_sim::board::{Actor, Pins};
use nicforge_sim::link::{AxisSink, AxisSource, EventLog, Packet, Stalls};
use nicforge_sim::model::Output;
use nicforge_testbench::bench::Design;
use std::sync::LazyLock;

const OWN: [u8; 6] = [0x02, 0x00, 0x5e, 0x10, 0x20, 0x30];
const BROADCAST: [u8; 6] = [0xff; 6];

static DESIGN: LazyLock<Design> =
    LazyLock::new(|| Design::new("address_filter", AddressFilter::default()).unwrap());

/// What `broadcast` said beside each word of the output.
struct Beside {
    valid: Output,
    last: Output,
    broadcast: Output,
    /// One entry a frame: the answers beside its words.
    frames: Vec<Vec<bool>>,
    open: Vec<bool>,
}

impl Actor for Beside {
    fn drive(&mut self, _: &mut Pins) {}

    fn sample(&mut self, pins: &Pins) {
        if pins.is_set(self.valid) {
            self.open.push(pins.is_set(self.broadcast));
            if pins.is_set(self.last) {
                self.frames.push(std::mem::take(&mut self.open));
            }
        }
    }
}

struct Bench {
    board: Board,
    flow: AxisSource,
    sink: AxisSink,
    event: EventLog,
    beside: Beside,
}

impl Bench {
    fn new(own: [u8; 6], gaps: Stalls) -> Self {
        let mut board = DESIGN.board().unwrap();
        let flow = AxisSource::attach(&mut board, "frames_in", gaps).unwrap();
        let sink = AxisSink::attach(&mut board, "frames_out", Stalls::none()).unwrap();
        let event = EventLog::attach(&mut board, "event").unwrap();
        let model = board.pins().model();
        let output = |name| model.output(name).unwrap();
        let [valid, last] = ["frames_out_valid", "frames_out_last"].map(output);
        let beside = Beside { valid, last, broadcast: output("broadcast"), frames: vec![], open: vec![] };
        let own_mac = model.input("own_mac").unwrap();
        board.pins().set(own_mac, own.iter().rev().fold(0, |value, octet| value << 8 | u64::from(*octet)));
        Self { board, flow, sink, event, beside }
    }

    fn finish(&mut self) {
        let actors = &mut (&mut self.flow, &mut self.sink, &mut self.event, &mut self.beside);
        self.board.run_until("the flow", 100_000, actors, |actors| actors.0.queued() == 0).unwrap();
        self.board.run(8, actors);
        assert_eq!(self.sink.violations(), [""; 0]);
    }
}

fn frame(destination: [u8; 6], length: usize, error: bool) -> Packet {
    let mut octets = destination.to_vec();
    octets.extend((6..length).map(|i| i as u8));
    octets.truncate(length);
    Packet { octets, error }
}

/// Sends one frame between two others that pass, and says whether it passed too.
fn passes(own: [u8; 6], destination: [u8; 6]) -> bool {
    let mut bench = Bench::new(own, Stalls::none());
    let middle = frame(destination, 100, false);
    bench.flow.push(frame(BROADCAST, 60, false));
    bench.flow.push(middle.clone());
    bench.flow.push(frame(BROADCAST, 61, false));
    bench.finish();
    let found = bench.sink.packets();
    assert_eq!(found.first(), Some(&frame(BROADCAST, 60, false)));
    assert_eq!(found.last(), Some(&frame(BROADCAST, 61, false)));
    let passed = found.contains(&middle);
    assert_eq!(found.len(), 2 + usize::from(passed), "{destination:x?}");
    let code = u64::from(counters::MAC_FILTERED.code);
    assert_eq!(bench.event.codes(), vec![code; usize::from(!passed)], "{destination:x?}");
    passed
}

#[test]
fn own_and_broadcast_pass_and_an_address_that_differs_in_any_bit_does_not() {
    assert!(passes(OWN, OWN));
    assert!(passes(OWN, BROADCAST));
    assert!(!passes(OWN, [0; 6]));
    for bit in 0..48 {
        for base in [OWN, BROADCAST] {
            let mut other = base;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!passes(OWN, other), "{other:x?}");
        }
    }
}

#[test]
fn a_group_address_never_passes_even_if_it_is_set_as_the_own_one() {
    for group in [[0x01, 0x00, 0x5e, 1, 2, 3], [0x33, 0x33, 0, 0, 0, 1], [0x01, 0x80, 0xc2, 0, 0, 1]] {
        assert!(!passes(OWN, group), "{group:x?}");
        assert!(!passes(group, group), "{group:x?}");
    }
    assert!(passes(BROADCAST, BROADCAST));
}

#[test]
fn frames_in_any_order_pass_or_vanish_each_on_its_own() {
    for seed in 0..16 {
        let mut rng = Rng::with_seed(seed);
        let mut bench = Bench::new(OWN, Stalls::seeded(seed));
        let sent: Vec<_> = (0..300)
            .map(|_| {
                let destination = match rng.u8(..4) {
                    0 => OWN,
                    1 => BROADCAST,
                    2 => [0x01, 0, 0x5e, 0, 0, 1],
                    _ => std::array::from_fn(|_| rng.u8(..) & 0xfe),
                };
                // Two words at least, so that no two frames end in neighbouring cycles.
                frame(destination, rng.usize(9..200), rng.u8(..) < 64)
            })
            .collect();
        sent.iter().for_each(|packet| bench.flow.push(packet.clone()));
        bench.finish();
        let ours =
            |packet: &&Packet| packet.octets.starts_with(&OWN) || packet.octets.starts_with(&BROADCAST);
        let wanted: Vec<_> = sent.iter().filter(ours).cloned().collect();
        let foreign = sent.iter().filter(|packet| !ours(packet) && !packet.error).count();
        assert!(bench.sink.packets() == wanted, "seed {seed}");
        assert_eq!(bench.event.codes().len(), foreign, "seed {seed}");
        assert_eq!(bench.beside.frames.len(), wanted.len(), "seed {seed}");
        for (answers, packet) in bench.beside.frames.iter().zip(&wanted) {
            let to_all = packet.octets.starts_with(&BROADCAST);
            assert!(answers.iter().all(|answer| *answer == to_all), "seed {seed}: {:x?}", packet.octets);
        }
    }
}

#[test]
fn a_scrap_too_short_for_an_address_does_no_harm() {
    for length in 1..8 {
        let mut bench = Bench::new(OWN, Stalls::none());
        bench.flow.push(frame(OWN, 70, false));
        bench.flow.push(frame([0x20; 6], length, true));
        bench.flow.push(frame(OWN, 71, false));
        bench.finish();
        assert_eq!(bench.sink.packets(), [frame(OWN, 70, false), frame(OWN, 71, false)], "{length} octets");
        assert_eq!(bench.event.codes(), [0; 0], "{length} octets");
    }
}

#[test]
fn a_reset_at_any_word_of_a_frame_leaves_nothing_behind() {
    for at in 0..20 {
        let mut bench = Bench::new(OWN, Stalls::none());
        bench.flow.push(frame([0x22; 6], 100, false));
        let actors = &mut (&mut bench.flow, &mut bench.sink, &mut bench.event, &mut bench.beside);
        bench.board.run(at, actors);
        let valid = bench.board.pins().model().input("frames_in_valid").unwrap();
        bench.board.pins().set(valid, 0);
        bench.board.reset();
        bench.flow = AxisSource::attach(&mut bench.board, "frames_in", Stalls::none()).unwrap();
        bench.flow.push(frame(OWN, 90, false));
        bench.finish();
        assert_eq!(bench.sink.packets(), [frame(OWN, 90, false)], "reset at cycle {at}");
    }
}
