//! A card and a host on one Ethernet, for tests of the blocks above the MAC.
use nicforge_layout::wire::{self, ethernet, icmp, ipv4};
use nicforge_sim::models::arp;
use nicforge_sim::models::eth::Mac;
use nicforge_sim::models::ip::{self, Own};
use nicforge_sim::models::udp::{self, Flow};
use nicforge_sim::{Board, Error};
use std::net::Ipv4Addr;

/// The card.
pub const CARD: Own = Own {
    mac: [0x02, 0, 0, 0, 0, 0x80],
    ip: Ipv4Addr::new(192, 168, 1, 128),
    netmask: Ipv4Addr::new(255, 255, 255, 0),
};
/// MAC address of the host.
pub const HOST_MAC: Mac = [0x02, 0, 0, 0, 0, 0x01];
/// IPv4 address of the host.
pub const HOST_IP: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 1);
/// UDP port of the card.
pub const CARD_PORT: u16 = 10_000;
/// UDP port of the host.
pub const HOST_PORT: u16 = 50_000;

/// A MAC address as blocks take it: octet 0 in bits 7..0.
pub fn mac_bits(mac: Mac) -> u64 {
    mac.iter().rev().fold(0, |bits, octet| bits << 8 | u64::from(*octet))
}

/// An IPv4 address as blocks take it: octet 0 in bits 31..24.
pub fn ip_bits(ip: Ipv4Addr) -> u64 {
    u32::from(ip).into()
}

/// Sets inputs by name.
///
/// # Errors
/// A name that is no input.
pub fn set(board: &mut Board, inputs: &[(&str, u64)]) -> Result<(), Error> {
    for (name, value) in inputs {
        let input = board.pins().model().input(name)?;
        board.pins().set(input, *value);
    }
    Ok(())
}

/// A UDP frame from the host to the card, without padding and FCS.
pub fn udp_frame(payload: &[u8]) -> Vec<u8> {
    let flow = Flow {
        source_mac: HOST_MAC,
        destination_mac: CARD.mac,
        source_ip: HOST_IP,
        destination_ip: CARD.ip,
        source_port: HOST_PORT,
        destination_port: CARD_PORT,
        ttl: 64,
        dscp: 0,
        checksum: true,
    };
    udp::build(&flow, payload)
}

/// An echo request from the host to the card, without padding and FCS; `rest` is identifier,
/// sequence number and data.
pub fn echo_frame(rest: &[u8]) -> Vec<u8> {
    echo_request(&CARD, rest)
}

/// An echo request from the host to any card.
pub fn echo_request(card: &Own, rest: &[u8]) -> Vec<u8> {
    icmp_to(card, icmp::ECHO_REQUEST, 0, rest)
}

/// An ICMP message from the host to the card, without padding and FCS.
pub fn icmp_frame(kind: u8, code: u8, rest: &[u8]) -> Vec<u8> {
    icmp_to(&CARD, kind, code, rest)
}

fn icmp_to(card: &Own, kind: u8, code: u8, rest: &[u8]) -> Vec<u8> {
    let mut message = [&[kind, code, 0, 0], rest].concat();
    let checksum = !ip::sum(&message);
    message[2..4].copy_from_slice(&checksum.to_be_bytes());
    ip_to(card, ipv4::PROTOCOL_ICMP, &message)
}

/// A datagram from the host to the card, without padding and FCS.
pub fn ip_frame(protocol: u8, content: &[u8]) -> Vec<u8> {
    ip_to(&CARD, protocol, content)
}

fn ip_to(card: &Own, protocol: u8, content: &[u8]) -> Vec<u8> {
    let header = ip::Header { dscp: 0, ttl: 64, protocol, source: HOST_IP, destination: card.ip };
    ip::frame(card.mac, HOST_MAC, ethernet::TYPE_IPV4, &header.datagram(content))
}

/// An ARP request from the host for the card's address, without padding and FCS.
pub fn arp_frame() -> Vec<u8> {
    arp_request(&CARD)
}

/// An ARP request from the host for the address of any card.
pub fn arp_request(card: &Own) -> Vec<u8> {
    let own = Own { mac: HOST_MAC, ip: HOST_IP, netmask: card.netmask };
    let mut frame = arp::reply(&arp::Request { mac: [0; 6], ip: card.ip }, &own);
    frame[..6].fill(0xff);
    frame[20..22].copy_from_slice(&wire::arp::OP_REQUEST.to_be_bytes());
    frame
}

/// The frame with padding up to the shortest legal length, each octet of it `octet`.
pub fn padded(mut frame: Vec<u8>, octet: u8) -> Vec<u8> {
    frame.resize(frame.len().max(ethernet::MIN_FRAME_OCTETS - ethernet::FCS_OCTETS), octet);
    frame
}
