//! XGMII of 64 bits (IEEE 802.3 clause 46): two 32-bit columns a word, lane 0 first on the wire.
mod actor;
mod decode;
mod encode;

pub use crate::link::received::Received;
pub use actor::{XgmiiSink, XgmiiSource};
pub use decode::{Decoder, Violation, ViolationKind};
pub use encode::{Encoder, Pacing, StartLane, words_of};

/// Control codes (clause 46.2.3, table 46-3) and the octets before a frame (clause 46.2.2).
pub mod code {
    /// Nothing is sent.
    pub const IDLE: u8 = 0x07;
    /// Low-power idle.
    pub const LOW_POWER_IDLE: u8 = 0x06;
    /// Replaces the first octet of the preamble.
    pub const START: u8 = 0xfb;
    /// Follows the last octet of a frame.
    pub const TERMINATE: u8 = 0xfd;
    /// Makes the frame around it bad.
    pub const ERROR: u8 = 0xfe;
    /// Leads an ordered set: three data octets follow.
    pub const SEQUENCE: u8 = 0x9c;
    /// An octet of the preamble.
    pub const PREAMBLE: u8 = 0x55;
    /// The start frame delimiter.
    pub const DELIMITER: u8 = 0xd5;
}

/// Lanes of a word.
pub const LANES: usize = 8;
/// The period of its clock, which is the core clock, in picoseconds: eight octets at 10 Gb/s.
pub const PERIOD: u64 = 6_400;

/// One word of eight lanes; the control bit of a lane says that its octet is a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Lane k is in bits 8k+7..8k.
    pub data: u64,
    /// Bit k belongs to lane k.
    pub control: u8,
}

impl Word {
    /// Idle in every lane.
    pub const IDLE: Self = Self { data: 0x0707_0707_0707_0707, control: 0xff };

    /// The octet of a lane, and whether it is a code.
    #[inline]
    pub fn lane(&self, lane: usize) -> (u8, bool) {
        ((self.data >> (8 * lane)) as u8, self.control >> lane & 1 == 1)
    }
}
