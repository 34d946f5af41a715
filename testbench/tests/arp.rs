//! ARP replies as seen where the MAC takes its frames.
use nicforge_hdl::ip::ArpReply;
use nicforge_layout::counters;
use nicforge_sim::Board;
use nicforge_sim::board::{Actor, Pins};
use nicforge_sim::link::{AxisSink, EventLog, Packet, Stalls};
use nicforge_sim::model::Input;
use nicforge_sim::models::arp::{Request, reply};
use nicforge_sim::models::ip::Own;
use nicforge_testbench::bench::Design;
use nicforge_testbench::network::{CARD, HOST_IP, HOST_MAC, ip_bits, mac_bits, set};
use std::net::Ipv4Addr;
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("arp_reply", ArpReply::default()).unwrap());

/// Raises requests in given cycles; beside the pulse nothing is to be relied on.
struct Asker {
    request: Input,
    mac: Input,
    ip: Input,
    when: Vec<(u64, Request)>,
}

impl Asker {
    fn attach(board: &mut Board, when: Vec<(u64, Request)>) -> Self {
        let input = |name| board.pins().model().input(name).unwrap();
        let [request, mac, ip] = ["request", "sender_mac", "sender_ip"].map(input);
        Self { request, mac, ip, when }
    }
}

impl Actor for Asker {
    fn drive(&mut self, pins: &mut Pins) {
        let now = self.when.iter().find(|(cycle, _)| *cycle == pins.cycle());
        pins.set(self.request, now.is_some().into());
        pins.set(self.mac, now.map_or(0xaaaa_aaaa_aaaa, |(_, request)| mac_bits(request.mac)));
        pins.set(self.ip, now.map_or(0x5555_5555, |(_, request)| ip_bits(request.ip)));
    }

    fn sample(&mut self, _: &Pins) {}
}

fn board(own: &Own) -> Board {
    let mut board = DESIGN.board().unwrap();
    set(&mut board, &[("own_mac", mac_bits(own.mac)), ("own_ip", ip_bits(own.ip))]).unwrap();
    board
}

/// The replies to requests in given cycles, and the codes of dropped ones.
fn replies(own: &Own, when: Vec<(u64, Request)>, stalls: Stalls) -> (Vec<(Packet, u64)>, Vec<u64>) {
    let mut board = board(own);
    let last = when.last().map_or(0, |(cycle, _)| *cycle);
    let asker = Asker::attach(&mut board, when);
    let sink = AxisSink::attach(&mut board, "frames", stalls).unwrap();
    let events = EventLog::attach(&mut board, "busy_event").unwrap();
    let mut actors = (asker, sink, events);
    board.run(last + 2_000, &mut actors);
    let (_, mut sink, events) = actors;
    assert_eq!(sink.violations(), [""; 0]);
    assert_eq!(sink.unfinished(), 0);
    (std::iter::from_fn(|| sink.pop_with_cycle()).collect(), events.codes())
}

const ASKS: Request = Request { mac: HOST_MAC, ip: HOST_IP };

#[test]
fn a_request_is_answered_with_the_reply_of_the_model() {
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut mac = || std::array::from_fn(|_| rng.u8(..));
        let (own_mac, mac) = (mac(), mac());
        let own = Own { mac: own_mac, ip: Ipv4Addr::from(rng.u32(..)), netmask: CARD.netmask };
        let request = Request { mac, ip: Ipv4Addr::from(rng.u32(..)) };
        let stalls = if seed < 8 { Stalls::none() } else { Stalls::seeded(seed) };
        let (frames, dropped) = replies(&own, vec![(3, request)], stalls);
        let frames: Vec<_> = frames.into_iter().map(|(frame, _)| frame).collect();
        assert_eq!(frames, [Packet::good(reply(&request, &own))], "seed {seed}");
        assert_eq!(dropped, [0; 0], "seed {seed}");
    }
}

#[test]
fn a_probe_is_answered_to_the_unspecified_address() {
    let probe = Request { mac: HOST_MAC, ip: Ipv4Addr::UNSPECIFIED };
    let (frames, _) = replies(&CARD, vec![(0, probe)], Stalls::none());
    assert_eq!(frames[0].0.octets, reply(&probe, &CARD));
}

#[test]
fn the_reply_takes_six_clocks_and_starts_two_after_the_request() {
    let (frames, _) = replies(&CARD, vec![(10, ASKS)], Stalls::none());
    assert_eq!(frames[0].1, 10 + 2 + 5);
}

#[test]
fn a_request_that_comes_while_a_reply_leaves_is_dropped_and_counted() {
    for seed in 0..8 {
        for pause in 1..=20 {
            let other = Request { mac: [2, 2, 2, 2, 2, 2], ip: Ipv4Addr::new(10, 0, 0, 9) };
            let stalls = if seed == 0 { Stalls::none() } else { Stalls::seeded(seed) };
            let when = vec![(5, ASKS), (5 + pause, other), (1_500, ASKS)];
            let (frames, dropped) = replies(&CARD, when, stalls);
            let octets: Vec<_> = frames.into_iter().map(|(frame, _)| frame.octets).collect();
            let first = reply(&ASKS, &CARD);
            if dropped.is_empty() {
                assert_eq!(octets, [first.clone(), reply(&other, &CARD), first], "seed {seed}, {pause}");
            } else {
                assert_eq!(octets, [first.clone(), first], "seed {seed}, pause {pause}");
                assert_eq!(dropped, [u64::from(counters::ARP_BUSY.code)], "seed {seed}, pause {pause}");
            }
            let busy = pause <= 6;
            assert!(!busy || dropped.len() == 1, "seed {seed}, pause {pause}: the reply is still leaving");
            assert!(seed > 0 || busy == (dropped.len() == 1), "pause {pause} without stalls");
        }
    }
}

#[test]
fn a_reset_at_any_word_leaves_a_card_that_answers() {
    for cycles in 0..12 {
        let mut board = board(&CARD);
        let mut asker = Asker::attach(&mut board, vec![(0, ASKS)]);
        board.run(cycles, &mut asker);
        set(&mut board, &[("request", 0)]).unwrap();
        board.reset();
        let when = vec![(board.cycle() + 2, ASKS)];
        let asker = Asker::attach(&mut board, when);
        let mut actors = (asker, AxisSink::attach(&mut board, "frames", Stalls::none()).unwrap());
        board.run(20, &mut actors);
        assert_eq!(actors.1.packets(), [Packet::good(reply(&ASKS, &CARD))], "reset in cycle {cycles}");
    }
}
