//! Echo replies as seen where the MAC takes its frames; `Receive` says here, as in the card, which
//! frames ask for one.
use nicforge_hdl::ip::{EchoReply, Receive};
use nicforge_hdl::stream::{EventSource, FlowSink, StreamSource};
use nicforge_layout::counters;
use nicforge_sim::Board;
use nicforge_sim::link::{AxisSink, AxisSource, EventLog, Packet, Stalls};
use nicforge_sim::models::card::{Card, Settings};
use nicforge_sim::models::{eth, ip};
use nicforge_testbench::bench::Design;
use nicforge_testbench::network::{
    CARD, CARD_PORT, arp_frame, echo_frame, ip_bits, mac_bits, padded, set, udp_frame,
};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

/// The two blocks side by side.
#[derive(LogicBlock, Default)]
struct Echo {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub frames: FlowSink<64, 8>,
    pub own_mac: Signal<In, Bits<48>>,
    pub own_ip: Signal<In, Bits<32>>,
    pub netmask: Signal<In, Bits<32>>,
    pub reply: StreamSource<64, 8>,
    pub request: Signal<Out, Bit>,
    pub busy_event: EventSource,
    receive: Receive,
    echo: EchoReply,
}

impl Logic for Echo {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, receive, echo);
        self.receive.reset.next = self.reset.val();
        self.receive.frames.data.next = self.frames.data.val();
        self.receive.frames.keep.next = self.frames.keep.val();
        self.receive.frames.last.next = self.frames.last.val();
        self.receive.frames.error.next = self.frames.error.val();
        self.receive.frames.valid.next = self.frames.valid.val();
        self.receive.broadcast.next = false;
        self.receive.own_mac.next = self.own_mac.val();
        self.receive.own_ip.next = self.own_ip.val();
        self.receive.netmask.next = self.netmask.val();
        self.receive.udp_port.next = 0.into();
        self.echo.reset.next = self.reset.val();
        self.echo.frames.data.next = self.frames.data.val();
        self.echo.frames.keep.next = self.frames.keep.val();
        self.echo.frames.last.next = self.frames.last.val();
        self.echo.frames.error.next = self.frames.error.val();
        self.echo.frames.valid.next = self.frames.valid.val();
        self.echo.echo_request.next = self.receive.echo_request.val();
        self.echo.sender_mac.next = self.receive.sender_mac.val();
        self.echo.sender_ip.next = self.receive.sender_ip.val();
        self.echo.own_mac.next = self.own_mac.val();
        self.echo.own_ip.next = self.own_ip.val();
        StreamSource::<64, 8>::link(&mut self.reply, &mut self.echo.reply);
        EventSource::link(&mut self.busy_event, &mut self.echo.busy_event);
        self.request.next = self.receive.echo_request.val();
    }
}

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("echo", Echo::default()).unwrap());

fn board() -> Board {
    let mut board = DESIGN.board().unwrap();
    let inputs =
        [("own_mac", mac_bits(CARD.mac)), ("own_ip", ip_bits(CARD.ip)), ("netmask", ip_bits(CARD.netmask))];
    set(&mut board, &inputs).unwrap();
    board
}

struct Found {
    replies: Vec<(Packet, u64)>,
    requests: Vec<u64>,
    dropped: Vec<u64>,
}

/// Feeds frames; `one_by_one` waits for each to be answered.
fn feed(frames: &[Packet], one_by_one: bool, gaps: Stalls, stalls: Stalls) -> Found {
    let mut board = board();
    let source = AxisSource::attach(&mut board, "frames", gaps).unwrap();
    let sink = AxisSink::attach(&mut board, "reply", stalls).unwrap();
    let requests = EventLog::attach(&mut board, "request").unwrap();
    let dropped = EventLog::attach(&mut board, "busy_event").unwrap();
    let mut actors = (source, sink, requests, dropped);
    type Actors = (AxisSource, AxisSink, EventLog, EventLog);
    let words: usize = frames.iter().map(|frame| frame.octets.len() / 8 + 40).sum();
    let quiet = |(source, sink, requests, dropped): &Actors| {
        source.queued() == 0 && sink.waiting() + dropped.events().len() == requests.events().len()
    };
    for frame in frames {
        actors.0.push(frame.clone());
        if one_by_one {
            board.run_until("the frame", 60 * words as u64, &mut actors, quiet).unwrap();
            board.run(8, &mut actors);
            board.run_until("the reply", 60 * words as u64, &mut actors, quiet).unwrap();
        }
    }
    board.run_until("all frames", 60 * words as u64, &mut actors, |actors| actors.0.queued() == 0).unwrap();
    board.run(8, &mut actors);
    board.run_until("all replies", 60 * words as u64, &mut actors, quiet).unwrap();
    let (_, mut sink, requests, dropped) = actors;
    assert_eq!(sink.violations(), [""; 0]);
    assert_eq!(sink.unfinished(), 0);
    Found {
        replies: std::iter::from_fn(|| sink.pop_with_cycle()).collect(),
        requests: requests.events().iter().map(|event| event.cycle).collect(),
        dropped: dropped.codes(),
    }
}

/// The model's reply without FCS; padded, since the model sends whole frames.
fn model(frame: &[u8]) -> Option<Vec<u8>> {
    let mut card = Card::new(Settings { own: CARD, udp_port: CARD_PORT, max_frame: 16_384 });
    let mut reply = card.frame(&eth::with_fcs(frame)).replies.pop()?;
    reply.truncate(reply.len() - 4);
    Some(reply)
}

fn answer(frame: &[u8]) -> Vec<u8> {
    model(frame).expect("the model answers")
}

fn check(frames: &[Vec<u8>], seed: Option<u64>) {
    let stalls = |end| seed.map_or_else(Stalls::none, |seed| Stalls::seeded(seed * 2 + end));
    let packets: Vec<_> = frames.iter().cloned().map(Packet::good).collect();
    let found = feed(&packets, true, stalls(0), stalls(1));
    assert_eq!(found.dropped, [0; 0], "seed {seed:?}");
    assert_eq!(found.replies.len(), frames.len(), "seed {seed:?}");
    for ((reply, _), frame) in found.replies.into_iter().zip(frames) {
        let total = usize::from(u16::from_be_bytes([frame[16], frame[17]]));
        assert_eq!(reply.octets.len(), 14 + total, "seed {seed:?}, {frame:02x?}");
        assert_eq!(padded(reply.octets, 0), answer(frame), "seed {seed:?}, {frame:02x?}");
    }
}

fn random(rng: &mut fastrand::Rng, octets: usize) -> Vec<u8> {
    std::iter::repeat_with(|| rng.u8(..)).take(octets).collect()
}

#[test]
fn every_length_is_answered_with_the_reply_of_the_model_and_without_its_padding() {
    let mut rng = fastrand::Rng::with_seed(1);
    let lengths = (4..=120).chain([1476, 1477, 2005, 2006, 2007, 2008, 2009, 2010]);
    let frames: Vec<_> = lengths.map(|octets| padded(echo_frame(&random(&mut rng, octets)), 0xee)).collect();
    check(&frames, None);
    (0..8).for_each(|seed| check(&frames[..60], Some(seed)));
}

#[test]
fn a_trailer_behind_the_datagram_is_not_sent_back() {
    let mut rng = fastrand::Rng::with_seed(2);
    let frames: Vec<_> = (0..40)
        .map(|trailer| [echo_frame(&random(&mut rng, 40)), vec![0xee; trailer * 80]].concat())
        .collect();
    check(&frames, None);
}

#[test]
fn every_checksum_is_adjusted_to_one_that_verifies() {
    // An identifier for each checksum from around the places where the addition carries.
    let wanted = [0x0000_u16, 0x0001, 0xf7fe, 0xf7ff, 0xf800, 0xf801, 0xfffe, 0xffff];
    let frames: Vec<_> = wanted
        .iter()
        .flat_map(|sum| {
            let identifier = (!sum).wrapping_sub(0x0800).to_be_bytes();
            let around = identifier[0].wrapping_add(1);
            [identifier, [around, identifier[1]], [identifier[0], identifier[1].wrapping_sub(1)]]
        })
        .map(|identifier| padded(echo_frame(&[&identifier[..], &[0; 6]].concat()), 0))
        .collect();
    let packets: Vec<_> = frames.iter().cloned().map(Packet::good).collect();
    let found = feed(&packets, true, Stalls::none(), Stalls::none());
    assert_eq!(found.replies.len(), frames.len());
    for ((reply, _), request) in found.replies.iter().zip(&frames) {
        assert_eq!(ip::sum(&reply.octets[34..]), 0xffff, "request {request:02x?}");
        let mut same = reply.octets.clone();
        same[36..38].copy_from_slice(&answer(request)[36..38]);
        assert_eq!(padded(same, 0), answer(request), "all but the checksum");
    }
}

#[test]
fn the_reply_starts_eleven_clocks_after_the_request() {
    let found = feed(&[Packet::good(echo_frame(&[1; 44]))], true, Stalls::none(), Stalls::none());
    let words = (42 + 40_u64 + 4).div_ceil(8);
    assert_eq!(found.replies[0].1 - found.requests[0], 11 + words - 1);
}

#[test]
fn frames_without_a_request_change_no_reply() {
    for seed in 0..8 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut frames = Vec::new();
        for _ in 0..40 {
            let octets = rng.usize(4..100);
            let content = random(&mut rng, octets);
            frames.push(match rng.u8(..5) {
                0 => Packet::good(padded(arp_frame(), 0)),
                1 => Packet::good(padded(udp_frame(&content), 0)),
                2 => Packet { octets: echo_frame(&content), error: true },
                3 => Packet { octets: content, error: true },
                _ => Packet::good(padded(echo_frame(&content), 0)),
            });
        }
        let found = feed(&frames, true, Stalls::seeded(seed), Stalls::seeded(seed + 100));
        let good = frames.iter().filter(|frame| !frame.error && frame.octets[12..14] == [8, 0]);
        let wanted: Vec<_> = good.filter_map(|frame| model(&frame.octets)).collect();
        let replies: Vec<_> = found.replies.into_iter().map(|(reply, _)| padded(reply.octets, 0)).collect();
        assert_eq!(replies, wanted, "seed {seed}");
    }
}

#[test]
fn of_a_storm_each_request_is_answered_whole_or_dropped_and_counted() {
    for seed in 0..16 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let lengths: Vec<_> = (0..120).map(|_| rng.usize(8..200)).collect();
        let requests = lengths.into_iter().enumerate().map(|(number, octets)| {
            let mut rest = random(&mut rng, octets);
            rest[2..4].copy_from_slice(&(number as u16).to_be_bytes());
            Packet::good(padded(echo_frame(&rest), 0xee))
        });
        let frames: Vec<_> = requests.collect();
        let gaps = if seed < 4 { Stalls::none() } else { Stalls::seeded(seed) };
        let stalls = if seed % 4 == 0 { Stalls::none() } else { Stalls::seeded(seed + 50) };
        let found = feed(&frames, false, gaps, stalls);
        assert_eq!(found.requests.len(), frames.len(), "seed {seed}");
        assert_eq!(found.replies.len() + found.dropped.len(), frames.len(), "seed {seed}");
        assert!(!found.dropped.is_empty() && found.replies.len() > 5, "seed {seed} is no storm");
        assert!(found.dropped.iter().all(|code| *code == u64::from(counters::ICMP_BUSY.code)));
        for (reply, _) in found.replies {
            let number = u16::from_be_bytes([reply.octets[40], reply.octets[41]]);
            let wanted = answer(&frames[usize::from(number)].octets);
            assert_eq!(padded(reply.octets, 0), wanted, "seed {seed}, request {number}");
        }
    }
}

#[test]
fn a_reset_at_any_word_leaves_a_card_that_answers() {
    for cycles in 0..60 {
        let mut board = board();
        let mut source = AxisSource::attach(&mut board, "frames", Stalls::none()).unwrap();
        source.push(Packet::good(echo_frame(&[1; 60])));
        source.push(Packet::good(udp_frame(&[1; 60])));
        let sink = AxisSink::attach(&mut board, "reply", Stalls::seeded(cycles)).unwrap();
        board.run(cycles, &mut (source, sink));
        set(&mut board, &[("frames_valid", 0)]).unwrap();
        board.reset();
        let mut source = AxisSource::attach(&mut board, "frames", Stalls::none()).unwrap();
        let request = echo_frame(&[7; 33]);
        source.push(Packet::good(request.clone()));
        let mut actors = (source, AxisSink::attach(&mut board, "reply", Stalls::none()).unwrap());
        board.run(80, &mut actors);
        assert_eq!(actors.1.packets(), [Packet::good(answer(&request))], "reset in cycle {cycles}");
    }
}
