//! Models and verilated boards.
mod error;
pub mod model;

pub use error::Error;
