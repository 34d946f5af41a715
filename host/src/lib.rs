//! Driver library.
