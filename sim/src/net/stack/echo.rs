//! Echo requests and replies (RFC 792) of the in-process host.

use super::peer::Peer;
use crate::net::{PingPlan, PingReport, RoundTrip};
use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::socket::icmp;
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{Icmpv4Packet, Icmpv4Repr, IpAddress};
use std::net::Ipv4Addr;

/// Identifier of all requests; only one run exists at a time.
const IDENTIFIER: u16 = 0x4e49;

/// Requests the stack may hold while it asks for the board's MAC address.
const WAITING: usize = 16;

/// One run of echo requests.
pub(super) struct Echo {
    handle: SocketHandle,
    target: Ipv4Addr,
    count: usize,
    interval: Duration,
    timeout: Duration,
    payload: Vec<u8>,
    started: Instant,
    sent: Vec<Sent>,
    duplicates: u64,
}

struct Sent {
    at: Instant,
    round_trip: Option<Duration>,
}

impl Echo {
    pub fn start(sockets: &mut SocketSet<'_>, target: Ipv4Addr, plan: &PingPlan, now: Instant) -> Self {
        let buffer = || {
            let octets = WAITING * (usize::from(plan.payload) + 8);
            icmp::PacketBuffer::new(vec![icmp::PacketMetadata::EMPTY; WAITING], vec![0; octets])
        };
        let mut socket = icmp::Socket::new(buffer(), buffer());
        socket.bind(icmp::Endpoint::Ident(IDENTIFIER)).expect("a new socket takes a fixed identifier");
        Self {
            handle: sockets.add(socket),
            target,
            count: usize::from(plan.count),
            interval: plan.interval.into(),
            timeout: plan.timeout.into(),
            payload: (0..plan.payload).map(|octet| octet as u8).collect(),
            started: now,
            sent: Vec::with_capacity(usize::from(plan.count)),
            duplicates: 0,
        }
    }

    pub fn handle(&self) -> SocketHandle {
        self.handle
    }

    /// Sends the next request when its time has come.
    pub fn send(&mut self, sockets: &mut SocketSet<'_>, now: Instant) {
        let number = self.sent.len();
        if number == self.count || now < self.started + self.interval * number as u32 {
            return;
        }
        let socket = sockets.get_mut::<icmp::Socket>(self.handle);
        let request =
            Icmpv4Repr::EchoRequest { ident: IDENTIFIER, seq_no: number as u16, data: &self.payload };
        // No room: the board has not yet answered ARP. The request goes out later.
        let Ok(room) = socket.send(request.buffer_len(), IpAddress::Ipv4(self.target)) else { return };
        request.emit(&mut Icmpv4Packet::new_unchecked(room), &ChecksumCapabilities::default());
        self.sent.push(Sent { at: now, round_trip: None });
    }

    /// Accounts for replies that arrived.
    pub fn receive(&mut self, sockets: &mut SocketSet<'_>, now: Instant) {
        let socket = sockets.get_mut::<icmp::Socket>(self.handle);
        while let Ok((message, source)) = socket.recv() {
            let Ok(packet) = Icmpv4Packet::new_checked(message) else { continue };
            let reply = Icmpv4Repr::parse(&packet, &ChecksumCapabilities::default());
            let Ok(Icmpv4Repr::EchoReply { seq_no, data, .. }) = reply else { continue };
            if source != IpAddress::Ipv4(self.target) || data != self.payload {
                continue;
            }
            match self.sent.get_mut(usize::from(seq_no)) {
                Some(sent) if sent.round_trip.is_none() => sent.round_trip = Some(now - sent.at),
                Some(_) => self.duplicates += 1,
                None => {}
            }
        }
    }

    /// The report, if nothing more is to come at `now`.
    pub fn report(&self, now: Instant) -> Option<PingReport> {
        let times: Vec<f64> = self
            .sent
            .iter()
            .filter_map(|sent| sent.round_trip)
            .map(|time| time.total_micros() as f64 / 1000.0)
            .collect();
        // The bound holds from the start: requests that found no room count as never sent.
        let over = self.started + self.interval * self.count as u32 + self.timeout;
        let waited = self.sent.last().is_some_and(|sent| now > sent.at + self.timeout);
        let complete = self.sent.len() == self.count && (times.len() == self.count || waited);
        if !complete && now <= over {
            return None;
        }
        Some(PingReport {
            sent: self.sent.len() as u64,
            received: times.len() as u64,
            duplicates: self.duplicates,
            errors: 0,
            round_trip: (!times.is_empty()).then(|| RoundTrip {
                min_ms: times.iter().copied().fold(f64::INFINITY, f64::min),
                mean_ms: times.iter().sum::<f64>() / times.len() as f64,
                max_ms: times.iter().copied().fold(0.0, f64::max),
            }),
        })
    }
}

/// Handle on the echo run of a host; dropping it ends the run.
pub struct PeerPing {
    peer: Peer,
}

impl PeerPing {
    pub(super) fn new(peer: Peer) -> Self {
        Self { peer }
    }

    /// The report, once the run has ended.
    pub fn poll(&mut self) -> Option<PingReport> {
        let mut state = self.peer.lock();
        state.step();
        let now = state.now();
        state.echo().and_then(|echo| echo.report(now))
    }
}

impl Drop for PeerPing {
    fn drop(&mut self) {
        self.peer.lock().end_echo();
    }
}
