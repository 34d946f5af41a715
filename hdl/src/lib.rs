//! The gateware.
