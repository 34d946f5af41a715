//! The specification as tests.

pub mod bench;
pub mod cases;
pub mod chain;
pub mod source_check;
pub mod mutants;
