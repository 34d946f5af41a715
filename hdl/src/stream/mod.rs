//! What every block speaks: streams of words, flows that cannot wait, and events to be counted.

mod arbiter;
mod async_fifo;
mod axis;
mod domain_reset;
mod fifo;
mod frame_fifo;
mod interfaces;
mod memory;
mod outlet;
mod slice;
mod synchronizer;

pub use arbiter::Arbiter;
pub use async_fifo::AsyncFifo;
pub use axis::{AxisSink, AxisSource};
pub use domain_reset::DomainReset;
pub use fifo::Fifo;
pub use frame_fifo::FrameFifo;
pub use interfaces::{
    EventSink, EventSource, FlowSink, FlowSource, MacFlowSink, MacFlowSource, StreamSink, StreamSource,
    VERDICT_DELAY,
};
pub use memory::{CrossingMemory, Memory, StreamMemory};
pub use outlet::Outlet;
pub use slice::Slice;
pub use synchronizer::Synchronizer;
