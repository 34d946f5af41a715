//! ICMP echo (RFC 792, RFC 1122 section 3.2.2.6).
use super::ip::{self, Datagram, Header};
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::{icmp, ipv4};

/// What the card says of an ICMP datagram; [`counters::ICMP_ECHO`] is the one it answers.
pub fn receive(datagram: &Datagram) -> Counter {
    let message = datagram.payload;
    if message.len() < icmp::HEADER_OCTETS {
        counters::ICMP_OTHER
    } else if ip::sum(message) != 0xffff {
        counters::ICMP_BAD_CSUM
    } else if message[..2] != [icmp::ECHO_REQUEST, 0] {
        counters::ICMP_OTHER
    } else if datagram.total_length > icmp::MAX_TOTAL_LENGTH {
        counters::ICMP_TOO_LONG
    } else {
        counters::ICMP_ECHO
    }
}

/// The datagram that answers an echo request: identifier, sequence number and data unchanged.
///
/// The checksum is formed anew over the whole message, where the gateware adjusts the one received.
pub fn reply(request: &Datagram) -> Vec<u8> {
    let mut message = request.payload.to_vec();
    message[0] = icmp::ECHO_REPLY;
    message[2..4].fill(0);
    let checksum = !ip::sum(&message);
    message[2..4].copy_from_slice(&checksum.to_be_bytes());
    let header = Header {
        dscp: 0,
        ttl: ipv4::DEFAULT_TTL,
        protocol: ipv4::PROTOCOL_ICMP,
        source: request.destination,
        destination: request.source,
    };
    header.datagram(&message)
}
