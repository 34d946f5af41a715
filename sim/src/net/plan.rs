//! What is asked of a network: its kind, its addresses, its MTU.

use super::Error;
use nicforge_layout::wire::ethernet;
use std::net::Ipv4Addr;
use std::str::FromStr;

/// The kinds of network, in the order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A TAP device in a network namespace.
    Tap,
    /// A veth pair in a user and network namespace, the board on a packet socket.
    Veth,
    /// An IP stack inside this process.
    Smoltcp,
}

impl Kind {
    /// All kinds, the preferred one first.
    pub const ALL: [Self; 3] = [Self::Tap, Self::Veth, Self::Smoltcp];

    /// The name used in options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tap => "tap",
            Self::Veth => "veth",
            Self::Smoltcp => "smoltcp",
        }
    }

    /// What the kind is, for a reader who has not met the name.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Tap => "the kernel's own network stack behind a TAP device in a private namespace",
            Self::Veth => "the kernel's own network stack behind a veth pair in a user namespace",
            Self::Smoltcp => "a network stack inside this process; the kernel takes no part",
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Which kind of network to set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first of [`Kind::ALL`] that this machine allows.
    #[default]
    Auto,
    /// This kind or none.
    Only(Kind),
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        Kind::ALL.into_iter().find(|kind| kind.name() == text).map(Self::Only).ok_or_else(|| Error::Plan {
            field: "kind",
            wanted: "auto, tap, veth or smoltcp",
            found: text.to_owned(),
        })
    }
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Only(kind) => kind.fmt(f),
        }
    }
}

/// Addresses and limits of the host's side of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// IPv4 address of the host.
    pub address: Ipv4Addr,
    /// Length of the network prefix in bits, 1..=30.
    pub prefix: u8,
    /// MAC address of the host, individual and not zero.
    pub mac: [u8; 6],
    /// Largest IP packet in octets, 576..=16366: what the card's frames may carry.
    pub mtu: u16,
}

impl Plan {
    /// Host at `address`/`prefix` with the default MAC address and an MTU of 9000, which takes a
    /// VDIF frame of 8032 octets with serial number, UDP and IP header (8068).
    pub const fn new(address: Ipv4Addr, prefix: u8) -> Self {
        // A locally administered address whose middle octets are ASCII "nic".
        Self { address, prefix, mac: [0x02, b'n', b'i', b'c', 0, 1], mtu: 9000 }
    }

    /// Longest Ethernet frame on this network in octets, without FCS.
    pub const fn frame_max(&self) -> usize {
        self.mtu as usize + ethernet::HEADER_OCTETS
    }

    /// Names the first field that no network can have.
    pub(super) fn check(&self) -> Result<(), Error> {
        let bad = |field, wanted, found: String| Err(Error::Plan { field, wanted, found });
        if self.address.is_unspecified() || self.address.is_multicast() || self.address.is_broadcast() {
            return bad("address", "a unicast IPv4 address", self.address.to_string());
        }
        if !(1..=30).contains(&self.prefix) {
            return bad("prefix", "1 to 30 bits", self.prefix.to_string());
        }
        if self.mac[0] & 1 == 1 || self.mac == [0; 6] {
            return bad("mac", "an individual MAC address", mac_text(&self.mac));
        }
        let frame_max = ethernet::MAX_FRAME_OCTETS - ethernet::FCS_OCTETS;
        if self.mtu < 576 || self.frame_max() > frame_max {
            return bad("mtu", "576 to 16366 octets", self.mtu.to_string());
        }
        Ok(())
    }
}

/// A MAC address as six hexadecimal pairs with colons.
pub(super) fn mac_text(mac: &[u8; 6]) -> String {
    mac.map(|octet| format!("{octet:02x}")).join(":")
}
