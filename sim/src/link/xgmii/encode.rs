//! Frames to XGMII words, with the gaps of clause 46.3.1.4 or any others.
use super::{LANES, Word, code};
use crate::link::Stalls;
use std::collections::VecDeque;

/// In which lanes a frame may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartLane {
    /// Lane 0 or 4, whichever comes first.
    #[default]
    Either,
    /// Lane 0 only.
    Zero,
    /// Lane 4 only.
    Four,
}

/// How frames follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// Octets from the terminate code (included) to the next start (excluded). Rounded up to the
    /// next lane where a frame may start; with `deficit_idle` the mean of back-to-back frames.
    /// A receiver must stand 5 (clause 4.4.2 for 10 Gb/s); the terminate code itself makes it at least 1.
    pub gap: u64,
    /// Shorten and lengthen gaps by up to 3 octets so that their mean is `gap` (clause 46.3.1.4).
    pub deficit_idle: bool,
    /// Where a frame may start.
    pub lane: StartLane,
}

impl Default for Pacing {
    /// 12 octets, never less, in either lane.
    fn default() -> Self {
        Self { gap: 12, deficit_idle: false, lane: StartLane::Either }
    }
}

#[derive(Debug, Clone)]
enum Item {
    Frame(Vec<u8>),
    Words(Vec<Word>),
    Idle(u64),
}

/// The longest random pause before a frame, in octets.
const LONGEST_PAUSE: u64 = 400;
/// The largest deficit that clause 46.3.1.4 allows.
const LARGEST_DEFICIT: u64 = 3;

/// Turns a queue of frames and raw words into the words of an XGMII, one at each call.
#[derive(Debug, Clone)]
pub struct Encoder {
    pacing: Pacing,
    pauses: Stalls,
    items: VecDeque<Item>,
    words: VecDeque<Word>,
    /// The word being filled, and the lane that comes next.
    partial: Word,
    lane: usize,
    /// Octets of gap so far, from the terminate code on.
    gap: u64,
    deficit: u64,
}

impl Encoder {
    /// An idle line; `pauses` put idle octets before frames beyond what the pacing asks.
    pub fn new(pacing: Pacing, pauses: Stalls) -> Self {
        let partial = Word { data: 0, control: 0 };
        // A line that was never used has been idle for long.
        let gap = u64::MAX / 2;
        Self {
            pacing,
            pauses,
            items: VecDeque::new(),
            words: VecDeque::new(),
            partial,
            lane: 0,
            gap,
            deficit: 0,
        }
    }

    /// Queues a frame, its FCS included: whatever octets these are, they go out as they stand.
    pub fn push_frame(&mut self, frame: Vec<u8>) {
        self.items.push_back(Item::Frame(frame));
    }

    /// Queues words that go out as they stand, after idle to the end of the word before.
    pub fn push_words(&mut self, words: Vec<Word>) {
        self.items.push_back(Item::Words(words));
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
        self.items.is_empty() && self.words.is_empty() && self.lane == 0
    }

    /// Another pacing for the frames that have not begun.
    pub fn set_pacing(&mut self, pacing: Pacing) {
        self.pacing = pacing;
    }

    /// The word of the next clock cycle.
    pub fn next_word(&mut self) -> Word {
        while self.words.is_empty() {
            match self.items.pop_front() {
                Some(Item::Frame(octets)) => self.frame(&octets),
                Some(Item::Words(words)) => self.raw(&words),
                Some(Item::Idle(octets)) => self.idle(octets),
                None => self.idle((LANES - self.lane) as u64),
            }
        }
        self.words.pop_front().unwrap_or(Word::IDLE)
    }

    fn frame(&mut self, octets: &[u8]) {
        let pause = self.pauses.pause(LONGEST_PAUSE);
        self.idle(pause);
        self.idle(self.missing_gap());
        if self.pacing.deficit_idle {
            // A long idle pays every debt back: the subtraction saturates at zero.
            self.deficit = (self.deficit + self.pacing.gap).saturating_sub(self.gap);
        }
        self.put(code::START, true);
        for _ in 0..6 {
            self.put(code::PREAMBLE, false);
        }
        self.put(code::DELIMITER, false);
        self.put_data(octets);
        self.put(code::TERMINATE, true);
        self.gap = 1;
    }

    /// Idle octets to send until the next frame may start.
    fn missing_gap(&self) -> u64 {
        let spare = if self.pacing.deficit_idle { LARGEST_DEFICIT.saturating_sub(self.deficit) } else { 0 };
        let least = self.pacing.gap.saturating_sub(spare).saturating_sub(self.gap);
        let (first, step) = match self.pacing.lane {
            StartLane::Either => (0, 4),
            StartLane::Zero => (0, 8),
            StartLane::Four => (4, 8),
        };
        let beyond = (self.lane as u64 + least + LANES as u64 - first) % step;
        least + (step - beyond) % step
    }

    fn idle(&mut self, octets: u64) {
        (0..octets).for_each(|_| self.put(code::IDLE, true));
        self.gap = self.gap.saturating_add(octets);
    }

    fn raw(&mut self, words: &[Word]) {
        self.idle(((LANES - self.lane) % LANES) as u64);
        for word in words {
            for lane in 0..LANES {
                match word.lane(lane) {
                    (code::TERMINATE, true) => self.gap = 1,
                    (code::IDLE, true) => self.gap = self.gap.saturating_add(1),
                    // Anything else is no gap, so the next frame waits for a whole one.
                    _ => self.gap = 0,
                }
            }
        }
        self.words.extend(words);
    }

    /// Data octets, whole words at once where that is possible: the inner loop of every simulation.
    fn put_data(&mut self, octets: &[u8]) {
        let (head, rest) = octets.split_at(octets.len().min((LANES - self.lane) % LANES));
        head.iter().for_each(|octet| self.put(*octet, false));
        let (words, tail) = rest.as_chunks::<LANES>();
        self.words.extend(words.iter().map(|word| Word { data: u64::from_le_bytes(*word), control: 0 }));
        tail.iter().for_each(|octet| self.put(*octet, false));
    }

    #[inline]
    fn put(&mut self, octet: u8, control: bool) {
        self.partial.data |= u64::from(octet) << (8 * self.lane);
        self.partial.control |= u8::from(control) << self.lane;
        self.lane += 1;
        if self.lane == LANES {
            self.words.push_back(self.partial);
            self.partial = Word { data: 0, control: 0 };
            self.lane = 0;
        }
    }
}

/// The words of one frame that starts in lane 0, or in lane 4, with idle around it: a form to be
/// damaged by hand.
pub fn words_of(frame: &[u8], lane_four: bool) -> Vec<Word> {
    let lane = if lane_four { StartLane::Four } else { StartLane::Zero };
    let mut encoder = Encoder::new(Pacing { lane, ..Pacing::default() }, Stalls::none());
    encoder.push_frame(frame.to_vec());
    let mut words = vec![encoder.next_word()];
    while !encoder.is_empty() {
        words.push(encoder.next_word());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::finish;

    fn word(data: u64, control: u8) -> Word {
        Word { data, control }
    }

    #[test]
    fn a_frame_reads_as_the_tables_of_clause_46_in_both_start_lanes() {
        let frame: Vec<u8> = (1..=9).collect();
        assert_eq!(
            words_of(&frame, false),
            [
                word(0xd555_5555_5555_55fb, 0x01),
                word(0x0807_0605_0403_0201, 0x00),
                word(0x0707_0707_0707_fd09, 0xfe),
            ]
        );
        assert_eq!(
            words_of(&frame, true),
            [
                word(0x5555_55fb_0707_0707, 0x1f),
                word(0x0403_0201_d555_5555, 0x00),
                word(0x0707_fd09_0807_0605, 0xe0),
            ]
        );
    }

    #[test]
    fn the_terminate_code_reaches_every_lane() {
        for octets in 64..72 {
            let words = words_of(&vec![0; octets], false);
            let last = words.last().unwrap();
            assert_eq!(last.lane(octets % 8), (code::TERMINATE, true), "{octets} octets");
            assert_eq!(last.control, (0xff_u16 << (octets % 8)) as u8);
        }
    }

    #[test]
    fn an_unused_line_is_idle_and_raw_words_pass_as_they_stand() {
        let mut encoder = Encoder::new(Pacing::default(), Stalls::none());
        assert_eq!(encoder.next_word(), Word::IDLE);
        let odd = word(0x0100_009c_0100_009c, 0x11);
        encoder.push_words(vec![odd, odd]);
        encoder.push_frame(finish(&[1; 60]));
        assert_eq!([encoder.next_word(), encoder.next_word(), encoder.next_word()], [odd, odd, Word::IDLE]);
    }
}
