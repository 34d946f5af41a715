//! Registers, counters and the bus to them.

mod axi;
mod axi_lite;
mod bus;
mod registers;

pub use axi::{AxiLiteMaster, AxiLiteSlave};
pub use axi_lite::AxiLite;
pub use bus::{BusSink, BusSource};
pub use registers::{CoreRegisters, SamplerRegisters};
