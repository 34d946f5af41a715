//! Models and verilated boards.
mod error;
pub mod model;
pub mod net;

pub use error::Error;
