//! Ethernet: frames to and from 64-bit XGMII.

mod aligner;
mod column;
mod crc;
mod deficit;
mod filter;
mod frame_check;
mod lanes;
mod line_words;
mod link_fault;
mod mac_rx;
mod mac_tx;
mod pause_rx;
mod pause_tx;
mod xgmii_rx;

pub use aligner::Aligner;
pub use column::Column;
pub use crc::{Crc32, CrcRewind};
pub use deficit::DeficitIdle;
pub use filter::AddressFilter;
pub use frame_check::FrameCheck;
pub use lanes::Lanes;
pub use line_words::LineWords;
pub use link_fault::LinkFault;
pub use mac_rx::MacRx;
pub use mac_tx::{MacTx, State};
pub use pause_rx::PauseRx;
pub use pause_tx::{PauseState, PauseTx};
pub use xgmii_rx::XgmiiRx;
