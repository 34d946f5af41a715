//! ARP, IPv4, ICMP and UDP.

mod arp_fields;
mod arp_reply;
mod echo_reply;
mod extract;
mod facts;
mod ipv4_fields;
mod packet_buffer;
mod receive;
mod sender;
mod span;
mod sum;
mod transport_fields;
mod udp_transmit;
mod verdict;

pub use arp_reply::ArpReply;
pub use echo_reply::EchoReply;
pub use packet_buffer::PacketBuffer;
pub use receive::Receive;
pub use sum::WordSum;
pub use udp_transmit::UdpTransmit;
