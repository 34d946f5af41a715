//! Driver library: the card's registers by name, and what a PC does with the card's stream.
//!
//! * [`Card`] reads and writes registers through any [`Bar`], simulated or real;
//! * [`Receiver`] takes datagrams from a UDP socket in batches;
//! * [`vtp`] accounts for serial numbers, [`vdif`] knows frames and files of frames;
//! * [`Recorder`] puts the three together.
//!
//! Nothing here reads a clock or the network except the receiver and [`record`].

mod bar;
mod card;
mod error;
mod receiver;
mod recorder;
pub mod vdif;
pub mod vtp;

pub use bar::Bar;
pub use card::{Card, CounterValue, MacRegisters, Named, RegisterValue};
pub use error::Error;
pub use receiver::{Datagram, Datagrams, Receiver, ReceiverOptions};
pub use recorder::{End, Limits, Recorder, Settings, Statistics, record};
