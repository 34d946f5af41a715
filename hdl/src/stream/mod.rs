//! What every block speaks: streams of words, flows that cannot wait, and events to be counted.

mod interfaces;

pub use interfaces::{EventSink, EventSource, FlowSink, FlowSource, StreamSink, StreamSource};
