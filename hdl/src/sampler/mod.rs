//! Sample sources and the framer.
