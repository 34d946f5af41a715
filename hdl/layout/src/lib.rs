//! Facts that two sides must agree on.
