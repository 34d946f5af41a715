//! The specification as tests.
