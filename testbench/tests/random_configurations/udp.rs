//! The UDP core: datagrams both ways.
use crate::bench::{Bench, assert_frames};
use crate::is_what_its_file_says;
use nicforge_sim::link::{FrameSource, Line, Packet};
use nicforge_sim::models::eth;
use nicforge_sim::models::udp::{self, Flow};
use nicforge_testbench::cases::stream::flow;
use nicforge_testbench::network::{HOST_IP, HOST_MAC};

/// Octets of the headers of IPv4 and UDP.
const HEADERS: usize = 28;
/// Cycles within which a received datagram is delivered.
const DELIVERY: u64 = 10_000;

/// Registers, answers, what the port delivers, and packets sent octet for octet at the rate of the link.
pub fn exercise<L: Line>(mut bench: Bench<L>) {
    is_what_its_file_says(&mut bench);
    delivers_its_port_only(&mut bench);
    sends_at_the_rate_of_the_link(&mut bench);
}

fn delivers_its_port_only<L: Line>(bench: &mut Bench<L>) {
    let own = bench.settings().own;
    let port = bench.config.udp.rx_port;
    let length = bench.random.usize(1..=bench.config.network.mtu as usize - HEADERS);
    let payload: Vec<u8> = (0..length).map(|_| bench.random.u8(..)).collect();
    for (to, checksum) in [(port, true), (port ^ 0x0101, true), (port, false), (0, true)] {
        let flow = Flow {
            source_mac: HOST_MAC,
            destination_mac: own.mac,
            source_ip: HOST_IP,
            destination_ip: own.ip,
            source_port: 7,
            destination_port: to,
            ttl: 9,
            dscp: 3,
            checksum,
        };
        bench.ends.0.push_frame(eth::transmit(&udp::build(&flow, &payload)));
        bench.run(DELIVERY);
        let delivered = bench.ends.3.as_mut().expect("the core has the port").packets();
        let wanted = if to == port && port != 0 { vec![Packet::good(payload.clone())] } else { vec![] };
        assert!(delivered == wanted, "{}: port {to}: {} delivered", bench.context, delivered.len());
    }
}

fn sends_at_the_rate_of_the_link<L: Line>(bench: &mut Bench<L>) {
    let longest = (bench.config.network.mtu as usize - HEADERS).min(2_000);
    let length = bench.random.usize(1..=longest);
    let packets = 40_000 / (length + 60) + 3;
    let payload = |bench: &mut Bench<L>| (0..length).map(|_| bench.random.u8(..)).collect::<Vec<u8>>();
    let payloads: Vec<Vec<u8>> = (0..packets).map(|_| payload(bench)).collect();
    let flow = flow(&bench.config);
    let wanted: Vec<Vec<u8>> =
        payloads.iter().map(|payload| eth::transmit(&udp::build(&flow, payload))).collect();
    let source = bench.ends.2.as_mut().expect("the core has the port");
    payloads.into_iter().for_each(|payload| source.push(Packet::good(payload)));
    let slot = bench.slot(&wanted[0]);
    bench.run_until("the packets", 50_000, |bench| bench.datagrams.len() >= packets);
    assert_frames(&bench.datagrams, &wanted, &bench.context);
    bench.took(&format!("packets of {length} octets"), (packets as u64 - 1) * slot);
}
