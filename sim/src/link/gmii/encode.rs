//! Frames to GMII symbols, with any gap and any length of preamble.
use super::{PREAMBLE_OCTETS, Symbol, code};
use crate::link::Stalls;
use std::collections::VecDeque;

/// How frames follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// Fewest octets from the end of a frame to the next preamble. A receiver must stand 8 (clause 4.4.2
    /// for 1000 Mb/s).
    pub gap: u64,
    /// Octets of preamble before the delimiter; what carries the signal may eat them, down to none
    /// (clause 35.2.3.2.2).
    pub preamble: usize,
}

impl Default for Pacing {
    /// A gap of 12 octets, a whole preamble.
    fn default() -> Self {
        Self { gap: 12, preamble: PREAMBLE_OCTETS }
    }
}

#[derive(Debug, Clone)]
enum Item {
    Frame(Vec<u8>),
    Symbols(Vec<Symbol>),
    Idle(u64),
}

/// The longest random pause before a frame, in octets.
const LONGEST_PAUSE: u64 = 400;

/// Turns a queue of frames and raw symbols into the symbols of a GMII, one at each call.
#[derive(Debug, Clone)]
pub struct Encoder {
    pacing: Pacing,
    pauses: Stalls,
    items: VecDeque<Item>,
    symbols: VecDeque<Symbol>,
    /// Idle octets still to come before what is in `symbols`.
    idle: u64,
    /// Octets since the last one with enable.
    gap: u64,
}

impl Encoder {
    /// An idle line; `pauses` put idle octets before frames beyond what the pacing asks.
    pub fn new(pacing: Pacing, pauses: Stalls) -> Self {
        // A line that was never used has been idle for long.
        let gap = u64::MAX / 2;
        Self { pacing, pauses, items: VecDeque::new(), symbols: VecDeque::new(), idle: 0, gap }
    }

    /// Queues a frame, its FCS included: whatever octets these are, they go out as they stand.
    pub fn push_frame(&mut self, frame: Vec<u8>) {
        self.items.push_back(Item::Frame(frame));
    }

    /// Queues symbols that go out as they stand: damaged frames, carrier extension, stray errors.
    pub fn push_symbols(&mut self, symbols: Vec<Symbol>) {
        self.items.push_back(Item::Symbols(symbols));
    }

    /// Queues idle octets beyond the gap.
    pub fn push_idle(&mut self, octets: u64) {
        self.items.push_back(Item::Idle(octets));
    }

    /// Frames and other items that have not begun.
    pub fn queued(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing is queued and nothing is being sent.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.symbols.is_empty() && self.idle == 0
    }

    /// Another pacing for the frames that have not begun.
    pub fn set_pacing(&mut self, pacing: Pacing) {
        self.pacing = pacing;
    }

    /// The symbol of the next cycle.
    pub fn next_symbol(&mut self) -> Symbol {
        while self.symbols.is_empty() && self.idle == 0 {
            match self.items.pop_front() {
                Some(Item::Frame(octets)) => self.frame(&octets),
                Some(Item::Symbols(symbols)) => self.symbols.extend(symbols),
                Some(Item::Idle(octets)) => self.idle = octets,
                None => return self.note(Symbol::IDLE),
            }
        }
        if self.idle > 0 {
            self.idle -= 1;
            return self.note(Symbol::IDLE);
        }
        let next = self.symbols.pop_front().unwrap_or(Symbol::IDLE);
        self.note(next)
    }

    fn frame(&mut self, octets: &[u8]) {
        let pause = self.pauses.pause(LONGEST_PAUSE);
        self.idle = pause.max(self.pacing.gap.saturating_sub(self.gap));
        let preamble = std::iter::repeat_n(code::PREAMBLE, self.pacing.preamble);
        self.symbols.extend(preamble.chain([code::DELIMITER]).map(Symbol::octet));
        self.symbols.extend(octets.iter().copied().map(Symbol::octet));
    }

    fn note(&mut self, symbol: Symbol) -> Symbol {
        self.gap = if symbol.enable { 0 } else { self.gap.saturating_add(1) };
        symbol
    }
}

/// The symbols of one frame with a preamble of that length and one idle octet behind it: a form to be
/// damaged by hand.
pub fn symbols_of(frame: &[u8], preamble: usize) -> Vec<Symbol> {
    let mut encoder = Encoder::new(Pacing { preamble, ..Pacing::default() }, Stalls::none());
    encoder.push_frame(frame.to_vec());
    (0..preamble + frame.len() + 2).map(|_| encoder.next_symbol()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octets(symbols: &[Symbol]) -> Vec<u8> {
        symbols.iter().filter(|symbol| symbol.enable).map(|symbol| symbol.data).collect()
    }

    #[test]
    fn a_frame_follows_seven_octets_of_preamble_and_the_delimiter() {
        let symbols = symbols_of(&[1, 2, 3], 7);
        assert_eq!(octets(&symbols), [0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xd5, 1, 2, 3]);
        assert_eq!(symbols.last(), Some(&Symbol::IDLE));
        assert!(symbols.iter().all(|symbol| !symbol.error));
    }

    #[test]
    fn a_preamble_may_be_eaten_down_to_the_delimiter() {
        assert_eq!(octets(&symbols_of(&[9], 2)), [0x55, 0x55, 0xd5, 9]);
        assert_eq!(octets(&symbols_of(&[9], 0)), [0xd5, 9]);
    }

    #[test]
    fn raw_symbols_pass_as_they_stand_and_the_gap_counts_from_the_last_enable() {
        let mut encoder = Encoder::new(Pacing { gap: 4, preamble: 0 }, Stalls::none());
        encoder.push_frame(vec![1]);
        encoder.push_symbols(vec![Symbol::CARRIER_EXTEND, Symbol::FALSE_CARRIER]);
        encoder.push_frame(vec![2]);
        let found: Vec<Symbol> = (0..8).map(|_| encoder.next_symbol()).collect();
        let [sfd, one, two] = [code::DELIMITER, 1, 2].map(Symbol::octet);
        let idle = Symbol::IDLE;
        assert_eq!(found, [sfd, one, Symbol::CARRIER_EXTEND, Symbol::FALSE_CARRIER, idle, idle, sfd, two]);
        assert!(encoder.is_empty());
    }
}
