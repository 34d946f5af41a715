//! Every kind of network against a plain-Rust board that answers ARP and echo requests.
//!
//! Where this machine forbids a kind the test says so and holds the refusal to its promise.

mod responder;

use super::{Choice, Error, FRAME_MIN, Kind, Lab, Namespace, PingPlan, Plan, Socket, Wire};
use responder::{Board, Habits};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::{Duration, Instant};

const HOST: Ipv4Addr = Ipv4Addr::new(10, 9, 8, 1);
const BOARD: Ipv4Addr = Ipv4Addr::new(10, 9, 8, 2);
const PORT: u16 = 4001;
const LIMIT: Duration = Duration::from_secs(10);

fn plan() -> Plan {
    Plan::new(HOST, 24)
}

fn quick(count: u16) -> PingPlan {
    let interval = Duration::from_millis(10);
    PingPlan { count, interval, timeout: Duration::from_millis(500), ..PingPlan::default() }
}

/// The network of this kind, or nothing and a word on stderr where it is forbidden.
fn lab(kind: Kind) -> Option<(Lab, Box<dyn Wire + Send>)> {
    match Lab::open(Choice::Only(kind), &plan()) {
        Ok(both) => Some(both),
        Err(error) => {
            eprintln!("not tested here: {error}");
            let wanted = format!("network {kind} is not available here: ");
            assert!(error.to_string().starts_with(&wanted), "{error}");
            assert!(matches!(error, Error::Refused { .. }), "{error:?}");
            assert_ne!(kind, Kind::Smoltcp, "the in-process network needs no permission");
            assert!(!rustix::process::geteuid().is_root() || limited(), "root was refused: {error}");
            None
        }
    }
}

/// Whether this root lacks capabilities, as in a container.
fn limited() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap();
    // CAP_NET_ADMIN is 12, CAP_SYS_ADMIN 21 (linux/capability.h).
    let needed = (1 << 12) | (1 << 21);
    u64::from_str_radix(line.trim(), 16).unwrap() & needed != needed
        || !std::fs::exists("/dev/net/tun").unwrap()
}

fn receive(socket: &Socket) -> Option<(Vec<u8>, SocketAddrV4)> {
    let udp = match socket {
        Socket::Process(socket) => return socket.receive(LIMIT),
        Socket::Kernel(udp) => udp,
    };
    udp.set_read_timeout(Some(LIMIT)).unwrap();
    let mut data = vec![0; 65536];
    let (length, sender) = udp.recv_from(&mut data).ok()?;
    data.truncate(length);
    let SocketAddr::V4(sender) = sender else { panic!("an IPv4 socket hears from {sender}") };
    Some((data, sender))
}

fn send(socket: &Socket, data: &[u8], target: SocketAddrV4) {
    match socket {
        Socket::Process(socket) => socket.send_to(data, target).unwrap(),
        Socket::Kernel(socket) => assert_eq!(socket.send_to(data, target).unwrap(), data.len()),
    }
}

fn every_ping_is_answered(kind: Kind) {
    let Some((lab, wire)) = lab(kind) else { return };
    let board = Board::start(wire, BOARD, Habits::default());
    for payload in [16, 56, 1472, 8972] {
        let report = lab.ping(BOARD, &PingPlan { payload, ..quick(3) }).unwrap().wait().unwrap();
        assert!(report.complete() && report.sent == 3, "{payload} octets: {report:?}");
        let times = report.round_trip.expect("replies have times");
        assert!(0.0 < times.min_ms && times.min_ms <= times.mean_ms && times.mean_ms <= times.max_ms);
    }
    let seen = board.stop();
    assert_eq!((seen.echoes, seen.damaged), (12, 0));
    assert!(seen.arps >= 1);
}

fn missing_and_double_replies_are_counted(kind: Kind) {
    let Some((lab, wire)) = lab(kind) else { return };
    let board = Board::start(wire, BOARD, Habits { deaf_to: Some(1), echo_twice: true });
    let report = lab.ping(BOARD, &quick(3)).unwrap().wait().unwrap();
    assert_eq!((report.sent, report.received), (3, 2), "{report:?}");
    // The run may end with the last first reply, before that one's double has come.
    assert!((1..=2).contains(&report.duplicates), "{report:?}");
    assert!(!report.complete());
    board.stop();
}

fn a_board_that_never_answers_ends_the_run(kind: Kind) {
    let Some((lab, wire)) = lab(kind) else { return };
    let board = Board::start(wire, Ipv4Addr::new(10, 9, 8, 3), Habits::default());
    let start = Instant::now();
    let report = lab.ping(BOARD, &quick(2)).unwrap().wait().unwrap();
    assert_eq!(report.received, 0);
    assert!(start.elapsed() < LIMIT);
    board.stop();
}

fn datagrams_arrive_whole_and_in_order(kind: Kind) {
    let Some((lab, wire)) = lab(kind) else { return };
    let socket = lab.udp(PORT).unwrap();
    let board = Board::start(wire, BOARD, Habits::default());
    let target = responder::Host { mac: plan().mac, address: SocketAddrV4::new(HOST, PORT) };
    for number in 0..40u8 {
        // The largest is a VDIF packet: 8 octets serial number, 8032 octets frame.
        let data = vec![number; [1, 18, 1000, 8040][usize::from(number) % 4]];
        board.send(target, 4000, &data);
        let (found, sender) = receive(&socket).unwrap_or_else(|| panic!("datagram {number} is missing"));
        assert_eq!(found, data);
        assert_eq!(sender, SocketAddrV4::new(BOARD, 4000));
    }
    board.stop();
}

fn datagrams_to_the_board_carry_good_checksums(kind: Kind) {
    let Some((lab, wire)) = lab(kind) else { return };
    let socket = lab.udp(PORT).unwrap();
    let board = Board::start(wire, BOARD, Habits::default());
    for data in [&b"x"[..], b"to the board", &[0xa5; 8040]] {
        send(&socket, data, SocketAddrV4::new(BOARD, 4000));
        assert_eq!(board.datagram(LIMIT).expect("the datagram reaches the board"), data);
    }
    assert_eq!(board.stop().damaged, 0);
}

fn frames_no_network_carries_are_refused(kind: Kind) {
    let Some((_lab, mut wire)) = lab(kind) else { return };
    wire.send(&vec![0; plan().frame_max()]).unwrap();
    for octets in [0, 13, plan().frame_max() + 5, 70_000] {
        let error = wire.send(&vec![0; octets]).unwrap_err();
        assert!(matches!(error, Error::Send { octets: found, .. } if found == octets), "{error:?}");
        assert!(error.to_string().contains(wire.name()), "{error}");
    }
}

fn a_frame_longer_than_the_buffer_is_an_error_and_the_next_is_not(kind: Kind) {
    let Some((lab, mut wire)) = lab(kind) else { return };
    // Without an answer to ARP nothing but broadcasts of 42 octets leaves the host.
    let socket = lab.udp(PORT).unwrap();
    send(&socket, b"hello", SocketAddrV4::new(BOARD, 4000));
    let first = |wire: &mut dyn Wire, buffer: &mut [u8]| {
        let start = Instant::now();
        loop {
            match wire.receive(buffer) {
                Ok(None) => assert!(start.elapsed() < LIMIT, "no frame came"),
                Ok(Some(length)) => return Ok(length),
                Err(error) => return Err(error),
            }
        }
    };
    let error = first(&mut *wire, &mut [0; 20]).unwrap_err();
    assert!(matches!(error, Error::Buffer { found: 20, .. }), "{error:?}");
    let _ping = lab.ping(Ipv4Addr::new(10, 9, 8, 7), &quick(1)).unwrap();
    let mut frame = [0xff; 9100];
    // Padded to the length a cable demands, whatever the stack made of it.
    assert_eq!(first(&mut *wire, &mut frame).unwrap(), FRAME_MIN);
    assert_eq!(frame[42..FRAME_MIN], [0; 18]);
}

fn a_network_left_alone_is_silent(kind: Kind) {
    let Some((_lab, mut wire)) = lab(kind) else { return };
    let mut frame = [0; 9100];
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(400) {
        assert_eq!(wire.receive(&mut frame).unwrap(), None, "{:02x?}", &frame[..FRAME_MIN]);
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn the_same_port_is_not_given_twice(kind: Kind) {
    let Some((lab, _wire)) = lab(kind) else { return };
    let first = lab.udp(PORT).unwrap();
    let error = lab.udp(PORT).err().expect("the port is taken");
    assert!(matches!(error, Error::Bind { port: PORT, .. }), "{error:?}");
    drop(first);
    lab.udp(PORT).unwrap();
}

/// One test a kind for each of these sentences.
macro_rules! for_every_kind {
    ($($sentence:ident)*) => { $(mod $sentence {
        use crate::net::Kind;

        #[test]
        fn tap() {
            super::$sentence(Kind::Tap);
        }

        #[test]
        fn veth() {
            super::$sentence(Kind::Veth);
        }

        #[test]
        fn smoltcp() {
            super::$sentence(Kind::Smoltcp);
        }
    })* };
}

for_every_kind! {
    every_ping_is_answered
    missing_and_double_replies_are_counted
    a_board_that_never_answers_ends_the_run
    datagrams_arrive_whole_and_in_order
    datagrams_to_the_board_carry_good_checksums
    frames_no_network_carries_are_refused
    a_frame_longer_than_the_buffer_is_an_error_and_the_next_is_not
    a_network_left_alone_is_silent
    the_same_port_is_not_given_twice
}

#[test]
fn the_least_and_the_largest_mtu_are_set_up() {
    for kind in Kind::ALL {
        for mtu in [576, 16_366] {
            let plan = Plan { mtu, ..plan() };
            let Ok((lab, wire)) = Lab::open(Choice::Only(kind), &plan) else {
                assert!(self::lab(kind).is_none(), "{kind} takes an MTU of 9000, but not of {mtu}");
                continue;
            };
            let board = Board::start(wire, BOARD, Habits::default());
            let report =
                lab.ping(BOARD, &PingPlan { payload: mtu - 28, ..quick(2) }).unwrap().wait().unwrap();
            assert!(report.complete(), "{kind}, MTU {mtu}: {report:?}");
            board.stop();
        }
    }
}

#[test]
fn automatic_choice_takes_the_first_kind_allowed_and_says_why() {
    let (lab, wire) = Lab::open(Choice::Auto, &plan()).unwrap();
    assert_eq!(lab.kind().name(), wire.name());
    assert_eq!(lab.kind(), Kind::ALL[lab.refusals().len()]);
    let summary = lab.summary();
    assert!(summary.starts_with(&format!("network {}: ", lab.kind())), "{summary}");
    for refusal in lab.refusals() {
        let reason = format!("not {}: {}", refusal.kind, refusal.reason);
        assert!(summary.contains(&reason), "{summary}");
    }
    assert!(!summary.contains("as asked"));
}

#[test]
fn a_forced_choice_is_named_as_such() {
    let (lab, _wire) = Lab::open("smoltcp".parse().unwrap(), &plan()).unwrap();
    assert!(lab.summary().ends_with(", as asked"), "{}", lab.summary());
    let error = "ethernet".parse::<Choice>().unwrap_err().to_string();
    assert!(error.contains("ethernet") && error.contains("auto, tap, veth or smoltcp"), "{error}");
}

#[test]
fn impossible_plans_are_refused_by_field() {
    let good = plan();
    for (plan, field) in [
        (Plan { address: Ipv4Addr::new(224, 0, 0, 1), ..good }, "address"),
        (Plan { address: Ipv4Addr::UNSPECIFIED, ..good }, "address"),
        (Plan { prefix: 0, ..good }, "prefix"),
        (Plan { prefix: 31, ..good }, "prefix"),
        (Plan { mac: [3, 0, 0, 0, 0, 1], ..good }, "mac"),
        (Plan { mac: [0; 6], ..good }, "mac"),
        (Plan { mtu: 575, ..good }, "mtu"),
        (Plan { mtu: 16_367, ..good }, "mtu"),
    ] {
        let error = Lab::open(Choice::Auto, &plan).err().expect("no network has this plan");
        assert!(error.to_string().contains(field), "{error}");
    }
}

#[test]
fn nothing_of_a_namespace_is_left_once_it_is_dropped() {
    for make in [Namespace::privileged, Namespace::unprivileged] {
        let namespace = match make() {
            Ok(namespace) => namespace,
            Err(error) => {
                eprintln!("not tested here: {error}");
                assert!(matches!(error, Error::Namespace { .. }), "{error:?}");
                continue;
            }
        };
        let inode = namespace.inode().unwrap();
        assert_eq!(holders(inode), 1, "this process holds it, and nobody else");
        drop(namespace);
        assert_eq!(holders(inode), 0);
    }
}

/// Processes that live in the network namespace, and descriptors of this one that hold it.
fn holders(inode: u64) -> usize {
    let name = format!("net:[{inode}]");
    let points = |path: std::path::PathBuf| {
        std::fs::read_link(path).is_ok_and(|target| target.as_os_str() == name.as_str())
    };
    let inside =
        std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| points(entry.path().join("ns/net")));
    let held = std::fs::read_dir("/proc/self/fd").unwrap().flatten().filter(|entry| points(entry.path()));
    inside.count() + held.count()
}
