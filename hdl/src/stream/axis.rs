//! AXI4-Stream names for the ports of a top, which vendor tools recognise.
#![allow(missing_docs, reason = "the interface derive writes methods without comments")]
use rust_hdl::prelude::*;

/// A 64-bit AXI4-Stream master port (AMBA AXI4-Stream, IHI 0051A); the contract is that of
/// [`StreamSource`](super::StreamSource), with `tuser` for `error`.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "AxisSink"]
pub struct AxisSource {
    /// The word, octet 0 in bits 7..0.
    pub tdata: Signal<Out, Bits<64>>,
    /// Which octets of the word belong to the packet.
    pub tkeep: Signal<Out, Bits<8>>,
    /// This word ends the packet.
    pub tlast: Signal<Out, Bit>,
    /// With `tlast`: the packet is bad.
    pub tuser: Signal<Out, Bit>,
    /// The word is there.
    pub tvalid: Signal<Out, Bit>,
    /// The consumer takes it.
    pub tready: Signal<In, Bit>,
}

/// A 64-bit AXI4-Stream slave port.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "AxisSource"]
pub struct AxisSink {
    /// The word, octet 0 in bits 7..0.
    pub tdata: Signal<In, Bits<64>>,
    /// Which octets of the word belong to the packet.
    pub tkeep: Signal<In, Bits<8>>,
    /// This word ends the packet.
    pub tlast: Signal<In, Bit>,
    /// With `tlast`: the packet is bad.
    pub tuser: Signal<In, Bit>,
    /// The word is there.
    pub tvalid: Signal<In, Bit>,
    /// The card takes it.
    pub tready: Signal<Out, Bit>,
}
