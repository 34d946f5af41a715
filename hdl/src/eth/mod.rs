//! Ethernet: frames to and from 64-bit XGMII, and to and from GMII.

mod aligner;
mod clock_watch;
mod column;
mod crc;
mod deficit;
mod filter;
mod frame_check;
mod gmii_octets;
mod gmii_rx;
mod gmii_send;
mod gmii_tx;
mod lanes;
mod line_words;
mod mac_rx;
mod mac_tx;
mod xgmii_rx;

pub use aligner::Aligner;
pub use clock_watch::ClockWatch;
pub use column::Column;
pub use crc::{Crc32, CrcRewind};
pub use deficit::DeficitIdle;
pub use filter::AddressFilter;
pub use frame_check::FrameCheck;
pub use gmii_octets::{Carrier, Ending, GmiiOctets};
pub use gmii_rx::GmiiRx;
pub use gmii_send::{GmiiSend, Sending};
pub use gmii_tx::GmiiTx;
pub use lanes::Lanes;
pub use line_words::LineWords;
pub use mac_rx::MacRx;
pub use mac_tx::{MacTx, State};
pub use xgmii_rx::XgmiiRx;
