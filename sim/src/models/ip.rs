//! IPv4 (RFC 791) as a host has to receive it (RFC 1122 section 3.2.1), and as the card sends it.
use super::eth::Mac;
use super::{array, be16};
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::{ethernet, ipv4};
use std::net::Ipv4Addr;

/// Who the card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// MAC address.
    pub mac: Mac,
    /// IPv4 address.
    pub ip: Ipv4Addr,
    /// Mask of its subnet.
    pub netmask: Ipv4Addr,
}

impl Own {
    /// The directed broadcast address of the own subnet (RFC 922).
    pub fn subnet_broadcast(&self) -> Ipv4Addr {
        self.ip | !self.netmask
    }

    /// Is this everybody, or everybody here?
    pub fn is_broadcast(&self, address: Ipv4Addr) -> bool {
        address.is_broadcast() || address == self.subnet_broadcast()
    }
}

/// A datagram for the card that passed all tests of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// Sender.
    pub source: Ipv4Addr,
    /// The card.
    pub destination: Ipv4Addr,
    /// What is inside.
    pub protocol: u8,
    /// Header and payload together, in octets, as the header says.
    pub total_length: usize,
    /// The payload alone; Ethernet padding is cut off.
    pub payload: &'a [u8],
}

/// The one's-complement sum of big-endian half-words, folded to 16 bits; an odd octet at the end
/// counts as if a zero followed (RFC 1071).
pub fn sum(octets: &[u8]) -> u16 {
    let total: u64 = octets
        .chunks(2)
        .map(|pair| u64::from(pair[0]) << 8 | pair.get(1).map_or(0, |low| u64::from(*low)))
        .sum();
    fold(total)
}

/// One's-complement addition of sums: carries go round.
pub fn fold(mut total: u64) -> u16 {
    while total > 0xffff {
        total = (total >> 16) + (total & 0xffff);
    }
    total as u16
}

/// Reads what follows the Ethernet header of an IPv4 frame, padding included.
///
/// # Errors
/// The counter of the first test that fails. `broadcast` says that the frame was sent to everybody.
pub fn receive<'a>(packet: &'a [u8], broadcast: bool, own: &Own) -> Result<Datagram<'a>, Counter> {
    if packet[0] >> 4 != 4 {
        return Err(counters::IP_BAD_VERSION);
    }
    let header_length = usize::from(packet[0] & 0xf) * 4;
    if header_length < ipv4::HEADER_OCTETS {
        return Err(counters::IP_BAD_IHL);
    }
    let total_length = usize::from(be16(packet, 2));
    if total_length < header_length || total_length > packet.len() {
        return Err(counters::IP_LEN_ERROR);
    }
    if sum(&packet[..header_length]) != 0xffff {
        return Err(counters::IP_BAD_CSUM);
    }
    if header_length > ipv4::HEADER_OCTETS {
        return Err(counters::IP_OPTIONS);
    }
    let source = Ipv4Addr::from(array::<4>(packet, 12));
    if source.is_unspecified()
        || source.is_multicast()
        || source.is_loopback()
        || own.is_broadcast(source)
        || source == own.ip
    {
        return Err(counters::IP_BAD_SRC);
    }
    let destination = Ipv4Addr::from(array::<4>(packet, 16));
    check_destination(destination, broadcast, own)?;
    if be16(packet, 6) & ipv4::FRAGMENT_MASK != 0 {
        return Err(counters::IP_FRAGMENT);
    }
    let payload = &packet[header_length..total_length];
    Ok(Datagram { source, destination, protocol: packet[9], total_length, payload })
}

fn check_destination(destination: Ipv4Addr, broadcast: bool, own: &Own) -> Result<(), Counter> {
    if destination == own.ip {
        if broadcast { Err(counters::L2BCAST_UNICAST_IP) } else { Ok(()) }
    } else if destination.is_multicast() || own.is_broadcast(destination) {
        Err(counters::IP_BROADCAST)
    } else {
        Err(counters::IP_NOT_OURS)
    }
}

/// What the card writes into the header of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Differentiated services code point, 0 to 63.
    pub dscp: u8,
    /// Time to live.
    pub ttl: u8,
    /// What is inside.
    pub protocol: u8,
    /// Sender.
    pub source: Ipv4Addr,
    /// Receiver.
    pub destination: Ipv4Addr,
}

impl Header {
    /// The datagram with this header: an atomic one, identification 0 and DF set (RFC 6864 section 4.1).
    ///
    /// # Panics
    /// If the payload does not fit a datagram.
    pub fn datagram(&self, payload: &[u8]) -> Vec<u8> {
        let total =
            u16::try_from(ipv4::HEADER_OCTETS + payload.len()).expect("a datagram has at most 65535 octets");
        let mut header = vec![ipv4::VERSION_IHL, self.dscp << 2];
        header.extend(total.to_be_bytes());
        header.extend(0u16.to_be_bytes());
        header.extend(ipv4::FLAGS_DF.to_be_bytes());
        header.extend([self.ttl, self.protocol, 0, 0]);
        header.extend(self.source.octets());
        header.extend(self.destination.octets());
        let checksum = !sum(&header);
        header[10..12].copy_from_slice(&checksum.to_be_bytes());
        [&header, payload].concat()
    }
}

/// An Ethernet frame without padding and FCS.
pub fn frame(destination: Mac, source: Mac, ethertype: u16, packet: &[u8]) -> Vec<u8> {
    [&destination[..], &source, &ethertype.to_be_bytes(), packet].concat()
}

/// Writes the checksum of a header anew, whatever its fields say; for frames that are wrong on purpose.
///
/// `frame` starts at the destination address and has no VLAN tag; only the first 20 octets of the header count.
pub fn refresh_checksum(frame: &mut [u8]) {
    let header = &mut frame[ethernet::HEADER_OCTETS..][..ipv4::HEADER_OCTETS];
    header[10..12].fill(0);
    let checksum = !sum(header);
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
}
