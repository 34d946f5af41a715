//! Cards: wiring only.
