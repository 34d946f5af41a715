//! The host on the in-process network: its stack, its UDP ports, its pings.

use super::device::Link;
use super::echo::{Echo, PeerPing};
use crate::net::{Error, Kind, PingPlan, Plan};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::udp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr, IpEndpoint};
use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Datagrams a port keeps for its reader, in octets of payload; what comes on top is dropped and
/// counted, as by a kernel's socket.
const PORT_OCTETS: usize = 8 << 20;

/// Datagrams one step of the stack may hold for a port. A step takes in one frame.
const STEP_DATAGRAMS: usize = 4;

/// A host inside this process; clones are handles on the same host.
#[derive(Clone)]
pub struct Peer(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    arrived: Condvar,
}

/// Everything behind the lock.
pub(super) struct State {
    link: Link,
    interface: Interface,
    sockets: SocketSet<'static>,
    ports: Vec<Port>,
    echo: Option<Echo>,
    born: std::time::Instant,
}

struct Port {
    handle: SocketHandle,
    number: u16,
    waiting: VecDeque<(Vec<u8>, SocketAddrV4)>,
    octets: usize,
    dropped: u64,
}

impl Peer {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut link = Link::new(plan.frame_max());
        let address = HardwareAddress::Ethernet(EthernetAddress(plan.mac));
        let mut interface = Interface::new(Config::new(address), &mut link, Instant::ZERO);
        interface.update_ip_addrs(|addresses| {
            addresses
                .push(IpCidr::new(IpAddress::Ipv4(plan.address), plan.prefix))
                .expect("an interface takes at least one address");
        });
        let state = State {
            link,
            interface,
            sockets: SocketSet::new(Vec::new()),
            ports: Vec::new(),
            echo: None,
            born: std::time::Instant::now(),
        };
        Self(Arc::new(Shared { state: Mutex::new(state), arrived: Condvar::new() }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().expect("no holder of this lock panics: it calls no foreign code")
    }

    /// The next frame for the board.
    pub(super) fn next_frame(&self) -> Option<Vec<u8>> {
        let mut state = self.lock();
        state.step();
        state.link.to_board.pop_front()
    }

    /// Takes a frame from the board.
    pub(super) fn accept(&self, frame: &[u8]) {
        let mut state = self.lock();
        state.link.to_stack.push_back(frame.to_vec());
        state.step();
        drop(state);
        self.0.arrived.notify_all();
    }

    /// Opens UDP port `number`.
    ///
    /// # Errors
    /// [`Error::Bind`] when the port is 0 or open already.
    pub fn open_udp(&self, number: u16) -> Result<PeerSocket, Error> {
        let refuse = |cause| Error::Bind { kind: Kind::Smoltcp, port: number, cause };
        let mut state = self.lock();
        if state.ports.iter().any(|port| port.number == number) {
            return Err(refuse(io::ErrorKind::AddrInUse.into()));
        }
        let mut socket = udp::Socket::new(buffer(&state.link), buffer(&state.link));
        socket.bind(number).map_err(|cause| refuse(io::Error::other(cause.to_string())))?;
        let handle = state.sockets.add(socket);
        state.ports.push(Port { handle, number, waiting: VecDeque::new(), octets: 0, dropped: 0 });
        Ok(PeerSocket { peer: self.clone(), number })
    }

    /// Starts echo requests; a run already under way is given up.
    pub(in crate::net) fn ping(&self, target: Ipv4Addr, plan: &PingPlan) -> PeerPing {
        let mut state = self.lock();
        state.end_echo();
        let now = state.now();
        state.echo = Some(Echo::start(&mut state.sockets, target, plan, now));
        drop(state);
        PeerPing::new(self.clone())
    }
}

fn buffer(link: &Link) -> udp::PacketBuffer<'static> {
    let octets = STEP_DATAGRAMS * smoltcp::phy::Device::capabilities(link).max_transmission_unit;
    udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; STEP_DATAGRAMS], vec![0; octets])
}

impl State {
    pub(super) fn now(&self) -> Instant {
        Instant::from_micros(i64::try_from(self.born.elapsed().as_micros()).unwrap_or(i64::MAX))
    }

    /// Lets the stack work off what waits on the link and in the sockets.
    pub(super) fn step(&mut self) {
        let now = self.now();
        if let Some(echo) = &mut self.echo {
            echo.send(&mut self.sockets, now);
        }
        self.interface.poll(now, &mut self.link, &mut self.sockets);
        if let Some(echo) = &mut self.echo {
            echo.receive(&mut self.sockets, now);
        }
        for port in &mut self.ports {
            port.collect(&mut self.sockets);
        }
    }

    /// The echo run, if one is under way.
    pub(super) fn echo(&self) -> Option<&Echo> {
        self.echo.as_ref()
    }

    /// Ends the echo run and frees its socket.
    pub(super) fn end_echo(&mut self) {
        if let Some(echo) = self.echo.take() {
            self.sockets.remove(echo.handle());
        }
    }
}

impl Port {
    /// Moves datagrams from the stack's small buffer to the reader's queue.
    fn collect(&mut self, sockets: &mut SocketSet<'_>) {
        let socket = sockets.get_mut::<udp::Socket>(self.handle);
        while let Ok((data, meta)) = socket.recv() {
            let IpAddress::Ipv4(address) = meta.endpoint.addr;
            if self.octets + data.len() > PORT_OCTETS {
                self.dropped += 1;
                continue;
            }
            self.octets += data.len();
            self.waiting.push_back((data.to_vec(), SocketAddrV4::new(address, meta.endpoint.port)));
        }
    }
}

/// A UDP port of the in-process host; closed when dropped.
pub struct PeerSocket {
    peer: Peer,
    number: u16,
}

impl PeerSocket {
    /// The next datagram and its sender; waits for at most `limit`.
    pub fn receive(&self, limit: Duration) -> Option<(Vec<u8>, SocketAddrV4)> {
        let empty = |state: &mut State| state.port(self.number).waiting.is_empty();
        let (mut state, _) = self
            .peer
            .0
            .arrived
            .wait_timeout_while(self.peer.lock(), limit, empty)
            .expect("no holder of this lock panics: it calls no foreign code");
        let port = state.port(self.number);
        let (data, sender) = port.waiting.pop_front()?;
        port.octets -= data.len();
        Some((data, sender))
    }

    /// Sends one datagram.
    ///
    /// # Errors
    /// [`Error::Send`] when the stack has no room for it.
    pub fn send_to(&self, data: &[u8], target: SocketAddrV4) -> Result<(), Error> {
        let mut state = self.peer.lock();
        let handle = state.port(self.number).handle;
        let endpoint = IpEndpoint::new(IpAddress::Ipv4(*target.ip()), target.port());
        let socket = state.sockets.get_mut::<udp::Socket>(handle);
        socket.send_slice(data, endpoint).map_err(|cause| Error::Send {
            wire: Kind::Smoltcp.name(),
            octets: data.len(),
            cause: io::Error::other(cause.to_string()),
        })
    }

    /// Datagrams dropped because nobody fetched the ones before them.
    pub fn dropped(&self) -> u64 {
        self.peer.lock().port(self.number).dropped
    }
}

impl State {
    fn port(&mut self, number: u16) -> &mut Port {
        let port = self.ports.iter_mut().find(|port| port.number == number);
        port.expect("a port stays until its only socket handle is dropped")
    }
}

impl Drop for PeerSocket {
    fn drop(&mut self) {
        let mut state = self.peer.lock();
        if let Some(place) = state.ports.iter().position(|port| port.number == self.number) {
            let port = state.ports.swap_remove(place);
            state.sockets.remove(port.handle);
        }
    }
}
