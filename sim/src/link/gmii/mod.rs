//! GMII (IEEE 802.3 clause 35) at 1000 Mb/s: one octet a cycle of 8 ns, with an enable and an error.
mod actor;
mod decode;
mod encode;

pub use actor::{GmiiSink, GmiiSource, add_clocks};
pub use decode::{Decoder, Violation, ViolationKind};
pub use encode::{Encoder, Pacing, symbols_of};

/// The period of the receive and of the transmit clock in picoseconds.
pub const PERIOD: u64 = 8_000;

/// Octets before a frame, and what a line without enable can say (clause 35.2.2 and tables 35-1, 35-2).
pub mod code {
    /// An octet of the preamble.
    pub const PREAMBLE: u8 = 0x55;
    /// The start frame delimiter.
    pub const DELIMITER: u8 = 0xd5;
    /// Error without enable: the carrier is extended behind a frame, as half duplex does.
    pub const CARRIER_EXTEND: u8 = 0x0f;
    /// Error without enable: something that was taken for a carrier.
    pub const FALSE_CARRIER: u8 = 0x0e;
}

/// Octets of the preamble before the delimiter.
pub const PREAMBLE_OCTETS: usize = 7;

/// What a line carries in one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Symbol {
    /// `RXD` or `TXD`.
    pub data: u8,
    /// `RX_DV` or `TX_EN`.
    pub enable: bool,
    /// `RX_ER` or `TX_ER`.
    pub error: bool,
}

impl Symbol {
    /// Nothing is sent.
    pub const IDLE: Self = Self { data: 0, enable: false, error: false };
    /// The carrier is extended.
    pub const CARRIER_EXTEND: Self = Self { data: code::CARRIER_EXTEND, enable: false, error: true };
    /// A false carrier.
    pub const FALSE_CARRIER: Self = Self { data: code::FALSE_CARRIER, enable: false, error: true };

    /// An octet of preamble or frame.
    pub const fn octet(data: u8) -> Self {
        Self { data, enable: true, error: false }
    }
}
