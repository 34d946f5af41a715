//! Everything that ends a verb early, and the exit status that it gives.

use std::path::PathBuf;

use miette::Diagnostic;
use nicforge_hdl::config::{Faults, NoSuchBoard};
use nicforge_hdl::outputs;

/// Why a verb could not do its work.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum Error {
    /// The configuration has faults.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Configuration(#[from] Faults),
    /// The board is unknown.
    #[error("unknown board {found:?}, wanted {wanted}")]
    #[diagnostic(help("`nicforge boards` lists the boards"))]
    Board {
        /// The name given.
        found: String,
        /// The names there are.
        wanted: String,
    },
    /// A name or number on the command line is wrong.
    #[error("wanted {wanted}, found {found:?}")]
    Usage {
        /// What would be right.
        wanted: String,
        /// What was given.
        found: String,
    },
    /// Generated files could not be written.
    #[error(transparent)]
    Outputs(#[from] outputs::Error),
    /// Something could not be written.
    #[error("cannot write {what}")]
    Output {
        /// What it was.
        what: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file or folder could not be used.
    #[error("cannot {action} {}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The configuration is for another purpose.
    #[cfg(feature = "sim")]
    #[error("{what} needs a configuration with {wanted}, found top = \"{found}\"")]
    Unsuitable {
        /// What was asked for.
        what: &'static str,
        /// What it needs.
        wanted: &'static str,
        /// The design of the configuration.
        found: &'static str,
    },
    /// A simulated board was made from another configuration.
    #[cfg(feature = "sim")]
    #[error("the board was made from configuration {found:08x}, wanted {wanted:08x}")]
    OtherConfiguration {
        /// First octets of the digest asked for.
        wanted: u32,
        /// First octets of the digest read from the board.
        found: u32,
    },
    /// The gateware cannot be printed: a fault of its source.
    #[error(transparent)]
    Verilog(#[from] nicforge_hdl::verilog::Error),
    /// Registers, recordings or sockets.
    #[error(transparent)]
    Host(#[from] nicforge_host::Error),
    /// The simulated board.
    #[cfg(feature = "sim")]
    #[error(transparent)]
    Sim(#[from] nicforge_sim::Error),
    /// The network of the simulated board.
    #[cfg(feature = "sim")]
    #[error(transparent)]
    #[diagnostic(help("`nicforge doctor` lists what this machine lacks"))]
    Net(#[from] nicforge_sim::net::Error),
    /// A bitstream could not be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Build(#[from] crate::verbs::BuildError),
    /// Interrupts cannot be caught.
    #[error("cannot catch interrupts: {cause}")]
    Interrupt {
        /// Why.
        cause: String,
    },
    /// A picture could not be drawn.
    #[cfg(feature = "sim")]
    #[error(transparent)]
    Plot(#[from] crate::plots::PlotError),
    /// A file exists already.
    #[error("{} exists already; it is not overwritten", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
}

impl Error {
    /// The program's exit status: 2 where what the user gave is at fault.
    pub fn status(&self) -> u8 {
        match self {
            Error::Configuration(_) | Error::Board { .. } | Error::Usage { .. } | Error::Exists { .. } => 2,
            #[cfg(feature = "sim")]
            Error::Unsuitable { .. } | Error::Sim(nicforge_sim::Error::Pcap { .. }) => 2,
            Error::Outputs(outputs::Error::Foreign { .. }) => 2,
            Error::Build(build) if build.is_usage() => 2,
            Error::Host(host) if is_usage(host) => 2,
            _ => 1,
        }
    }
}

/// Whether a name or value that the user gave is at fault.
fn is_usage(error: &nicforge_host::Error) -> bool {
    use nicforge_host::Error::{Absent, NotWritable, OutOfRange, UnknownName};
    matches!(error, UnknownName { .. } | OutOfRange { .. } | NotWritable { .. } | Absent { .. })
}

impl From<NoSuchBoard> for Error {
    fn from(cause: NoSuchBoard) -> Self {
        match cause {
            NoSuchBoard::Unknown { found, wanted } => Error::Board { found, wanted },
            NoSuchBoard::Faulty(faults) => Error::Configuration(*faults),
        }
    }
}
