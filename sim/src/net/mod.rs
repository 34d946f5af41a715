//! Networks that meet the simulated board at frame level.
//!
//! A [`Wire`] carries whole Ethernet frames between the board and a network stack; a [`Lab`] sets
//! up that stack and runs `ping` and UDP sockets in it. Three kinds exist, tried in this order:
//!
//! | kind | far side | needs |
//! |---|---|---|
//! | [`Kind::Tap`] | the kernel, through a TAP device in a network namespace of its own | root (CAP_NET_ADMIN, CAP_SYS_ADMIN) and `/dev/net/tun` |
//! | [`Kind::Veth`] | the kernel, through a veth pair and a packet socket in a user namespace | unprivileged user namespaces |
//! | [`Kind::Smoltcp`] | an IP stack inside this process | nothing |
//!
//! Namespaces and devices belong to descriptors of this process: when it ends, however it ends,
//! the kernel removes them. Nothing is named in `/run/netns`, nothing outside is changed.

mod command;
mod error;
mod interface;
mod lab;
mod namespace;
mod ping;
mod plan;
mod stack;
mod tap;
#[cfg(test)]
mod tests;
mod veth;

use nicforge_layout::wire::ethernet;

pub use error::{Error, Step};
pub use lab::{Lab, Refusal, Socket};
pub use namespace::Namespace;
pub use ping::{Ping, PingPlan, PingReport, RoundTrip};
pub use plan::{Choice, Kind, Plan};
pub use stack::{PeerSocket, Smoltcp};
pub use tap::Tap;
pub use veth::Veth;

/// Shortest Ethernet frame in octets, FCS not counted.
pub const FRAME_MIN: usize = ethernet::MIN_FRAME_OCTETS - ethernet::FCS_OCTETS;

/// One VLAN tag in octets (IEEE 802.1Q).
const VLAN_TAG: usize = 4;

/// Carries Ethernet frames without FCS to and from a network stack.
pub trait Wire {
    /// Copies a waiting frame into `buffer` and returns its length in octets, or `None` when no
    /// frame waits; never blocks.
    ///
    /// Frames shorter than [`FRAME_MIN`] come padded with zeros, as they would on a cable. On the
    /// kernel's wires each call costs a system call, so a simulation asks every few hundred
    /// cycles, not every cycle. The buffer must be longer than the longest frame: a TAP cuts
    /// frames silently, so one that fills the buffer counts as cut.
    ///
    /// # Errors
    /// [`Error::Buffer`] when the frame does not fit (it is then lost), [`Error::Receive`] when
    /// the device fails.
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Error>;

    /// Hands one frame, header first and without FCS, to the network stack.
    ///
    /// # Errors
    /// [`Error::Send`] when the device refuses the frame, for example because it exceeds the MTU (a VLAN tag
    /// not counted) or lacks a header.
    fn send(&mut self, frame: &[u8]) -> Result<(), Error>;

    /// The kind of wire: `tap`, `veth` or `smoltcp`.
    fn name(&self) -> &'static str;
}

impl<W: Wire + ?Sized> Wire for Box<W> {
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Error> {
        (**self).receive(buffer)
    }

    fn send(&mut self, frame: &[u8]) -> Result<(), Error> {
        (**self).send(frame)
    }

    fn name(&self) -> &'static str {
        (**self).name()
    }
}

/// Refuses a frame that no network of `plan` carries, so that all wires agree on the limits: a TAP
/// takes any length, a packet socket does not. A VLAN tag may come on top of the MTU.
fn check_length(frame: &[u8], plan: &Plan, wire: &'static str) -> Result<(), Error> {
    let range = ethernet::HEADER_OCTETS..=plan.frame_max() + VLAN_TAG;
    if range.contains(&frame.len()) {
        return Ok(());
    }
    let wanted = format!("the network takes {} to {} octets", range.start(), range.end());
    Err(Error::Send { wire, octets: frame.len(), cause: std::io::Error::other(wanted) })
}

/// Pads the frame of `length` octets at the start of `buffer` to [`FRAME_MIN`].
fn pad(buffer: &mut [u8], length: usize, wire: &'static str) -> Result<usize, Error> {
    if length >= FRAME_MIN {
        return Ok(length);
    }
    let Some(padding) = buffer.get_mut(length..FRAME_MIN) else {
        return Err(Error::Buffer { wire, wanted: FRAME_MIN, found: buffer.len() });
    };
    padding.fill(0);
    Ok(FRAME_MIN)
}
