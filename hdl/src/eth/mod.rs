//! Ethernet: frames to and from 64-bit XGMII.

mod aligner;
mod column;
mod crc;
mod deficit;
mod filter;
mod frame_check;
mod lanes;
mod line_words;
mod mac_rx;
mod mac_tx;
mod xgmii_rx;

pub use aligner::Aligner;
pub use column::Column;
pub use crc::{Crc32, CrcRewind};
pub use deficit::DeficitIdle;
pub use filter::AddressFilter;
pub use frame_check::FrameCheck;
pub use lanes::Lanes;
pub use line_words::LineWords;
pub use mac_rx::MacRx;
pub use mac_tx::{MacTx, State};
pub use xgmii_rx::XgmiiRx;
