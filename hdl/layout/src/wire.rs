//! Header fields, codes and limits as they appear on the wire.
//!
//! Multi-octet Ethernet, ARP, IPv4, ICMP and UDP fields are in network order (most significant
//! octet first); VDIF and the VTP serial number are little-endian.

/// XGMII control codes (IEEE 802.3 clause 46, table 46-3); the matching control bit is 1.
pub mod xgmii {
    /// Nothing on the wire.
    pub const IDLE: u8 = 0x07;
    /// Start of a frame; stands for the first preamble octet, in lane 0 or 4.
    pub const START: u8 = 0xfb;
    /// First octet after the FCS.
    pub const TERMINATE: u8 = 0xfd;
    /// A broken octet; the frame that contains it is bad whatever its FCS says.
    pub const ERROR: u8 = 0xfe;
    /// First octet of a sequence ordered set, in lane 0 or 4; three octets of data follow (clause 46.3.4).
    pub const SEQUENCE: u8 = 0x9c;
    /// What the receive side says when it has no signal: sent by the PCS to the MAC.
    pub const LOCAL_FAULT: [u8; 4] = [SEQUENCE, 0, 0, 1];
    /// What a MAC that receives a local fault sends to the other end.
    pub const REMOTE_FAULT: [u8; 4] = [SEQUENCE, 0, 0, 2];
    /// Preamble octet.
    pub const PREAMBLE: u8 = 0x55;
    /// Start-of-frame delimiter, the eighth octet counting START as the first.
    pub const SFD: u8 = 0xd5;
    /// Octets before the destination address: START, six times PREAMBLE, SFD.
    pub const PREAMBLE_OCTETS: usize = 8;
}

/// GMII at 1000 Mb/s (IEEE 802.3 clause 35).
pub mod gmii {
    /// Preamble octet.
    pub const PREAMBLE: u8 = 0x55;
    /// Start-of-frame delimiter.
    pub const SFD: u8 = 0xd5;
    /// Octets before the destination address: seven times PREAMBLE, SFD.
    pub const PREAMBLE_OCTETS: usize = 8;
    /// Frequency of either clock in Hz: an octet a cycle.
    pub const CLOCK_HERTZ: u64 = 125_000_000;
}

/// Ethernet frames (IEEE 802.3 clauses 3 and 4).
pub mod ethernet {
    /// Octets of destination, source and type.
    pub const HEADER_OCTETS: usize = 14;
    /// Octets of the frame check sequence.
    pub const FCS_OCTETS: usize = 4;
    /// Shortest frame in octets, FCS included; shorter ones are padded before the FCS.
    pub const MIN_FRAME_OCTETS: usize = 64;
    /// Longest frame in octets, FCS included, that any configuration may accept.
    pub const MAX_FRAME_OCTETS: usize = 16_384;
    /// Mean gap between frames in octets, TERMINATE included (96 bit times).
    pub const IFG_OCTETS: usize = 12;
    /// Shortest gap that a receiver has to accept, in octets (40 bit times, clause 4.4.2).
    pub const MIN_RX_GAP_OCTETS: usize = 5;
    /// IPv4.
    pub const TYPE_IPV4: u16 = 0x0800;
    /// ARP.
    pub const TYPE_ARP: u16 = 0x0806;
    /// One 802.1Q tag.
    pub const TYPE_VLAN: u16 = 0x8100;
    /// Outer tag of 802.1ad.
    pub const TYPE_QINQ: u16 = 0x88a8;
    /// MAC control: PAUSE.
    pub const TYPE_MAC_CONTROL: u16 = 0x8808;
    /// The group bit in the first octet of an address.
    pub const GROUP_BIT: u8 = 0x01;
}

/// PAUSE frames (IEEE 802.3 annex 31B).
pub mod pause {
    /// Where they go, unless to the address of the port.
    pub const DESTINATION: [u8; 6] = [0x01, 0x80, 0xc2, 0x00, 0x00, 0x01];
    /// The one operation, behind the type; its parameter follows, most significant octet first.
    pub const OPCODE: u16 = 0x0001;
    /// Bit times in a quantum, the unit of the parameter.
    pub const QUANTUM_BITS: usize = 512;
}

/// ARP over Ethernet for IPv4 (RFC 826).
pub mod arp {
    /// Octets of the ARP packet behind the Ethernet header.
    pub const PACKET_OCTETS: usize = 28;
    /// Hardware type Ethernet.
    pub const HTYPE: u16 = 1;
    /// Octets of a hardware address.
    pub const HLEN: u8 = 6;
    /// Octets of a protocol address.
    pub const PLEN: u8 = 4;
    /// Request.
    pub const OP_REQUEST: u16 = 1;
    /// Reply.
    pub const OP_REPLY: u16 = 2;
}

/// IPv4 without options (RFC 791).
pub mod ipv4 {
    /// Octets of a header without options.
    pub const HEADER_OCTETS: usize = 20;
    /// Version 4, header length 5 words: the first octet of such a header.
    pub const VERSION_IHL: u8 = 0x45;
    /// Flags and offset word with DF set: an atomic datagram, whose ID means nothing (RFC 6864 4.1).
    pub const FLAGS_DF: u16 = 0x4000;
    /// Bits of the flags and offset word that a fragment sets: MF and the offset.
    pub const FRAGMENT_MASK: u16 = 0x3fff;
    /// Time to live of what the card answers by itself.
    pub const DEFAULT_TTL: u8 = 64;
    /// ICMP.
    pub const PROTOCOL_ICMP: u8 = 1;
    /// UDP.
    pub const PROTOCOL_UDP: u8 = 17;
}

/// ICMP echo (RFC 792).
pub mod icmp {
    /// Octets of type, code, checksum, identifier and sequence number.
    pub const HEADER_OCTETS: usize = 8;
    /// Echo request.
    pub const ECHO_REQUEST: u8 = 8;
    /// Echo reply.
    pub const ECHO_REPLY: u8 = 0;
    /// Longest echo request answered, in octets of IPv4 total length: the reply buffer holds 2048 octets of frame.
    pub const MAX_TOTAL_LENGTH: usize = 2048 - super::ethernet::HEADER_OCTETS;
}

/// UDP over IPv4 (RFC 768).
pub mod udp {
    /// Octets of the UDP header.
    pub const HEADER_OCTETS: usize = 8;
    /// Ethernet, IPv4 and UDP headers together: the one header that the card writes and checks.
    pub const ALL_HEADERS_OCTETS: usize =
        super::ethernet::HEADER_OCTETS + super::ipv4::HEADER_OCTETS + HEADER_OCTETS;
    /// Largest payload in octets that fits a frame of [`super::ethernet::MAX_FRAME_OCTETS`].
    pub const MAX_PAYLOAD_OCTETS: usize =
        super::ethernet::MAX_FRAME_OCTETS - super::ethernet::FCS_OCTETS - ALL_HEADERS_OCTETS;
}

/// VDIF frames (VDIF 1.1.1) and the VTP serial number in front of them (VTP 1.0.0); little-endian.
pub mod vdif {
    /// Octets of a full (non-legacy) header.
    pub const HEADER_OCTETS: usize = 32;
    /// Frame lengths are counted in units of this many octets.
    pub const LENGTH_UNIT_OCTETS: usize = 8;
    /// Octets of the VTP packet serial number.
    pub const VTP_OCTETS: usize = 8;
    /// Version number that writers send today.
    pub const VERSION: u8 = 1;
    /// UDP port on which VTP recorders listen by default.
    pub const DEFAULT_PORT: u16 = 2630;
}
