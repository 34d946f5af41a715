//! GMII symbols to frames, with every rule of clause 35 that was broken on the way.
use super::{PREAMBLE_OCTETS, Symbol, code};
use crate::link::received::{self, Received, Violations};
use std::collections::VecDeque;

/// A rule of GMII that was broken.
pub type Violation = received::Violation<ViolationKind>;

/// The rules that a transmitter can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViolationKind {
    /// A gap of fewer than 12 octets (clause 4.4.2).
    ShortGap(u64),
    /// An octet before the delimiter that is not of the preamble.
    Preamble(u8),
    /// So many octets of preamble instead of seven.
    PreambleLength(usize),
    /// The frame ended before its delimiter.
    MissingDelimiter,
    /// `TX_ER` inside a frame or its preamble.
    ErrorInFrame,
    /// `TX_ER` outside a frame, with this octet: full duplex has no use for it.
    ErrorOutside(u8),
    /// A frame that goes on beyond any length.
    EndlessFrame,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    /// Octets already seen before the delimiter.
    InPreamble(usize),
    InFrame,
    /// Behind what was too long for a frame.
    Beyond,
}

const SHORTEST_GAP: u64 = 12;
/// Longer than any frame a MAC here may send (16384 octets of configuration, and room).
const ENDLESS: usize = 20_000;

/// Takes the symbols of a GMII one by one and keeps frames and violations until they are fetched.
#[derive(Debug, Clone)]
pub struct Decoder {
    state: State,
    open: Received,
    frames: VecDeque<Received>,
    violations: Violations<ViolationKind>,
    seen_frame: bool,
    gap: u64,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            state: State::Outside,
            open: Received { octets: Vec::new(), cycle: 0, lane: 0, gap: None, damaged: false },
            frames: VecDeque::new(),
            violations: Violations::default(),
            seen_frame: false,
            gap: 0,
        }
    }
}

impl Decoder {
    /// Takes the symbol of a clock cycle.
    #[inline]
    pub fn push(&mut self, symbol: Symbol, cycle: u64) {
        match (self.state, symbol.enable) {
            (State::Outside, false) => self.outside(symbol, cycle),
            (_, false) => self.end(symbol, cycle),
            (State::Outside, true) => self.start(symbol, cycle),
            (State::InPreamble(seen), true) => self.in_preamble(symbol, seen, cycle),
            (State::InFrame, true) => self.in_frame(symbol, cycle),
            (State::Beyond, true) => {}
        }
    }

    /// The oldest frame that was not fetched yet.
    pub fn pop(&mut self) -> Option<Received> {
        self.frames.pop_front()
    }

    /// Frames that wait to be fetched.
    pub fn waiting(&self) -> usize {
        self.frames.len()
    }

    /// Whether a frame has begun and not ended.
    pub fn is_open(&self) -> bool {
        self.state != State::Outside
    }

    /// The first thousand violations.
    pub fn violations(&self) -> &[Violation] {
        self.violations.first()
    }

    /// The number of all violations.
    pub fn violation_count(&self) -> u64 {
        self.violations.count()
    }

    fn outside(&mut self, symbol: Symbol, cycle: u64) {
        self.gap = self.gap.saturating_add(1);
        if symbol.error {
            self.broken(ViolationKind::ErrorOutside(symbol.data), cycle);
        }
    }

    fn start(&mut self, symbol: Symbol, cycle: u64) {
        let gap = self.seen_frame.then_some(self.gap);
        if let Some(short) = gap.filter(|gap| *gap < SHORTEST_GAP) {
            self.broken(ViolationKind::ShortGap(short), cycle);
        }
        self.seen_frame = true;
        self.open = Received { octets: Vec::new(), cycle, lane: 0, gap, damaged: false };
        self.in_preamble(symbol, 0, cycle);
    }

    fn in_preamble(&mut self, symbol: Symbol, seen: usize, cycle: u64) {
        self.check_error(symbol, cycle);
        self.state = State::InPreamble(seen + 1);
        match symbol.data {
            code::PREAMBLE => {}
            code::DELIMITER => {
                if seen != PREAMBLE_OCTETS {
                    self.damaged(ViolationKind::PreambleLength(seen), cycle);
                }
                self.state = State::InFrame;
            }
            other => self.damaged(ViolationKind::Preamble(other), cycle),
        }
    }

    fn in_frame(&mut self, symbol: Symbol, cycle: u64) {
        self.check_error(symbol, cycle);
        if self.open.octets.len() < ENDLESS {
            return self.open.octets.push(symbol.data);
        }
        self.damaged(ViolationKind::EndlessFrame, cycle);
        self.keep();
        self.state = State::Beyond;
    }

    fn end(&mut self, symbol: Symbol, cycle: u64) {
        if matches!(self.state, State::InPreamble(_)) {
            self.damaged(ViolationKind::MissingDelimiter, cycle);
        }
        if self.state != State::Beyond {
            self.keep();
        }
        self.state = State::Outside;
        self.gap = 0;
        self.outside(symbol, cycle);
    }

    fn keep(&mut self) {
        let octets = std::mem::take(&mut self.open.octets);
        self.frames.push_back(Received { octets, ..self.open });
    }

    fn check_error(&mut self, symbol: Symbol, cycle: u64) {
        if symbol.error {
            self.damaged(ViolationKind::ErrorInFrame, cycle);
        }
    }

    fn damaged(&mut self, kind: ViolationKind, cycle: u64) {
        self.open.damaged = true;
        self.broken(kind, cycle);
    }

    fn broken(&mut self, kind: ViolationKind, cycle: u64) {
        self.violations.note(kind, cycle, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Encoder, Pacing, symbols_of};
    use super::*;
    use crate::link::{Stalls, finish};
    use proptest::prelude::*;

    fn frame_of(octets: usize) -> Vec<u8> {
        finish(&(0..octets.saturating_sub(4)).map(|index| index as u8).collect::<Vec<_>>())
    }

    fn decoded(symbols: &[Symbol]) -> Decoder {
        let mut decoder = Decoder::default();
        let ended = symbols.iter().chain([&Symbol::IDLE]);
        ended.enumerate().for_each(|(cycle, symbol)| decoder.push(*symbol, cycle as u64));
        decoder
    }

    /// Sends everything that is queued, and one idle octet to end the last frame.
    fn line(encoder: &mut Encoder) -> Decoder {
        let mut symbols = Vec::new();
        while !encoder.is_empty() {
            symbols.push(encoder.next_symbol());
        }
        decoded(&symbols)
    }

    fn kinds(decoder: &Decoder) -> Vec<ViolationKind> {
        decoder.violations().iter().map(|violation| violation.kind).collect()
    }

    #[test]
    fn gaps_are_made_as_asked_and_short_ones_are_reported() {
        for gap in 1..=20 {
            let mut encoder = Encoder::new(Pacing { gap, ..Pacing::default() }, Stalls::none());
            (64..67).for_each(|length| encoder.push_frame(frame_of(length)));
            let mut decoder = line(&mut encoder);
            let frames: Vec<_> = std::iter::from_fn(|| decoder.pop()).collect();
            let gaps: Vec<_> = frames.iter().map(|frame| frame.gap).collect();
            assert_eq!(gaps, [None, Some(gap), Some(gap)]);
            assert!(frames.iter().all(Received::is_good));
            let wanted = if gap < 12 { vec![ViolationKind::ShortGap(gap); 2] } else { Vec::new() };
            assert_eq!(kinds(&decoder), wanted, "gap {gap}");
        }
    }

    #[test]
    fn a_frame_says_in_which_cycle_its_preamble_began() {
        let mut symbols = vec![Symbol::IDLE; 5];
        symbols.extend(symbols_of(&frame_of(64), 7));
        assert_eq!(decoded(&symbols).pop().map(|frame| frame.cycle), Some(5));
    }

    #[test]
    fn a_preamble_of_another_length_or_with_another_octet_is_reported() {
        for length in [0, 1, 6, 8] {
            let mut decoder = decoded(&symbols_of(&frame_of(64), length));
            assert_eq!(kinds(&decoder), [ViolationKind::PreambleLength(length)]);
            assert!(decoder.pop().is_some_and(|frame| frame.damaged && frame.octets == frame_of(64)));
        }
        let mut symbols = symbols_of(&frame_of(64), 7);
        symbols[3].data = 0x5d;
        assert_eq!(kinds(&decoded(&symbols)), [ViolationKind::Preamble(0x5d)]);
        let mut decoder = decoded(&[Symbol::octet(0x55); 4]);
        assert_eq!(kinds(&decoder), [ViolationKind::MissingDelimiter]);
        assert!(decoder.pop().is_some_and(|frame| frame.damaged && frame.octets.is_empty()));
    }

    #[test]
    fn an_error_inside_a_frame_makes_it_bad_though_the_fcs_is_right() {
        let whole = symbols_of(&frame_of(64), 7);
        for at in 0..72 {
            let mut symbols = whole.clone();
            symbols[at].error = true;
            let mut decoder = decoded(&symbols);
            assert_eq!(kinds(&decoder), [ViolationKind::ErrorInFrame], "octet {at}");
            assert!(decoder.pop().is_some_and(|frame| frame.damaged && frame.octets == frame_of(64)));
        }
    }

    #[test]
    fn carrier_extension_and_false_carriers_belong_to_the_gap_and_are_reported() {
        let mut symbols = symbols_of(&frame_of(64), 7);
        symbols.extend([Symbol::CARRIER_EXTEND, Symbol::FALSE_CARRIER]);
        symbols.extend([Symbol::IDLE; 9]);
        symbols.extend(symbols_of(&frame_of(65), 7));
        let mut decoder = decoded(&symbols);
        assert_eq!(kinds(&decoder), [ViolationKind::ErrorOutside(0x0f), ViolationKind::ErrorOutside(0x0e)]);
        let gaps: Vec<_> = std::iter::from_fn(|| decoder.pop()).map(|frame| frame.gap).collect();
        assert_eq!(gaps, [None, Some(12)]);
    }

    #[test]
    fn a_frame_without_end_is_cut_off_once() {
        let mut symbols = symbols_of(&vec![0; 30_000], 7);
        symbols.extend([Symbol::IDLE; 12]);
        symbols.extend(symbols_of(&frame_of(64), 7));
        let mut decoder = decoded(&symbols);
        assert_eq!(kinds(&decoder), [ViolationKind::EndlessFrame]);
        assert!(decoder.pop().is_some_and(|frame| frame.damaged && frame.octets.len() == ENDLESS));
        assert!(decoder.pop().is_some_and(|frame| frame.is_good() && frame.gap == Some(13)));
        assert!(decoder.pop().is_none() && !decoder.is_open());
    }

    proptest! {
        #[test]
        fn any_frames_with_any_pacing_arrive_as_sent(
            frames in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..200), 1..20),
            gap in 12_u64..40, seed: Option<u64>,
        ) {
            let pauses = seed.map_or(Stalls::none(), Stalls::seeded);
            let mut encoder = Encoder::new(Pacing { gap, ..Pacing::default() }, pauses);
            frames.iter().for_each(|frame| encoder.push_frame(frame.clone()));
            let mut decoder = line(&mut encoder);
            prop_assert_eq!(decoder.violation_count(), 0);
            let received: Vec<_> = std::iter::from_fn(|| decoder.pop()).collect();
            prop_assert!(received.iter().all(|frame| frame.gap.is_none_or(|found| found >= gap)));
            prop_assert_eq!(received.into_iter().map(|frame| frame.octets).collect::<Vec<_>>(), frames);
        }

        #[test]
        fn any_symbols_at_all_are_survived(
            symbols in proptest::collection::vec((any::<u8>(), any::<bool>(), any::<bool>()), 0..300)
        ) {
            let symbol = |(data, enable, error)| Symbol { data, enable, error };
            decoded(&symbols.into_iter().map(symbol).collect::<Vec<_>>());
        }
    }
}
