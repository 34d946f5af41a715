//! The counters of the card: one for each reason a frame can meet.
//!
//! Every counter is 64 bits wide and wraps. A counter moves in the cycle of the verdict it counts.
//! Two sums hold:
//! * `rx_frames` = `rx_good` + every other counter of [`Group::Mac`], in every snapshot;
//! * `rx_good` = the sum of all counters of [`Group::Network`], in every snapshot taken while no
//!   good frame is between those two verdicts, which are a few clock cycles apart.

/// Which verdicts a counter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// All frames that began on the wire.
    Total,
    /// What the MAC said of a received frame: exactly one a frame.
    Mac,
    /// What address filter, ARP, IPv4, ICMP and UDP said of a good frame: exactly one a frame.
    Network,
    /// What happened to a received packet after its verdict.
    Port,
    /// The line, and what its two ends say to each other.
    Link,
    /// What was sent.
    Transmit,
    /// The sampler.
    Sampler,
}

/// One counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Name, as it appears in reports and in test cases.
    pub name: &'static str,
    /// Place in the statistics memory, and the event code that makes it move.
    pub code: u8,
    /// The verdicts it belongs to.
    pub group: Group,
    /// What it counts.
    pub doc: &'static str,
}

/// Bits of an event code.
pub const CODE_BITS: usize = 6;
/// Places in the statistics memory.
pub const PLACES: usize = 1 << CODE_BITS;

macro_rules! counters {
    ($($constant:ident $code:literal $name:literal $group:ident $doc:literal;)*) => {
        $(#[doc = $doc] pub const $constant: Counter =
            Counter { name: $name, code: $code, group: Group::$group, doc: $doc };)*
        /// Every counter, by ascending code.
        pub const COUNTERS: &[Counter] = &[$($constant),*];
    };
}

counters! {
    RX_FRAMES 0 "rx_frames" Total "Frames that began on the wire, good or bad.";
    RX_GOOD 1 "rx_good" Mac "Frames that the MAC passed on.";
    RX_FCS_ERROR 2 "rx_fcs_error" Mac "Frames of legal length whose FCS is wrong.";
    RX_CODE_ERROR 3 "rx_code_error" Mac "Frames with a control code inside, or that end without TERMINATE.";
    RX_UNDERSIZE 4 "rx_undersize" Mac "Frames below 64 octets with a good FCS.";
    RX_FRAGMENT 5 "rx_fragment" Mac "Frames below 64 octets with a bad FCS.";
    RX_OVERSIZE 6 "rx_oversize" Mac "Frames above the maximum length with a good FCS.";
    RX_JABBER 7 "rx_jabber" Mac "Frames above the maximum length with a bad FCS.";
    RX_PREAMBLE_ERROR 8 "rx_preamble_error" Mac "Frames whose preamble or SFD is damaged.";
    MAC_FILTERED 9 "mac_filtered" Network "Frames for another MAC address.";
    VLAN_DROP 10 "vlan_drop" Network "Frames with a VLAN tag.";
    ETHERTYPE_OTHER 11 "ethertype_other" Network "Frames that are neither ARP nor IPv4.";
    ARP_BAD 12 "arp_bad" Network "ARP packets with a wrong type, length, operation or sender.";
    ARP_NOT_OURS 13 "arp_not_ours" Network "ARP packets that ask for nothing of ours.";
    ARP_REQUEST 14 "arp_request" Network "ARP requests for the own address.";
    IP_BAD_VERSION 15 "ip_bad_version" Network "IPv4 frames whose version is not 4.";
    IP_BAD_IHL 16 "ip_bad_ihl" Network "Headers shorter than five words.";
    IP_LEN_ERROR 17 "ip_len_error" Network "Total length below the header or beyond the frame.";
    IP_BAD_CSUM 18 "ip_bad_csum" Network "Wrong header checksum.";
    IP_OPTIONS 19 "ip_options" Network "Headers with options, which are not read.";
    IP_BAD_SRC 20 "ip_bad_src" Network "Source address zero, group, broadcast, loopback or the own one.";
    IP_NOT_OURS 21 "ip_not_ours" Network "Destination address of somebody else.";
    L2BCAST_UNICAST_IP 22 "l2bcast_unicast_ip" Network "Unicast datagrams in broadcast frames.";
    IP_FRAGMENT 23 "ip_fragment" Network "Fragments, which are not reassembled.";
    IP_PROTO_OTHER 24 "ip_proto_other" Network "Neither ICMP nor UDP.";
    ICMP_BAD_CSUM 25 "icmp_bad_csum" Network "Wrong ICMP checksum.";
    ICMP_OTHER 26 "icmp_other" Network "ICMP that is no echo request, or one too short to be.";
    ICMP_TOO_LONG 27 "icmp_too_long" Network "Echo requests larger than the reply buffer.";
    ICMP_ECHO 28 "icmp_echo" Network "Good echo requests.";
    UDP_LEN_ERROR 29 "udp_len_error" Network "UDP length below 8 or beyond the datagram.";
    UDP_BAD_CSUM 30 "udp_bad_csum" Network "Wrong UDP checksum.";
    UDP_NO_PORT 31 "udp_no_port" Network "No listener on this port.";
    UDP_GOOD 32 "udp_good" Network "Datagrams for the port with a good checksum.";
    UDP_NOCSUM 33 "udp_nocsum" Network "Datagrams for the port without a checksum.";
    IP_BROADCAST 34 "ip_broadcast" Network "Broadcast and group datagrams, which no port takes.";
    RX_OVERRUN 35 "rx_overrun" Mac "Frames lost between the clocks of line and core.";
    UDP_RX_OVERFLOW 40 "udp_rx_overflow" Port "Datagrams dropped whole: the receive buffer was full.";
    ICMP_BUSY 41 "icmp_busy" Port "Echo requests dropped: the reply before was still leaving.";
    ARP_BUSY 42 "arp_busy" Port "ARP requests dropped: the reply before was still leaving.";
    LINK_LOCAL_FAULT 43 "link_local_fault" Link "Times that the own receive side had no signal.";
    LINK_REMOTE_FAULT 44 "link_remote_fault" Link "Times that the other end had no signal.";
    RX_PAUSE 45 "rx_pause" Link "Good PAUSE frames, obeyed or not.";
    TX_GOOD 48 "tx_good" Transmit "Frames sent.";
    TX_UNDERRUN 49 "tx_underrun" Transmit "Frames cut short because their words came too late.";
    TX_ERROR 50 "tx_error" Transmit "Frames sent damaged because their source marked them bad.";
    UDP_TX_GOOD 51 "udp_tx_good" Transmit "Packets taken over for sending.";
    UDP_TX_OVERSIZE 52 "udp_tx_oversize" Transmit "Packets dropped whole: longer than the limit.";
    UDP_TX_ERROR 53 "udp_tx_error" Transmit "Packets dropped whole: their source marked them bad.";
    TX_OVERSIZE 54 "tx_oversize" Transmit "Frames cut short because they were longer than the limit.";
    TX_PAUSE 55 "tx_pause" Transmit "PAUSE frames sent, which are frames sent too.";
    SAMPLER_PACKETS 56 "sampler_packets" Sampler "Packets framed.";
}

const fn codes_ascend() -> bool {
    let mut i = 0;
    while i < COUNTERS.len() {
        if COUNTERS[i].code as usize >= PLACES || (i > 0 && COUNTERS[i].code <= COUNTERS[i - 1].code) {
            return false;
        }
        i += 1;
    }
    true
}
const _: () = assert!(codes_ascend(), "counter codes must ascend and fit the statistics memory");

/// The counter of this name.
pub fn by_name(name: &str) -> Option<&'static Counter> {
    COUNTERS.iter().find(|counter| counter.name == name)
}
