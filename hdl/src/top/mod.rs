//! Cards: wiring only.

mod ibob;
mod lamps;
mod mac_order;
mod network;
mod stream_1g;
mod test_sampler;
mod udp_core;
mod xgmii;

pub use ibob::Ibob;
pub use lamps::Lamps;
pub use mac_order::MacOrder;
pub use network::NetworkCore;
pub use stream_1g::Stream1g;
pub use test_sampler::TestSampler;
pub use udp_core::UdpCore;
pub use xgmii::XgmiiCore;

use crate::board;
use crate::config::{Config, Top};
use crate::outputs;
use crate::verilog::{self, Emitted, Options};

/// The Verilog of the card that this configuration describes, as `generate` writes it.
///
/// The same configuration gives the same text. Errors are faults of the gateware's own source and
/// name block and signal.
pub fn emit(config: &Config) -> Result<Emitted, verilog::Error> {
    let header = outputs::header(config);
    let options = Options { top: config.module_name(), header: &header };
    let shell = verilog::with_large_stack(|| board::emit(config, &options));
    shell.unwrap_or_else(|| emit_core(config))
}

/// The Verilog of the design without what a board puts around it: what is simulated.
///
/// Errors as [`emit`].
pub fn emit_core(config: &Config) -> Result<Emitted, verilog::Error> {
    let header = outputs::header(config);
    let options = Options { top: config.top.name(), header: &header };
    verilog::with_large_stack(|| match config.top {
        Top::UdpCore => verilog::emit_block(&mut UdpCore::new(config), &options),
        Top::Ibob => verilog::emit_block(&mut Ibob::new(config), &options),
        Top::Stream1g => verilog::emit_block(&mut Stream1g::new(config), &options),
    })
}
