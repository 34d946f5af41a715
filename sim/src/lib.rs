//! Models and verilated boards.
pub mod board;
pub mod card;
mod clock;
mod error;
pub mod link;
pub mod model;
pub mod models;
pub mod net;
pub mod pcap;

pub use board::{Actor, Board, Pins};
pub use clock::Clock;
pub use error::Error;
