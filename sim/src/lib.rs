//! Models and verilated boards.
pub mod board;
pub mod card;
mod error;
pub mod link;
pub mod model;
pub mod models;
pub mod net;
pub mod pcap;

pub use board::{Actor, Board, Pins};
pub use error::Error;
