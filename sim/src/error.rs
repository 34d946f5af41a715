//! Everything that can go wrong around a simulated board.
use crate::model::ToolError;
use std::path::PathBuf;

/// An error of the simulation, with what a person needs to act on it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Verilator or the compiler is missing or failed.
    #[error("cannot build the model")]
    Tool(#[from] ToolError),
    /// A program printed something else than it should.
    #[error("{tool} printed {found:?}, wanted {wanted}")]
    ToolOutput {
        /// The program.
        tool: &'static str,
        /// What it should print.
        wanted: &'static str,
        /// What it printed.
        found: String,
    },
    /// A compiled model could not be loaded.
    #[error("cannot load the model {path}")]
    Load {
        /// The shared object.
        path: PathBuf,
        /// Why.
        #[source]
        cause: libloading::Error,
    },
    /// A model has another number of ports than its description.
    #[error("the model has {found} ports, its description {wanted}")]
    PortCount {
        /// Ports of the description.
        wanted: usize,
        /// Ports of the model.
        found: u64,
    },
    /// There is no port of that name and direction.
    #[error("the design has no {direction} `{name}`; it has: {found}")]
    PortUnknown {
        /// The name asked for.
        name: String,
        /// `input` or `output`.
        direction: &'static str,
        /// The names there are.
        found: String,
    },
    /// A port has a width that an actor cannot use.
    #[error("port `{name}` is {found} bits wide, wanted {wanted}")]
    PortWidth {
        /// The port.
        name: String,
        /// What the actor can use.
        wanted: &'static str,
        /// What the design has.
        found: usize,
    },
    /// A waveform was asked of a model built without tracing.
    #[error("this model was built without waveforms; build it with `trace` set")]
    TraceNotBuilt,
    /// A waveform file could not be opened.
    #[error("cannot write the waveform {path}")]
    TraceOpen {
        /// The file.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {path}")]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        cause: std::io::Error,
    },
    /// A capture is cut or contradicts itself.
    #[error("{path}, octet {offset}: {fault}")]
    Pcap {
        /// The file.
        path: PathBuf,
        /// Where the faulty header or record begins.
        offset: u64,
        /// What is wrong.
        fault: crate::pcap::PcapFault,
    },
    /// Something did not happen within the cycles allowed.
    #[error("{what} did not finish within {cycles} cycles")]
    Timeout {
        /// What was waited for.
        what: String,
        /// The limit in clock cycles.
        cycles: u64,
    },
    /// The board refused a register access (AXI `BRESP` or `RRESP`).
    #[error("register access at {address:#06x} was answered with {response}, wanted 0 (OKAY)")]
    Refused {
        /// The octet address.
        address: u32,
        /// The response code: 2 is SLVERR, 3 is DECERR.
        response: u64,
    },
    /// The network that the board is connected to failed.
    #[error("the network of the simulated card failed")]
    Net(#[from] crate::net::Error),
    /// The thread that clocks the card could not be started.
    #[error("cannot start the thread of the simulated card")]
    Thread {
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// The simulated card has stopped, or does not answer.
    #[error("the simulated card does not run any more")]
    Stopped,
}
