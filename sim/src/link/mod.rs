//! What is connected to a board: XGMII, GMII and stream ends, the register bus, events.
//!
//! Protocol parts ([`xgmii::Encoder`], [`gmii::Decoder`]) know no board and do no input or output;
//! actors join them to pins. Randomness comes from seeds ([`Stalls`]) only.
mod axil;
mod axis;
mod capture;
mod events;
mod fcs;
pub mod gmii;
mod line;
mod received;
mod stalls;
pub mod xgmii;

pub use axil::AxiLite;
pub use axis::{AxisSink, AxisSource, Packet};
pub use capture::{PcapSink, PcapSource};
pub use events::{Event, EventLog};
pub use fcs::{fcs, fcs_is_good, finish};
pub use gmii::{GmiiSink, GmiiSource};
pub use line::{FrameSink, FrameSource, Gmii, Line, LineKind, Xgmii};
pub use received::{Received, Violation};
pub use stalls::Stalls;
pub use xgmii::{XgmiiSink, XgmiiSource};
