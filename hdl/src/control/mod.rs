//! Registers, counters and the bus to them.

mod bus;

pub use bus::{BusSink, BusSource};
