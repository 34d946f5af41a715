//! What every block speaks: streams of words, flows that cannot wait, and events to be counted.

mod arbiter;
mod axis;
mod fifo;
mod frame_fifo;
mod interfaces;
mod memory;
mod outlet;
mod slice;

pub use arbiter::Arbiter;
pub use axis::{AxisSink, AxisSource};
pub use fifo::Fifo;
pub use frame_fifo::FrameFifo;
pub use interfaces::{
    EventSink, EventSource, FlowSink, FlowSource, MacFlowSink, MacFlowSource, StreamSink, StreamSource,
    VERDICT_DELAY,
};
pub use memory::{Memory, StreamMemory};
pub use outlet::Outlet;
pub use slice::Slice;
