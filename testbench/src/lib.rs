//! The specification as tests.

pub mod bench;
pub mod cases;
pub mod chain;
pub mod differential;
pub mod figures;
pub mod harness;
pub mod lint;
pub mod mutants;
pub mod network;
pub mod prove;
pub mod random_config;
pub mod random_fault;
pub mod register_bus;
pub mod source_check;
pub mod two_clocks;
