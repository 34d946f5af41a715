//! Registers, counters and the bus to them.

mod axi;
mod axi_lite;
mod bus;
mod gather;
mod registers;
mod statistics;

pub use axi::{AxiLiteMaster, AxiLiteSlave};
pub use axi_lite::AxiLite;
pub use bus::{BusSink, BusSource};
pub use gather::Gather;
pub use registers::{CoreRegisters, SamplerRegisters};
pub use statistics::Statistics;
