//! XGMII words to frames, with every rule of clause 46 that was broken on the way.
use super::{LANES, Word, code};
use crate::link::received::{self, Received, Violations};
use std::collections::VecDeque;

/// A rule of XGMII that was broken.
pub type Violation = received::Violation<ViolationKind>;

/// The rules that a transmitter can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViolationKind {
    /// A gap of fewer than 9 octets (clause 46.3.1.4 leaves no shorter one).
    ShortGap(u64),
    /// Gaps that together lack more than 3 octets of 12 each.
    Deficit(u64),
    /// A start code outside lanes 0 and 4.
    StartLane,
    /// The seven octets after the start code are not six of the preamble and the delimiter.
    Preamble(u8),
    /// A code inside a frame.
    CodeInFrame(u8),
    /// Idle or a start code before the frame was terminated.
    MissingTerminate,
    /// A terminate code outside a frame.
    StrayTerminate,
    /// A code outside a frame that may not stand there.
    StrayCode(u8),
    /// An octet of data outside a frame.
    StrayData(u8),
    /// A frame that goes on beyond any length.
    EndlessFrame,
}

/// An ordered set: a sequence code and its three octets (clause 46.3.4), the first of which is lowest.
pub type OrderedSet = u32;

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Outside,
    /// Octets still to come of the ordered set.
    InOrderedSet(u8),
    /// Octets already seen of the seven after the start code.
    InPreamble(usize),
    InFrame,
}

const SHORTEST_GAP: u64 = 9;
const NOMINAL_GAP: u64 = 12;
const LARGEST_DEFICIT: u64 = 3;
const PREAMBLE: [u8; 7] = [
    code::PREAMBLE,
    code::PREAMBLE,
    code::PREAMBLE,
    code::PREAMBLE,
    code::PREAMBLE,
    code::PREAMBLE,
    code::DELIMITER,
];
/// Longer than any frame a MAC here may send (16384 octets of configuration, and room).
const ENDLESS: usize = 20_000;

/// Takes the words of an XGMII one by one and keeps frames and violations until they are fetched.
#[derive(Debug, Clone)]
pub struct Decoder {
    state: State,
    open: Received,
    frames: VecDeque<Received>,
    violations: Violations<ViolationKind>,
    ordered_sets: u64,
    last_ordered_set: Option<OrderedSet>,
    set: u32,
    seen_frame: bool,
    gap: u64,
    deficit: u64,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            state: State::Outside,
            open: Received { octets: Vec::new(), cycle: 0, lane: 0, gap: None, damaged: false },
            frames: VecDeque::new(),
            violations: Violations::default(),
            ordered_sets: 0,
            last_ordered_set: None,
            set: 0,
            seen_frame: false,
            gap: 0,
            deficit: 0,
        }
    }
}

impl Decoder {
    /// Takes the word of a clock cycle.
    #[inline]
    pub fn push(&mut self, word: Word, cycle: u64) {
        if word.control == 0 && self.state == State::InFrame && self.open.octets.len() < ENDLESS {
            self.open.octets.extend_from_slice(&word.data.to_le_bytes());
        } else if word == Word::IDLE && self.state == State::Outside {
            self.gap += LANES as u64;
        } else {
            for lane in 0..LANES {
                self.octet(word.lane(lane), cycle, lane);
            }
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
        matches!(self.state, State::InPreamble(_) | State::InFrame)
    }

    /// The first thousand violations.
    pub fn violations(&self) -> &[Violation] {
        self.violations.first()
    }

    /// The number of all violations.
    pub fn violation_count(&self) -> u64 {
        self.violations.count()
    }

    /// How many ordered sets came, and the last of them.
    pub fn ordered_sets(&self) -> (u64, Option<OrderedSet>) {
        (self.ordered_sets, self.last_ordered_set)
    }

    fn octet(&mut self, octet: (u8, bool), cycle: u64, lane: usize) {
        match self.state {
            State::Outside => self.outside(octet, cycle, lane),
            State::InOrderedSet(left) => self.in_ordered_set(octet, left, cycle, lane),
            State::InPreamble(seen) => self.in_preamble(octet, seen, cycle, lane),
            State::InFrame => self.in_frame(octet, cycle, lane),
        }
    }

    fn outside(&mut self, octet: (u8, bool), cycle: u64, lane: usize) {
        match octet {
            (code::START, true) => return self.start(cycle, lane),
            (code::IDLE | code::LOW_POWER_IDLE, true) => {}
            (code::SEQUENCE, true) if lane.is_multiple_of(4) => {
                self.set = code::SEQUENCE.into();
                self.state = State::InOrderedSet(3);
            }
            (code::TERMINATE, true) => self.broken(ViolationKind::StrayTerminate, cycle, lane),
            (stray, true) => self.broken(ViolationKind::StrayCode(stray), cycle, lane),
            (stray, false) => self.broken(ViolationKind::StrayData(stray), cycle, lane),
        }
        self.gap += 1;
    }

    fn in_ordered_set(&mut self, octet: (u8, bool), left: u8, cycle: u64, lane: usize) {
        if octet.1 {
            self.state = State::Outside;
            self.broken(ViolationKind::StrayCode(code::SEQUENCE), cycle, lane);
            return self.outside(octet, cycle, lane);
        }
        self.gap += 1;
        self.set |= u32::from(octet.0) << (8 * (4 - u32::from(left)));
        self.state = State::InOrderedSet(left - 1);
        if left == 1 {
            self.state = State::Outside;
            self.ordered_sets += 1;
            self.last_ordered_set = Some(self.set);
        }
    }

    fn start(&mut self, cycle: u64, lane: usize) {
        if !lane.is_multiple_of(4) {
            self.broken(ViolationKind::StartLane, cycle, lane);
        }
        let gap = self.seen_frame.then_some(self.gap);
        if let Some(gap) = gap {
            self.check_gap(gap, cycle, lane);
        }
        self.seen_frame = true;
        self.open = Received { octets: Vec::new(), cycle, lane, gap, damaged: false };
        self.state = State::InPreamble(0);
    }

    fn check_gap(&mut self, gap: u64, cycle: u64, lane: usize) {
        self.deficit = (self.deficit + NOMINAL_GAP).saturating_sub(gap);
        if gap < SHORTEST_GAP {
            self.broken(ViolationKind::ShortGap(gap), cycle, lane);
        } else if self.deficit > LARGEST_DEFICIT {
            self.broken(ViolationKind::Deficit(self.deficit), cycle, lane);
        }
        self.deficit = self.deficit.min(LARGEST_DEFICIT);
    }

    fn in_preamble(&mut self, octet: (u8, bool), seen: usize, cycle: u64, lane: usize) {
        if octet.1 {
            return self.in_frame(octet, cycle, lane);
        }
        if octet.0 != PREAMBLE[seen] {
            self.broken(ViolationKind::Preamble(octet.0), cycle, lane);
            self.open.damaged = true;
        }
        self.state = if seen + 1 == PREAMBLE.len() { State::InFrame } else { State::InPreamble(seen + 1) };
    }

    fn in_frame(&mut self, octet: (u8, bool), cycle: u64, lane: usize) {
        match octet {
            (data, false) if self.open.octets.len() < ENDLESS => self.open.octets.push(data),
            (_, false) => {
                self.broken(ViolationKind::EndlessFrame, cycle, lane);
                self.end(true);
            }
            (code::TERMINATE, true) => self.end(false),
            (code::IDLE | code::LOW_POWER_IDLE | code::START, true) => {
                self.broken(ViolationKind::MissingTerminate, cycle, lane);
                self.end(true);
                self.gap = 0;
                self.outside(octet, cycle, lane);
            }
            (inside, true) => {
                self.broken(ViolationKind::CodeInFrame(inside), cycle, lane);
                self.open.damaged = true;
            }
        }
    }

    /// Ends the frame; its last octet, whatever it was, counts as the first of the gap.
    fn end(&mut self, damaged: bool) {
        let damaged = damaged || self.open.damaged || matches!(self.state, State::InPreamble(_));
        let octets = std::mem::take(&mut self.open.octets);
        self.frames.push_back(Received { octets, damaged, ..self.open });
        self.state = State::Outside;
        self.gap = 1;
    }

    fn broken(&mut self, kind: ViolationKind, cycle: u64, lane: usize) {
        self.violations.note(kind, cycle, lane);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Encoder, Pacing, StartLane, words_of};
    use super::*;
    use crate::link::{Stalls, finish};
    use proptest::prelude::*;

    fn frame_of(octets: usize) -> Vec<u8> {
        finish(&(0..octets.saturating_sub(4)).map(|index| index as u8).collect::<Vec<_>>())
    }

    /// Sends everything that is queued, and long enough to end the last frame.
    fn line(encoder: &mut Encoder) -> Decoder {
        let mut decoder = Decoder::default();
        let mut cycle = 0;
        while !encoder.is_empty() {
            decoder.push(encoder.next_word(), cycle);
            cycle += 1;
        }
        decoder.push(encoder.next_word(), cycle);
        decoder
    }

    fn kinds(decoder: &Decoder) -> Vec<ViolationKind> {
        decoder.violations().iter().map(|violation| violation.kind).collect()
    }

    fn decoded(words: &[Word]) -> Decoder {
        let mut decoder = Decoder::default();
        words
            .iter()
            .chain([&Word::IDLE])
            .enumerate()
            .for_each(|(cycle, word)| decoder.push(*word, cycle as u64));
        decoder
    }

    #[test]
    fn deficit_idle_gives_the_gaps_that_follow_from_clause_46() {
        let mut encoder = Encoder::new(Pacing { deficit_idle: true, ..Pacing::default() }, Stalls::none());
        let lengths = [64, 65, 65, 65, 66, 66, 67, 67, 67, 64, 64];
        lengths.iter().for_each(|length| encoder.push_frame(frame_of(*length)));
        let mut decoder = line(&mut encoder);
        let gaps: Vec<_> = std::iter::from_fn(|| decoder.pop()).filter_map(|frame| frame.gap).collect();
        assert_eq!(gaps, [12, 11, 11, 11, 14, 10, 13, 13, 13, 12]);
        assert_eq!(decoder.violation_count(), 0);
    }

    #[test]
    fn every_gap_from_five_on_is_made_and_short_ones_are_reported() {
        for gap in 5..=16 {
            let mut encoder = Encoder::new(Pacing { gap, ..Pacing::default() }, Stalls::none());
            // The length that makes exactly this gap end in a start lane.
            let length = 64 + (12 - gap as usize % 4) % 4;
            (0..3).for_each(|_| encoder.push_frame(frame_of(length)));
            let mut decoder = line(&mut encoder);
            let frames: Vec<_> = std::iter::from_fn(|| decoder.pop()).collect();
            assert_eq!(
                frames.iter().map(|frame| frame.gap).collect::<Vec<_>>(),
                [None, Some(gap), Some(gap)]
            );
            assert!(frames.iter().all(Received::is_good));
            let wanted: &[ViolationKind] = match gap {
                5..9 => &[ViolationKind::ShortGap(gap); 2],
                9 => &[ViolationKind::Deficit(6)],
                10 => &[ViolationKind::Deficit(4)],
                _ => &[],
            };
            assert_eq!(kinds(&decoder), wanted, "gap {gap}");
        }
    }

    #[test]
    fn frames_start_in_the_lane_asked_for() {
        for (lane, wanted) in [(StartLane::Zero, 0), (StartLane::Four, 4)] {
            let mut encoder = Encoder::new(Pacing { lane, ..Pacing::default() }, Stalls::none());
            (64..80).for_each(|length| encoder.push_frame(frame_of(length)));
            let mut decoder = line(&mut encoder);
            let frames: Vec<_> = std::iter::from_fn(|| decoder.pop()).collect();
            assert_eq!(frames.len(), 16);
            assert!(frames.iter().all(|frame| frame.lane == wanted && frame.is_good()));
        }
    }

    #[test]
    fn a_code_inside_a_frame_makes_it_bad_though_the_fcs_is_right() {
        let mut words = words_of(&frame_of(64), false);
        words[3] = Word { data: words[3].data & !0xff | u64::from(code::ERROR), control: 1 };
        let mut decoder = decoded(&words);
        assert_eq!(kinds(&decoder), [ViolationKind::CodeInFrame(code::ERROR)]);
        assert!(decoder.pop().unwrap().damaged);
    }

    #[test]
    fn idle_ends_a_frame_that_was_never_terminated() {
        let words = words_of(&frame_of(64), true);
        let mut decoder = decoded(&words[..5]);
        assert_eq!(kinds(&decoder), [ViolationKind::MissingTerminate]);
        let frame = decoder.pop().unwrap();
        assert_eq!((frame.damaged, frame.octets.len()), (true, 28));
    }

    #[test]
    fn a_wrong_preamble_a_wrong_lane_and_stray_octets_are_reported() {
        let mut words = words_of(&frame_of(64), false);
        words[0].data ^= 0x01 << 16;
        assert_eq!(kinds(&decoded(&words)), [ViolationKind::Preamble(0x54)]);

        let late = Word { data: 0x55_5555_5555_fb07 | 0x55 << 56, control: 3 };
        let kinds_of_late = kinds(&decoded(&[late, Word::IDLE]));
        assert_eq!(kinds_of_late[..], [ViolationKind::StartLane, ViolationKind::MissingTerminate]);

        let stray = Word { data: 0x0707_07fe_07fd_07aa, control: 0xfe };
        let found = [
            ViolationKind::StrayData(0xaa),
            ViolationKind::StrayTerminate,
            ViolationKind::StrayCode(code::ERROR),
        ];
        assert_eq!(kinds(&decoded(&[stray])), found);
    }

    #[test]
    fn ordered_sets_are_counted_and_belong_to_the_gap() {
        let mut words = words_of(&frame_of(64), false);
        words.push(Word { data: 0x0200_009c_0200_009c, control: 0x11 });
        words.extend(words_of(&frame_of(64), false));
        let mut decoder = decoded(&words);
        assert_eq!(decoder.ordered_sets(), (2, Some(0x0200_009c)));
        decoder.pop();
        assert_eq!(decoder.pop().unwrap().gap, Some(16));
        assert_eq!(decoder.violation_count(), 0);
    }

    #[test]
    fn a_frame_without_end_is_cut_off() {
        let data = Word { data: 0x5555_5555_5555_5555, control: 0 };
        let mut words = vec![words_of(&frame_of(64), false)[0]];
        words.extend(vec![data; 3000]);
        let mut decoder = decoded(&words);
        assert_eq!(decoder.violations()[0].kind, ViolationKind::EndlessFrame);
        assert!(decoder.pop().unwrap().octets.len() <= ENDLESS + LANES);
        assert!(decoder.violation_count() > 1_000);
    }

    proptest! {
        #[test]
        fn any_frames_with_any_pacing_arrive_as_sent(
            frames in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..200), 1..20),
            gap in 5_u64..40, deficit_idle: bool, lane in 0..3, seed: Option<u64>,
        ) {
            let lane = [StartLane::Either, StartLane::Zero, StartLane::Four][lane as usize];
            let pauses = seed.map_or(Stalls::none(), Stalls::seeded);
            let mut encoder = Encoder::new(Pacing { gap, deficit_idle, lane }, pauses);
            frames.iter().for_each(|frame| encoder.push_frame(frame.clone()));
            let mut decoder = line(&mut encoder);
            let received: Vec<_> = std::iter::from_fn(|| decoder.pop()).collect();
            let least = gap - if deficit_idle { 3 } else { 0 };
            prop_assert!(received.iter().all(|frame| !frame.damaged && frame.gap.is_none_or(|found| found >= least)));
            prop_assert_eq!(received.into_iter().map(|frame| frame.octets).collect::<Vec<_>>(), frames);
        }

        #[test]
        fn any_words_at_all_are_survived(words in proptest::collection::vec((any::<u64>(), any::<u8>()), 0..300)) {
            let words: Vec<_> = words.into_iter().map(|(data, control)| Word { data, control }).collect();
            decoded(&words);
        }
    }
}
