//! A board in plain Rust: answers ARP and echo requests, takes and sends datagrams.
//!
//! It parses by hand and checks every sum, so that a stack that leaves checksums to a device is
//! found out.

use crate::net::{FRAME_MIN, Wire};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

const MAC: [u8; 6] = [2, 0, 0, 0, 0, 0x42];

/// Where a datagram goes.
#[derive(Clone, Copy)]
pub struct Host {
    pub mac: [u8; 6],
    pub address: SocketAddrV4,
}

/// What this board does wrong.
#[derive(Clone, Copy, Default)]
pub struct Habits {
    /// Position of the echo request that gets no reply.
    pub deaf_to: Option<usize>,
    /// Every reply is sent twice.
    pub echo_twice: bool,
}

/// What the board has seen.
#[derive(Debug, Default)]
pub struct Seen {
    pub arps: usize,
    pub echoes: usize,
    pub damaged: usize,
}

/// A board at work on its own thread, until stopped or dropped.
pub struct Board {
    frames: Option<Sender<Vec<u8>>>,
    datagrams: Receiver<Vec<u8>>,
    thread: Option<JoinHandle<Seen>>,
    address: Ipv4Addr,
}

impl Board {
    pub fn start(mut wire: Box<dyn Wire + Send>, address: Ipv4Addr, habits: Habits) -> Self {
        let (frames, to_send) = channel::<Vec<u8>>();
        let (arrived, datagrams) = channel();
        let thread = std::thread::spawn(move || {
            let mut state = State { address, habits, seen: Seen::default(), arrived };
            let mut buffer = vec![0; 20_000];
            loop {
                while let Some(length) = wire.receive(&mut buffer).unwrap() {
                    for reply in state.answer(&buffer[..length]) {
                        wire.send(&reply).unwrap();
                    }
                }
                match to_send.recv_timeout(Duration::from_micros(200)) {
                    Ok(frame) => wire.send(&frame).unwrap(),
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                    Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return state.seen,
                }
            }
        });
        Self { frames: Some(frames), datagrams, thread: Some(thread), address }
    }

    /// Sends one datagram from `port`, with a UDP checksum.
    pub fn send(&self, to: Host, port: u16, data: &[u8]) {
        let mut udp = Vec::new();
        udp.extend_from_slice(&port.to_be_bytes());
        udp.extend_from_slice(&to.address.port().to_be_bytes());
        udp.extend_from_slice(&(data.len() as u16 + 8).to_be_bytes());
        udp.extend_from_slice(&[0, 0]);
        udp.extend_from_slice(data);
        let sum = udp_sum(&udp, self.address, *to.address.ip());
        udp[6..8].copy_from_slice(&(if sum == 0 { 0xffff } else { sum }).to_be_bytes());
        let frame = ipv4(to.mac, self.address, *to.address.ip(), 17, &udp);
        self.frames.as_ref().unwrap().send(frame).unwrap();
    }

    /// The next datagram that reached the board whole.
    pub fn datagram(&self, limit: Duration) -> Option<Vec<u8>> {
        self.datagrams.recv_timeout(limit).ok()
    }

    pub fn stop(mut self) -> Seen {
        self.frames = None;
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.frames = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct State {
    address: Ipv4Addr,
    habits: Habits,
    seen: Seen,
    arrived: Sender<Vec<u8>>,
}

impl State {
    fn answer(&mut self, frame: &[u8]) -> Vec<Vec<u8>> {
        assert!(frame.len() >= FRAME_MIN, "a runt of {} octets", frame.len());
        match u16::from_be_bytes([frame[12], frame[13]]) {
            0x0806 => self.arp(frame).into_iter().collect(),
            0x0800 => self.ip(frame),
            _ => Vec::new(),
        }
    }

    fn arp(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        if frame[14..22] != [0, 1, 8, 0, 6, 4, 0, 1] || frame[38..42] != self.address.octets() {
            return None;
        }
        self.seen.arps += 1;
        let mut reply = Vec::new();
        reply.extend_from_slice(&frame[6..12]);
        reply.extend_from_slice(&MAC);
        reply.extend_from_slice(&[8, 6, 0, 1, 8, 0, 6, 4, 0, 2]);
        reply.extend_from_slice(&MAC);
        reply.extend_from_slice(&self.address.octets());
        reply.extend_from_slice(&frame[22..32]);
        reply.resize(FRAME_MIN, 0);
        Some(reply)
    }

    fn ip(&mut self, frame: &[u8]) -> Vec<Vec<u8>> {
        let header = &frame[14..34];
        let total = usize::from(u16::from_be_bytes([header[2], header[3]]));
        if header[0] != 0x45 || frame[30..34] != self.address.octets() || frame[..6] != MAC {
            return Vec::new();
        }
        if sum(&[header]) != 0 {
            self.seen.damaged += 1;
            return Vec::new();
        }
        let (payload, source) =
            (&frame[34..14 + total], Ipv4Addr::from(<[u8; 4]>::try_from(&frame[26..30]).unwrap()));
        match header[9] {
            1 => self.echo(frame[6..12].try_into().unwrap(), source, payload),
            17 => {
                if udp_sum(payload, source, self.address) == 0 {
                    self.arrived.send(payload[8..].to_vec()).unwrap();
                } else {
                    self.seen.damaged += 1;
                }
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn echo(&mut self, mac: [u8; 6], source: Ipv4Addr, message: &[u8]) -> Vec<Vec<u8>> {
        if message[..2] != [8, 0] || sum(&[message]) != 0 {
            self.seen.damaged += 1;
            return Vec::new();
        }
        let position = self.seen.echoes;
        self.seen.echoes += 1;
        if self.habits.deaf_to == Some(position) {
            return Vec::new();
        }
        let mut reply = message.to_vec();
        reply[0] = 0;
        reply[2..4].fill(0);
        let check = sum(&[&reply]);
        reply[2..4].copy_from_slice(&check.to_be_bytes());
        let frame = ipv4(mac, self.address, source, 1, &reply);
        vec![frame; if self.habits.echo_twice { 2 } else { 1 }]
    }
}

fn ipv4(mac: [u8; 6], source: Ipv4Addr, target: Ipv4Addr, protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut header = vec![0x45, 0];
    header.extend_from_slice(&(payload.len() as u16 + 20).to_be_bytes());
    header.extend_from_slice(&[0, 0, 0x40, 0, 64, protocol, 0, 0]);
    header.extend_from_slice(&source.octets());
    header.extend_from_slice(&target.octets());
    let check = sum(&[&header]);
    header[10..12].copy_from_slice(&check.to_be_bytes());
    let mut frame = [&mac[..], &MAC, &[8, 0], &header, payload].concat();
    frame.resize(frame.len().max(FRAME_MIN), 0);
    frame
}

/// Sum over the datagram and its pseudo header (RFC 768); 0 for a good one.
fn udp_sum(datagram: &[u8], source: Ipv4Addr, target: Ipv4Addr) -> u16 {
    let length = (datagram.len() as u16).to_be_bytes();
    sum(&[&source.octets(), &target.octets(), &[0, 17], &length, datagram])
}

/// Complement of the ones'-complement sum (RFC 1071); only the last part may be of odd length.
fn sum(parts: &[&[u8]]) -> u16 {
    let mut total = 0u32;
    for pair in parts.iter().flat_map(|part| part.chunks(2)) {
        total += u32::from(u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&0)]));
    }
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    !(total as u16)
}
