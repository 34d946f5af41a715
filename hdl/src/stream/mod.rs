//! What every block speaks: streams of words, flows that cannot wait, and events to be counted.

mod interfaces;
mod memory;
mod slice;

pub use interfaces::{EventSink, EventSource, FlowSink, FlowSource, StreamSink, StreamSource};
pub use memory::{Memory, StreamMemory};
pub use slice::Slice;
