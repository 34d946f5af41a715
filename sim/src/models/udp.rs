//! UDP (RFC 768, RFC 1122 section 4.1.3).
use super::be16;
use super::eth::Mac;
use super::ip::{self, Datagram, Header};
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::{ethernet, ipv4, udp};
use std::net::Ipv4Addr;

/// Everything that the headers of a packet sent say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// MAC address of the sender.
    pub source_mac: Mac,
    /// MAC address of the receiver.
    pub destination_mac: Mac,
    /// IPv4 address of the sender.
    pub source_ip: Ipv4Addr,
    /// IPv4 address of the receiver.
    pub destination_ip: Ipv4Addr,
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// Time to live.
    pub ttl: u8,
    /// Differentiated services code point, 0 to 63.
    pub dscp: u8,
    /// Is the checksum computed, or sent as 0?
    pub checksum: bool,
}

/// What the card says of a UDP datagram, and its payload if the listening port takes it.
///
/// # Errors
/// The counter of the first test that fails.
pub fn receive<'a>(datagram: &Datagram<'a>, port: u16) -> Result<(Counter, &'a [u8]), Counter> {
    let received = datagram.payload;
    if received.len() < udp::HEADER_OCTETS {
        return Err(counters::UDP_LEN_ERROR);
    }
    let length = usize::from(be16(received, 4));
    if length < udp::HEADER_OCTETS || length > received.len() {
        return Err(counters::UDP_LEN_ERROR);
    }
    let segment = &received[..length];
    let summed = be16(segment, 6) != 0;
    if summed && sum(datagram.source, datagram.destination, segment) != 0xffff {
        return Err(counters::UDP_BAD_CSUM);
    }
    let destination_port = be16(segment, 2);
    if destination_port == 0 || destination_port != port {
        return Err(counters::UDP_NO_PORT);
    }
    let verdict = if summed { counters::UDP_GOOD } else { counters::UDP_NOCSUM };
    Ok((verdict, &segment[udp::HEADER_OCTETS..]))
}

/// The one's-complement sum over pseudo header and segment, checksum field included.
fn sum(source: Ipv4Addr, destination: Ipv4Addr, segment: &[u8]) -> u16 {
    let pseudo = [
        ip::sum(&source.octets()),
        ip::sum(&destination.octets()),
        u16::from(ipv4::PROTOCOL_UDP),
        segment.len() as u16,
        ip::sum(segment),
    ];
    ip::fold(pseudo.into_iter().map(u64::from).sum())
}

/// The packet as a frame without padding and FCS.
///
/// # Panics
/// If the payload does not fit a datagram.
pub fn build(flow: &Flow, payload: &[u8]) -> Vec<u8> {
    let length =
        u16::try_from(udp::HEADER_OCTETS + payload.len()).expect("a datagram has at most 65535 octets");
    let fields = [flow.source_port, flow.destination_port, length, 0];
    let mut segment: Vec<u8> = fields.into_iter().flat_map(u16::to_be_bytes).collect();
    segment.extend_from_slice(payload);
    if flow.checksum {
        // 0 on the wire would mean that none was computed; 0xffff is the same number (RFC 768).
        let checksum = match !sum(flow.source_ip, flow.destination_ip, &segment) {
            0 => 0xffff,
            checksum => checksum,
        };
        segment[6..8].copy_from_slice(&checksum.to_be_bytes());
    }
    let header = Header {
        dscp: flow.dscp,
        ttl: flow.ttl,
        protocol: ipv4::PROTOCOL_UDP,
        source: flow.source_ip,
        destination: flow.destination_ip,
    };
    ip::frame(flow.destination_mac, flow.source_mac, ethernet::TYPE_IPV4, &header.datagram(&segment))
}
