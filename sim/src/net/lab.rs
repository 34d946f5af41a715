//! The host's side of a network: chosen, set up, and given `ping` and UDP sockets.

use super::{
    Choice, Error, Kind, Namespace, PeerSocket, Ping, PingPlan, Plan, Smoltcp, Tap, Veth, Wire, stack::Peer,
};
use rustix::net::{AddressFamily, SocketType};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};

/// A kind of network that this machine does not allow, and why.
#[derive(Debug)]
pub struct Refusal {
    /// The kind that was tried.
    pub kind: Kind,
    /// What stood against it.
    pub reason: Error,
}

/// The host's side of a network; lives as long as its handles and sockets.
pub struct Lab {
    kind: Kind,
    plan: Plan,
    refusals: Vec<Refusal>,
    chosen: bool,
    side: Side,
}

enum Side {
    Kernel(Namespace),
    Process(Peer),
}

/// A UDP socket on the host's side.
pub enum Socket {
    /// A socket of the kernel, inside the namespace.
    Kernel(UdpSocket),
    /// A socket of the stack in this process.
    Process(PeerSocket),
}

impl Lab {
    /// Sets up the host's side of a network as `choice` and `plan` say, and the board's end of
    /// the wire to it.
    ///
    /// # Errors
    /// [`Error::Plan`] for an impossible plan; [`Error::Refused`] when the kind asked for is not
    /// available. [`Choice::Auto`] always finds one.
    pub fn open(choice: Choice, plan: &Plan) -> Result<(Self, Box<dyn Wire + Send>), Error> {
        plan.check()?;
        let mut refusals = Vec::new();
        let (kinds, chosen) = match &choice {
            Choice::Auto => (Kind::ALL.as_slice(), false),
            Choice::Only(kind) => (std::slice::from_ref(kind), true),
        };
        for &kind in kinds {
            match Self::build(kind, plan) {
                Ok((side, wire)) => {
                    return Ok((Self { kind, plan: *plan, refusals, chosen, side }, wire));
                }
                Err(cause) if chosen => return Err(Error::Refused { kind, cause: Box::new(cause) }),
                Err(reason) => {
                    tracing::debug!(%kind, %reason, "network refused");
                    refusals.push(Refusal { kind, reason });
                }
            }
        }
        unreachable!("the last kind needs nothing that could be refused")
    }

    fn build(kind: Kind, plan: &Plan) -> Result<(Side, Box<dyn Wire + Send>), Error> {
        match kind {
            Kind::Tap => {
                let (namespace, wire) = Tap::open(plan)?;
                Ok((Side::Kernel(namespace), Box::new(wire)))
            }
            Kind::Veth => {
                let (namespace, wire) = Veth::open(plan)?;
                Ok((Side::Kernel(namespace), Box::new(wire)))
            }
            Kind::Smoltcp => {
                let (peer, wire) = Smoltcp::open(plan)?;
                Ok((Side::Process(peer), Box::new(wire)))
            }
        }
    }

    /// The kind of network in use.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The addresses in use.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The kinds tried before this one, with the reason against each.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// One line: which network it is, and why this one.
    pub fn summary(&self) -> String {
        let mut text = format!("network {}: {}", self.kind, self.kind.meaning());
        if self.chosen {
            text.push_str(", as asked");
        }
        for Refusal { kind, reason } in &self.refusals {
            text.push_str(&format!("; not {kind}: {reason}"));
        }
        text
    }

    /// Starts echo requests to `target`; something else must keep the wire moving until they end.
    ///
    /// The system's `ping` dies with the calling thread.
    ///
    /// # Errors
    /// [`Error::Plan`] for an impossible plan, [`Error::Start`] where `ping` is missing.
    pub fn ping(&self, target: Ipv4Addr, plan: &PingPlan) -> Result<Ping, Error> {
        match &self.side {
            Side::Kernel(namespace) => Ping::system(namespace, &self.plan, target, plan),
            Side::Process(peer) => Ping::peer(peer, &self.plan, target, plan),
        }
    }

    /// Opens UDP port `port` at the host's address.
    ///
    /// # Errors
    /// [`Error::Bind`] when the port is not free.
    pub fn udp(&self, port: u16) -> Result<Socket, Error> {
        let namespace = match &self.side {
            Side::Kernel(namespace) => namespace,
            Side::Process(peer) => return peer.open_udp(port).map(Socket::Process),
        };
        let socket = namespace.socket(AddressFamily::INET, SocketType::DGRAM, None)?;
        rustix::net::bind(&socket, &SocketAddrV4::new(self.plan.address, port))
            .map_err(|errno| Error::Bind { kind: self.kind, port, cause: errno.into() })?;
        Ok(Socket::Kernel(socket.into()))
    }
}
