//! AXI4-Lite ports (AMBA AXI and ACE protocol, IHI 0022, chapter B1).
#![allow(missing_docs, reason = "the interface derive writes methods without comments")]
use rust_hdl::prelude::*;

/// An AXI4-Lite port with 32-bit data and 12-bit byte addresses, as the slave sees it.
///
/// A channel moves on the clock edge where its `valid` and `ready` are both high. The protection
/// bits of AXI4-Lite are left out: every master may do everything.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "AxiLiteMaster"]
pub struct AxiLiteSlave {
    /// Where to write, in bytes.
    pub awaddr: Signal<In, Bits<12>>,
    /// A write address is there.
    pub awvalid: Signal<In, Bit>,
    /// The slave takes it.
    pub awready: Signal<Out, Bit>,
    /// What to write.
    pub wdata: Signal<In, Bits<32>>,
    /// Which octets to write.
    pub wstrb: Signal<In, Bits<4>>,
    /// Write data are there.
    pub wvalid: Signal<In, Bit>,
    /// The slave takes them.
    pub wready: Signal<Out, Bit>,
    /// How the write went.
    pub bresp: Signal<Out, Bits<2>>,
    /// The answer to a write is there.
    pub bvalid: Signal<Out, Bit>,
    /// The master takes it.
    pub bready: Signal<In, Bit>,
    /// Where to read, in bytes.
    pub araddr: Signal<In, Bits<12>>,
    /// A read address is there.
    pub arvalid: Signal<In, Bit>,
    /// The slave takes it.
    pub arready: Signal<Out, Bit>,
    /// What was read.
    pub rdata: Signal<Out, Bits<32>>,
    /// How the read went.
    pub rresp: Signal<Out, Bits<2>>,
    /// The answer to a read is there.
    pub rvalid: Signal<Out, Bit>,
    /// The master takes it.
    pub rready: Signal<In, Bit>,
}

/// The same port as the master sees it.
#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "AxiLiteSlave"]
pub struct AxiLiteMaster {
    /// Where to write, in bytes.
    pub awaddr: Signal<Out, Bits<12>>,
    /// A write address is there.
    pub awvalid: Signal<Out, Bit>,
    /// The slave takes it.
    pub awready: Signal<In, Bit>,
    /// What to write.
    pub wdata: Signal<Out, Bits<32>>,
    /// Which octets to write.
    pub wstrb: Signal<Out, Bits<4>>,
    /// Write data are there.
    pub wvalid: Signal<Out, Bit>,
    /// The slave takes them.
    pub wready: Signal<In, Bit>,
    /// How the write went.
    pub bresp: Signal<In, Bits<2>>,
    /// The answer to a write is there.
    pub bvalid: Signal<In, Bit>,
    /// The master takes it.
    pub bready: Signal<Out, Bit>,
    /// Where to read, in bytes.
    pub araddr: Signal<Out, Bits<12>>,
    /// A read address is there.
    pub arvalid: Signal<Out, Bit>,
    /// The slave takes it.
    pub arready: Signal<In, Bit>,
    /// What was read.
    pub rdata: Signal<In, Bits<32>>,
    /// How the read went.
    pub rresp: Signal<In, Bits<2>>,
    /// The answer to a read is there.
    pub rvalid: Signal<In, Bit>,
    /// The master takes it.
    pub rready: Signal<Out, Bit>,
}
