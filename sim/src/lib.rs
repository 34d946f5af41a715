//! Models and verilated boards.
pub mod board;
mod error;
pub mod link;
pub mod model;
pub mod net;
pub mod models;

pub use board::{Actor, Board, Pins};
pub use error::Error;
