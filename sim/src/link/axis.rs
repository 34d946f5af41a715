//! The two ends of a packet stream: AXI4-Stream at a top, the house's stream interface at a block.
//!
//! Port names are `<prefix>_tdata`, `_tkeep`, `_tlast`, `_tuser`, `_tvalid`, `_tready`, or in a single
//! block `<prefix>_data`, `_keep`, `_last`, `_error`, `_valid`, `_ready`. All but data and valid may be
//! missing; without `ready` (a flow, which cannot wait) every valid word moves.
use super::Stalls;
use crate::Error;
use crate::board::{Actor, Board, Pins};
use crate::model::{Input, Output};
use std::collections::VecDeque;

/// A packet on a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Packet {
    /// Its octets.
    pub octets: Vec<u8>,
    /// Whether it is marked bad.
    pub error: bool,
}

impl Packet {
    /// A good packet.
    pub fn good(octets: impl Into<Vec<u8>>) -> Self {
        Self { octets: octets.into(), error: false }
    }
}

fn names(prefix: &str, field: &str) -> Vec<String> {
    match field {
        // The user bit of a packet stream says that the packet is bad; sample streams call their data lanes.
        "error" => vec![format!("{prefix}_tuser"), format!("{prefix}_error")],
        "data" => ["tdata", "data", "lanes"].map(|name| format!("{prefix}_{name}")).into(),
        _ => vec![format!("{prefix}_t{field}"), format!("{prefix}_{field}")],
    }
}

/// Octets a word, from the width of the data port.
fn octets_of(prefix: &str, bits: usize) -> Result<usize, Error> {
    let wanted = "8, 16, 32 or 64";
    let name = || names(prefix, "data").remove(0);
    if bits <= 64 && bits.is_multiple_of(8) {
        return Ok(bits / 8);
    }
    Err(Error::PortWidth { name: name(), wanted, found: bits })
}

/// Feeds packets into a stream.
#[derive(Debug)]
pub struct AxisSource {
    data: Input,
    keep: Option<Input>,
    last: Option<Input>,
    error: Option<Input>,
    valid: Input,
    ready: Option<Output>,
    octets: usize,
    stalls: Stalls,
    queue: VecDeque<Packet>,
    /// Octets of the first packet of the queue that were taken.
    taken: usize,
    /// Whether a word is offered; it then stays until it is taken.
    offered: bool,
}

impl AxisSource {
    /// Connects to the stream `prefix`; `stalls` put gaps between words.
    pub fn attach(board: &mut Board, prefix: &str, stalls: Stalls) -> Result<Self, Error> {
        let pins = board.pins();
        let data = pins.input_of(&names(prefix, "data"))?;
        let octets = octets_of(prefix, pins.model().input_width(data))?;
        let optional = |field| pins.input_of(&names(prefix, field)).ok();
        Ok(Self {
            data,
            keep: optional("keep"),
            last: optional("last"),
            error: optional("error"),
            valid: pins.input_of(&names(prefix, "valid"))?,
            ready: pins.output_of(&names(prefix, "ready")).ok(),
            octets,
            stalls,
            queue: VecDeque::new(),
            taken: 0,
            offered: false,
        })
    }

    /// Queues a packet. An empty one has no words and vanishes.
    pub fn push(&mut self, packet: Packet) {
        if !packet.octets.is_empty() {
            self.queue.push_back(packet);
        }
    }

    /// Packets that were not taken to their end.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Octets of the next word, and whether it is the last of its packet.
    fn word(&self) -> Option<(&[u8], bool)> {
        let rest = &self.queue.front()?.octets[self.taken..];
        Some((&rest[..rest.len().min(self.octets)], rest.len() <= self.octets))
    }
}

impl Actor for AxisSource {
    fn drive(&mut self, pins: &mut Pins) {
        if !self.offered {
            self.offered = !self.queue.is_empty() && !self.stalls.stalled();
        }
        pins.set(self.valid, self.offered.into());
        let Some((octets, last)) = self.word().filter(|_| self.offered) else { return };
        let value = octets.iter().rev().fold(0, |value, octet| value << 8 | u64::from(*octet));
        pins.set(self.data, value);
        let bad = last && self.queue.front().is_some_and(|packet| packet.error);
        let rest = [
            (self.keep, u64::MAX >> (64 - octets.len())),
            (self.last, last.into()),
            (self.error, bad.into()),
        ];
        rest.iter().for_each(|(port, value)| {
            if let Some(port) = port {
                pins.set(*port, *value)
            }
        });
    }

    fn sample(&mut self, pins: &Pins) {
        if !self.offered || self.ready.is_some_and(|ready| !pins.is_set(ready)) {
            return;
        }
        self.offered = false;
        self.taken += self.octets;
        if self.queue.front().is_some_and(|packet| self.taken >= packet.octets.len()) {
            self.queue.pop_front();
            self.taken = 0;
        }
    }
}

/// One word as the sink sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Beat {
    data: u64,
    keep: u64,
    last: bool,
    error: bool,
}

/// Takes packets from a stream and checks the stream's rules on the way.
#[derive(Debug)]
pub struct AxisSink {
    data: Output,
    keep: Option<Output>,
    last: Option<Output>,
    error: Option<Output>,
    valid: Output,
    ready: Option<Input>,
    octets: usize,
    stalls: Stalls,
    takes: bool,
    waiting: Option<Beat>,
    open: Vec<u8>,
    packets: VecDeque<(Packet, u64)>,
    violations: Vec<String>,
}

/// Violations kept: one fault may repeat in every cycle.
const KEPT_VIOLATIONS: usize = 100;

impl AxisSink {
    /// Connects to the stream `prefix`; `stalls` hold `ready` back.
    pub fn attach(board: &mut Board, prefix: &str, stalls: Stalls) -> Result<Self, Error> {
        let pins = board.pins();
        let data = pins.output_of(&names(prefix, "data"))?;
        let octets = octets_of(prefix, pins.model().output_width(data))?;
        let optional = |field| pins.output_of(&names(prefix, field)).ok();
        Ok(Self {
            data,
            keep: optional("keep"),
            last: optional("last"),
            error: optional("error"),
            valid: pins.output_of(&names(prefix, "valid"))?,
            ready: pins.input_of(&names(prefix, "ready")).ok(),
            octets,
            stalls,
            takes: false,
            waiting: None,
            open: Vec::new(),
            packets: VecDeque::new(),
            violations: Vec::new(),
        })
    }

    /// The oldest packet that was not fetched yet.
    pub fn pop(&mut self) -> Option<Packet> {
        self.pop_with_cycle().map(|(packet, _)| packet)
    }

    /// The oldest packet that was not fetched yet, with the cycle of its last word.
    pub fn pop_with_cycle(&mut self) -> Option<(Packet, u64)> {
        self.packets.pop_front()
    }

    /// Every packet that was not fetched yet.
    pub fn packets(&mut self) -> Vec<Packet> {
        std::iter::from_fn(|| self.pop()).collect()
    }

    /// Whole packets that wait to be fetched.
    pub fn waiting(&self) -> usize {
        self.packets.len()
    }

    /// Octets of a packet that has no end yet.
    pub fn unfinished(&self) -> usize {
        self.open.len()
    }

    /// The stream's rules that were broken, with their cycles; at most the first hundred.
    pub fn violations(&self) -> &[String] {
        &self.violations
    }

    fn beat(&self, pins: &Pins) -> Beat {
        let flag = |port: Option<Output>| port.is_some_and(|port| pins.is_set(port));
        let full = u64::MAX >> (64 - self.octets);
        Beat {
            data: pins.get(self.data),
            keep: self.keep.map_or(full, |keep| pins.get(keep)),
            last: self.last.is_none() || flag(self.last),
            error: flag(self.error),
        }
    }

    /// Checks what a producer owes: nothing changes while it waits, and `keep` has the legal form.
    fn check(&mut self, found: Option<Beat>, cycle: u64) {
        if let Some(waiting) = self.waiting.filter(|waiting| found != Some(*waiting)) {
            let what = found.map_or("valid fell".into(), |found| format!("{waiting:x?} became {found:x?}"));
            self.broken(format!("cycle {cycle}: {what} before the word was taken"));
        }
        let Some(beat) = found else { return };
        let full = u64::MAX >> (64 - self.octets);
        let contiguous = beat.keep & beat.keep.wrapping_add(1) == 0;
        if beat.keep == 0 || !contiguous || (!beat.last && beat.keep != full) {
            self.broken(format!("cycle {cycle}: keep is {:#x} with last {}", beat.keep, beat.last));
        }
    }

    fn broken(&mut self, text: String) {
        if self.violations.len() < KEPT_VIOLATIONS {
            self.violations.push(text);
        }
    }

    fn take(&mut self, beat: Beat, cycle: u64) {
        let count = (beat.keep.trailing_ones() as usize).min(self.octets);
        self.open.extend(&beat.data.to_le_bytes()[..count]);
        if beat.last {
            let octets = std::mem::take(&mut self.open);
            self.packets.push_back((Packet { octets, error: beat.error }, cycle));
        }
    }
}

impl Actor for AxisSink {
    fn drive(&mut self, pins: &mut Pins) {
        if let Some(ready) = self.ready {
            self.takes = !self.stalls.stalled();
            pins.set(ready, self.takes.into());
        }
    }

    fn sample(&mut self, pins: &Pins) {
        let beat = pins.is_set(self.valid).then(|| self.beat(pins));
        let moves = self.ready.is_none() || self.takes;
        self.check(beat, pins.cycle());
        self.waiting = beat.filter(|_| !moves);
        if let Some(beat) = beat.filter(|_| moves) {
            self.take(beat, pins.cycle());
        }
    }
}
