//! The specification as tests.

pub mod bench;
pub mod chain;
