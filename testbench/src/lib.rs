//! The specification as tests.

pub mod chain;
