//! What every block speaks: streams of words, flows that cannot wait, and events to be counted.

mod axis;
mod interfaces;

pub use axis::{AxisSink, AxisSource};
pub use interfaces::{EventSink, EventSource, FlowSink, FlowSource, StreamSink, StreamSource};
