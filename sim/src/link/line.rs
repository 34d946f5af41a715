//! What the lines of a board have in common, for everything that only sends and takes frames.
use super::{GmiiSink, GmiiSource, Received, Stalls, XgmiiSink, XgmiiSource, gmii, xgmii};
use crate::Error;
use crate::board::{Actor, Board};

/// The end of a line that sends frames into a board.
pub trait FrameSource: Actor {
    /// Queues a frame, its FCS included: whatever octets these are, they go out as they stand.
    fn push_frame(&mut self, frame: Vec<u8>);
    /// Frames that have not begun.
    fn queued(&self) -> usize;
    /// Whether nothing is queued and nothing is being sent.
    fn is_empty(&self) -> bool;
}

/// The end of a line that takes frames from a board.
pub trait FrameSink: Actor {
    /// The period of the line's clock in picoseconds.
    const PERIOD: u64;
    /// The oldest frame that was not fetched yet.
    fn pop(&mut self) -> Option<Received>;
    /// Frames that wait to be fetched.
    fn waiting(&self) -> usize;
    /// The number of rules that the board broke.
    fn violation_count(&self) -> u64;
    /// The first of them, as text.
    fn violations(&self) -> Vec<String>;
}

/// A kind of line, with both of its ends.
pub trait Line {
    /// Its end that sends.
    type Source: FrameSource + Send;
    /// Its end that takes.
    type Sink: FrameSink + Send;
    /// Octets that it carries in a cycle of its clock.
    const OCTETS_A_CYCLE: u64;
    /// Connects a source that sends frames back to back, with the gap of the standard.
    ///
    /// # Errors
    /// Inputs that the board lacks.
    fn source(board: &mut Board) -> Result<Self::Source, Error>;
    /// Connects a sink.
    ///
    /// # Errors
    /// Outputs that the board lacks.
    fn sink(board: &mut Board) -> Result<Self::Sink, Error>;
}

/// 10 Gb/s: the ports `xgmii_…`.
#[derive(Debug, Clone, Copy)]
pub struct Xgmii;

/// 1 Gb/s: the ports `gmii_…`.
#[derive(Debug, Clone, Copy)]
pub struct Gmii;

impl Line for Xgmii {
    type Source = XgmiiSource;
    type Sink = XgmiiSink;
    const OCTETS_A_CYCLE: u64 = xgmii::LANES as u64;

    fn source(board: &mut Board) -> Result<XgmiiSource, Error> {
        XgmiiSource::attach(board, "xgmii", xgmii::Pacing::default(), Stalls::none())
    }

    fn sink(board: &mut Board) -> Result<XgmiiSink, Error> {
        XgmiiSink::attach(board, "xgmii")
    }
}

impl Line for Gmii {
    type Source = GmiiSource;
    type Sink = GmiiSink;
    const OCTETS_A_CYCLE: u64 = 1;

    fn source(board: &mut Board) -> Result<GmiiSource, Error> {
        GmiiSource::attach(board, "gmii", gmii::Pacing::default(), Stalls::none())
    }

    fn sink(board: &mut Board) -> Result<GmiiSink, Error> {
        GmiiSink::attach(board, "gmii")
    }
}

/// Which line a board has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// 10 Gb/s.
    #[default]
    Xgmii,
    /// 1 Gb/s.
    Gmii,
}

impl LineKind {
    /// The line of a board, as its ports show it.
    pub fn of(board: &mut Board) -> Self {
        if board.pins().model().input("gmii_rxd").is_ok() { Self::Gmii } else { Self::Xgmii }
    }

    /// Its name in the standard.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xgmii => "XGMII",
            Self::Gmii => "GMII",
        }
    }

    /// The Ethernet that it carries.
    pub fn ethernet(self) -> &'static str {
        match self {
            Self::Xgmii => "10GbE",
            Self::Gmii => "1GbE",
        }
    }
}

/// The ends of a line are frames to whoever looks no closer.
macro_rules! frames {
    ($source:ty, $sink:ty, $period:expr) => {
        impl FrameSource for $source {
            fn push_frame(&mut self, frame: Vec<u8>) {
                self.line.push_frame(frame);
            }
            #[inline]
            fn queued(&self) -> usize {
                self.line.queued()
            }
            #[inline]
            fn is_empty(&self) -> bool {
                self.line.is_empty()
            }
        }

        impl FrameSink for $sink {
            const PERIOD: u64 = $period;
            #[inline]
            fn pop(&mut self) -> Option<Received> {
                self.line.pop()
            }
            #[inline]
            fn waiting(&self) -> usize {
                self.line.waiting()
            }
            fn violation_count(&self) -> u64 {
                self.line.violation_count()
            }
            fn violations(&self) -> Vec<String> {
                self.line.violations().iter().map(|violation| format!("{violation:?}")).collect()
            }
        }
    };
}
frames!(XgmiiSource, XgmiiSink, xgmii::PERIOD);
frames!(GmiiSource, GmiiSink, gmii::PERIOD);
