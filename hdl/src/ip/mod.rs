//! ARP, IPv4, ICMP and UDP.

mod arp_fields;
mod extract;
mod facts;
mod ipv4_fields;
mod receive;
mod sender;
mod span;
mod sum;
mod transport_fields;
mod verdict;

pub use receive::Receive;
