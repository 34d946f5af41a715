//! Facts that the two sides of an interface must agree on, each written once: the register map,
//! the counters, the wire formats and their limits. Gateware, driver, models and manual derive
//! from these tables; the crate has no dependencies so that all of them can.
#![no_std]

pub mod counters;
pub mod registers;
pub mod wire;
