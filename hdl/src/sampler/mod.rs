//! Sample sources and the framer.

mod pace;
mod pack;
mod samples;
mod sine;
mod test_source;
mod tone;
mod vdif_framer;

pub use pace::Pace;
pub use pack::Pack8;
pub use samples::{SampleSink, SampleSource};
pub use sine::SineTable;
pub use test_source::TestSource;
pub use tone::ToneLane;
pub use vdif_framer::VdifFramer;
