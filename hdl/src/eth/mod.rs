//! Ethernet: frames to and from 64-bit XGMII.

mod aligner;
mod column;
mod crc;
mod deficit;
mod filter;
mod frame_check;
mod lanes;
mod mac_rx;
mod mac_tx;

pub use aligner::Aligner;
pub use column::Column;
pub use crc::{Crc32, CrcRewind};
pub use deficit::DeficitIdle;
pub use filter::AddressFilter;
pub use frame_check::FrameCheck;
pub use lanes::Lanes;
pub use mac_rx::MacRx;
pub use mac_tx::{MacTx, State};
