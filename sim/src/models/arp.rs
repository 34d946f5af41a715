//! ARP for IPv4 over Ethernet (RFC 826), with the probes and the own echo of RFC 5227.
use super::eth::Mac;
use super::ip::{self, Own};
use super::{array, be16};
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::{arp, ethernet};
use std::net::Ipv4Addr;

/// A request that the card has to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Who asks.
    pub mac: Mac,
    /// Its IPv4 address; 0.0.0.0 in a probe.
    pub ip: Ipv4Addr,
}

/// Reads what follows the Ethernet header of an ARP frame, padding included.
///
/// # Errors
/// The counter of the first test that fails.
pub fn receive(packet: &[u8], own: &Own) -> Result<Request, Counter> {
    if packet.len() < arp::PACKET_OCTETS {
        return Err(counters::ARP_BAD);
    }
    let lengths = (packet[4], packet[5]);
    let operation = be16(packet, 6);
    let sender = Request { mac: array(packet, 8), ip: Ipv4Addr::from(array::<4>(packet, 14)) };
    let target = Ipv4Addr::from(array::<4>(packet, 24));
    let well_formed = be16(packet, 0) == arp::HTYPE
        && be16(packet, 2) == ethernet::TYPE_IPV4
        && lengths == (arp::HLEN, arp::PLEN)
        && [arp::OP_REQUEST, arp::OP_REPLY].contains(&operation);
    let no_host =
        sender.mac[0] & ethernet::GROUP_BIT != 0 || sender.ip.is_multicast() || own.is_broadcast(sender.ip);
    if !well_formed || no_host {
        return Err(counters::ARP_BAD);
    }
    let own_echo = sender == Request { mac: own.mac, ip: own.ip };
    if operation != arp::OP_REQUEST || target != own.ip || own_echo {
        return Err(counters::ARP_NOT_OURS);
    }
    Ok(sender)
}

/// The answer to a request, as a frame without padding and FCS: straight to whoever asked.
pub fn reply(request: &Request, own: &Own) -> Vec<u8> {
    let mut packet = Vec::with_capacity(arp::PACKET_OCTETS);
    packet.extend(arp::HTYPE.to_be_bytes());
    packet.extend(ethernet::TYPE_IPV4.to_be_bytes());
    packet.extend([arp::HLEN, arp::PLEN]);
    packet.extend(arp::OP_REPLY.to_be_bytes());
    packet.extend(own.mac);
    packet.extend(own.ip.octets());
    packet.extend(request.mac);
    packet.extend(request.ip.octets());
    ip::frame(request.mac, own.mac, ethernet::TYPE_ARP, &packet)
}
