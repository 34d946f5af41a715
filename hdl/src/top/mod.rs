//! Cards: wiring only.

mod ibob;
mod mac_order;
mod network;
mod udp_core;

pub use ibob::Ibob;
pub use mac_order::MacOrder;
pub use network::NetworkCore;
pub use udp_core::UdpCore;

use crate::config::{Config, Top};
use crate::outputs;
use crate::verilog::{self, Emitted, Options};

/// The Verilog of the card that this configuration describes.
///
/// The same configuration gives the same text. Errors are faults of the gateware's own source and
/// name block and signal.
pub fn emit(config: &Config) -> Result<Emitted, verilog::Error> {
    let header = outputs::header(config);
    match config.top {
        Top::UdpCore => {
            verilog::emit_block(&mut UdpCore::new(config), &Options { top: "udp_core", header: &header })
        }
        Top::Ibob => verilog::emit_block(&mut Ibob::new(config), &Options { top: "ibob", header: &header }),
    }
}
