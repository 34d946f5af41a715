//! What a board puts around a design: clocks, resets, pins and lamps.

mod ecp5;
mod in_band;
mod rgmii_shell;
mod start_up;

pub use ecp5::{ClockGenerator, RgmiiReceive, RgmiiTransmit};
pub use in_band::InBand;
pub use rgmii_shell::emit;
pub use start_up::StartUp;
