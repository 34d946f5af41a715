//! Ethernet at XGMII: IEEE 802.3 clauses 3 (frame), 4 (MAC) and 46 (XGMII, 64 bits wide).
//!
//! The receiver takes one octet at a time, with its control bit and its lane. A frame's verdict is
//! the first of these that holds: damaged preamble, control code inside or missing TERMINATE,
//! length, FCS.
use crate::link::xgmii::Word;
use crc::{CRC_32_ISO_HDLC, Crc};
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::{ethernet, xgmii};

/// A MAC address, first octet on the wire first.
pub type Mac = [u8; 6];
/// The address of everybody.
pub const BROADCAST: Mac = [0xff; 6];

const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// The frame check sequence of a frame, in wire order (clause 3.2.9).
pub fn fcs(frame: &[u8]) -> [u8; 4] {
    CRC.checksum(frame).to_le_bytes()
}

/// A frame with its FCS behind it.
pub fn with_fcs(frame: &[u8]) -> Vec<u8> {
    [frame, &fcs(frame)].concat()
}

/// Do the last four octets check the rest? Fewer than four check nothing.
pub fn fcs_is_good(frame: &[u8]) -> bool {
    frame.split_last_chunk::<4>().is_some_and(|(covered, check)| fcs(covered) == *check)
}

/// What the MAC makes of a frame given to it: padded with zeros to the minimum, FCS behind it (clause 4.2.3.3).
pub fn transmit(frame: &[u8]) -> Vec<u8> {
    let mut padded = frame.to_vec();
    padded.resize(frame.len().max(ethernet::MIN_FRAME_OCTETS - ethernet::FCS_OCTETS), 0);
    with_fcs(&padded)
}

/// What the MAC says of a frame that came without a code error; `frame` ends with the FCS,
/// `max_frame` counts it too (clauses 4.2.4.1.2 and 4.2.4.2).
pub fn receive(frame: &[u8], max_frame: usize) -> Counter {
    let good = fcs_is_good(frame);
    if frame.len() < ethernet::MIN_FRAME_OCTETS {
        if good { counters::RX_UNDERSIZE } else { counters::RX_FRAGMENT }
    } else if frame.len() > max_frame {
        if good { counters::RX_OVERSIZE } else { counters::RX_JABBER }
    } else if good {
        counters::RX_GOOD
    } else {
        counters::RX_FCS_ERROR
    }
}

/// How a transmitter spaces its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// At least so many octets, TERMINATE included; each frame starts in the given lane (0 or 4).
    Fixed {
        /// Fewest octets from TERMINATE to START.
        gap: usize,
        /// Lane of each START.
        lane: usize,
    },
    /// Twelve octets on average by the deficit idle count; the first frame starts in lane 0.
    Deficit,
}

/// The deficit idle count of clause 46.3.1.4: gaps of 9 to 15 octets that come to 12 on average.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeficitIdle {
    /// Octets that gaps so far fell short of 12.
    pub count: usize,
}

impl DeficitIdle {
    /// The gap behind a frame of so many octets, FCS included, so that the next START fits a column.
    pub fn gap(&mut self, length: usize) -> usize {
        let beyond = length % 4;
        if self.count + beyond <= 3 {
            self.count += beyond;
            ethernet::IFG_OCTETS - beyond
        } else {
            self.count -= 4 - beyond;
            ethernet::IFG_OCTETS + 4 - beyond
        }
    }
}

/// Frames, each with its FCS, as a transmitter puts them on XGMII.
///
/// An idle word comes before the first frame and after the last one.
///
/// # Panics
/// If the lane is neither 0 nor 4.
pub fn encode(frames: &[Vec<u8>], spacing: Spacing) -> Vec<Word> {
    let lane = match spacing {
        Spacing::Fixed { lane, .. } => lane,
        Spacing::Deficit => 0,
    };
    assert!(lane == 0 || lane == 4, "a frame starts in lane 0 or 4, not in lane {lane}");
    let mut symbols = vec![(xgmii::IDLE, true); 8 + lane];
    let mut deficit = DeficitIdle::default();
    for frame in frames {
        symbols.push((xgmii::START, true));
        symbols.extend([(xgmii::PREAMBLE, false); xgmii::PREAMBLE_OCTETS - 2]);
        symbols.push((xgmii::SFD, false));
        symbols.extend(frame.iter().map(|octet| (*octet, false)));
        let next = match spacing {
            Spacing::Fixed { gap, lane } => (symbols.len() + gap - lane).next_multiple_of(8) + lane,
            Spacing::Deficit => symbols.len() + deficit.gap(frame.len()),
        };
        symbols.push((xgmii::TERMINATE, true));
        symbols.resize(next.max(symbols.len()), (xgmii::IDLE, true));
    }
    symbols.resize((symbols.len() + 8).next_multiple_of(8), (xgmii::IDLE, true));
    words(&symbols)
}

/// Octets with their control bits, eight a word; idle fills the last word.
pub fn words(symbols: &[(u8, bool)]) -> Vec<Word> {
    symbols
        .chunks(8)
        .map(|chunk| {
            chunk.iter().enumerate().fold(Word::IDLE, |word, (lane, (octet, control))| Word {
                data: word.data & !(0xff << (8 * lane)) | u64::from(*octet) << (8 * lane),
                control: word.control & !(1 << lane) | u8::from(*control) << lane,
            })
        })
        .collect()
}

/// A frame that came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Destination address to FCS, as far as they came; empty when the preamble was damaged.
    pub octets: Vec<u8>,
    /// What the MAC says of it: a counter of the group [`counters::Group::Mac`].
    pub verdict: Counter,
}

enum State {
    Idle,
    /// So many preamble octets have come, START included.
    Preamble(usize),
    Data,
    /// The preamble was damaged: whatever follows is no frame until the line says so.
    Swallow,
}

/// A receiver at XGMII.
pub struct Receiver {
    max_frame: usize,
    state: State,
    octets: Vec<u8>,
    broken: bool,
    /// Octets since the last TERMINATE, that one included, whether it ended a frame or was a stray one.
    gap: usize,
}

impl Receiver {
    /// A receiver that accepts frames up to `max_frame` octets, FCS included.
    pub fn new(max_frame: usize) -> Receiver {
        Receiver { max_frame, state: State::Idle, octets: Vec::new(), broken: false, gap: usize::MAX }
    }

    /// Takes one word; a frame may end in each of its lanes.
    pub fn word(&mut self, word: Word) -> Vec<Received> {
        (0..8)
            .filter_map(|lane| {
                let (octet, is_code) = word.lane(lane);
                if is_code { self.code(octet, lane) } else { self.octet(octet) }
            })
            .collect()
    }

    fn octet(&mut self, octet: u8) -> Option<Received> {
        self.gap = self.gap.saturating_add(1);
        match self.state {
            State::Preamble(seen) => {
                let last = seen == xgmii::PREAMBLE_OCTETS - 1;
                let wanted = if last { xgmii::SFD } else { xgmii::PREAMBLE };
                self.state = match octet == wanted {
                    false => State::Swallow,
                    true if last => State::Data,
                    true => State::Preamble(seen + 1),
                };
            }
            State::Data => self.octets.push(octet),
            State::Idle | State::Swallow => {}
        }
        None
    }

    fn code(&mut self, code: u8, lane: usize) -> Option<Received> {
        let starts = code == xgmii::START && lane.is_multiple_of(4);
        let ended = match code {
            xgmii::TERMINATE => self.end(false),
            xgmii::IDLE => self.end(true),
            _ if starts => self.end(true),
            _ => {
                self.damage();
                None
            }
        };
        self.gap = if code == xgmii::TERMINATE { 1 } else { self.gap.saturating_add(1) };
        if starts {
            self.begin();
        }
        ended
    }

    fn begin(&mut self) {
        // The gap counts the octets before START, so this one has to be taken off again.
        let gap = self.gap.saturating_sub(1);
        self.octets.clear();
        self.broken = false;
        self.state = if gap < ethernet::MIN_RX_GAP_OCTETS { State::Swallow } else { State::Preamble(1) };
    }

    /// A control code that neither ends nor begins a frame.
    fn damage(&mut self) {
        match self.state {
            State::Preamble(_) => self.state = State::Swallow,
            State::Data => self.broken = true,
            State::Idle | State::Swallow => {}
        }
    }

    fn end(&mut self, without_terminate: bool) -> Option<Received> {
        let octets = std::mem::take(&mut self.octets);
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Idle => None,
            State::Preamble(_) | State::Swallow => {
                Some(Received { octets: Vec::new(), verdict: counters::RX_PREAMBLE_ERROR })
            }
            State::Data if self.broken || without_terminate => {
                Some(Received { octets, verdict: counters::RX_CODE_ERROR })
            }
            State::Data => Some(Received { verdict: receive(&octets, self.max_frame), octets }),
        }
    }
}

/// Every frame that came to its end in these words.
pub fn decode(words: &[Word], max_frame: usize) -> Vec<Received> {
    let mut receiver = Receiver::new(max_frame);
    words.iter().flat_map(|word| receiver.word(*word)).collect()
}

#[cfg(test)]
#[path = "eth_tests.rs"]
mod tests;
