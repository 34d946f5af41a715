//! What can go wrong between this process and a network.

use super::Kind;
use std::io;
use std::time::Duration;

/// A single act while a namespace is made or entered; names the place of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// `unshare` of a network namespace.
    UnshareNetwork,
    /// `unshare` of a user and a network namespace together.
    UnshareUser,
    /// Giving up `setgroups`, which the group map requires.
    DenyGroups,
    /// Mapping this user to root inside the namespace.
    MapUser,
    /// Mapping this group to root inside the namespace.
    MapGroup,
    /// Opening the descriptor that keeps the namespace alive.
    Pin,
    /// Entering the user namespace.
    EnterUser,
    /// Entering the network namespace.
    EnterNetwork,
    /// Opening a socket inside the namespace.
    OpenSocket,
}

impl Step {
    /// Every step; the position of a step is its number on the wire between parent and child.
    pub(super) const ALL: [Self; 9] = [
        Self::UnshareNetwork,
        Self::UnshareUser,
        Self::DenyGroups,
        Self::MapUser,
        Self::MapGroup,
        Self::Pin,
        Self::EnterUser,
        Self::EnterNetwork,
        Self::OpenSocket,
    ];
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::UnshareNetwork => "make a network namespace",
            Self::UnshareUser => "make a user namespace with a network namespace in it",
            Self::DenyGroups => "give up setgroups in the user namespace",
            Self::MapUser => "map the user to root in the user namespace",
            Self::MapGroup => "map the group to root in the user namespace",
            Self::Pin => "keep a handle on the namespace",
            Self::EnterUser => "enter the user namespace",
            Self::EnterNetwork => "enter the network namespace",
            Self::OpenSocket => "open a socket in the namespace",
        })
    }
}

/// Everything that can go wrong between this process and a network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A field of the plan has a value no network can have.
    #[error("network plan: {field} is {found}, wanted {wanted}")]
    Plan {
        /// Field of [`super::Plan`] or [`super::PingPlan`].
        field: &'static str,
        /// What would do.
        wanted: &'static str,
        /// What was given.
        found: String,
    },
    /// The kind of network asked for is not to be had here.
    #[error("network {kind} is not available here: {cause}")]
    Refused {
        /// The kind asked for.
        kind: Kind,
        /// Why.
        #[source]
        cause: Box<Error>,
    },
    /// A namespace could not be made, entered or used.
    #[error("cannot {step}: {cause}")]
    Namespace {
        /// The act that failed.
        step: Step,
        /// The kernel's reason.
        #[source]
        cause: io::Error,
    },
    /// A helper process for the namespace could not be started or gave no sensible answer.
    #[error("cannot run the namespace helper process: {cause}")]
    Helper {
        /// The reason.
        #[source]
        cause: io::Error,
    },
    /// A device of the network could not be made or set.
    #[error("cannot {action} of {device}: {cause}")]
    Device {
        /// Interface name.
        device: String,
        /// What was tried, with its object: "switch off the checksum offload".
        action: &'static str,
        /// The kernel's reason.
        #[source]
        cause: io::Error,
    },
    /// A program could not be started.
    #[error("cannot start {program} (from the package {package}): {cause}")]
    Start {
        /// Name of the program.
        program: &'static str,
        /// Debian package it comes from.
        package: &'static str,
        /// The kernel's reason.
        #[source]
        cause: io::Error,
    },
    /// A program ended with an error.
    #[error("`{command}` failed ({status}): {said}")]
    Failed {
        /// The command line.
        command: String,
        /// How it ended.
        status: String,
        /// What it printed on its error output.
        said: String,
    },
    /// A program printed something else than expected.
    #[error("{program} printed no {wanted}, but {found:?}")]
    Unreadable {
        /// Name of the program.
        program: &'static str,
        /// What was looked for.
        wanted: &'static str,
        /// What was printed.
        found: String,
    },
    /// A wait reached its bound.
    #[error("{what} did not finish within {waited:?}")]
    Timeout {
        /// What was waited for.
        what: String,
        /// For how long.
        waited: Duration,
    },
    /// A frame waits that does not fit the caller's buffer; it is lost.
    #[error("{wire}: a frame of at least {wanted} octets does not fit a buffer of {found}")]
    Buffer {
        /// Kind of wire.
        wire: &'static str,
        /// Octets of the frame, as far as known.
        wanted: usize,
        /// Octets of the buffer.
        found: usize,
    },
    /// Frames cannot be received from the wire.
    #[error("{wire}: cannot receive a frame: {cause}")]
    Receive {
        /// Kind of wire.
        wire: &'static str,
        /// The kernel's reason.
        #[source]
        cause: io::Error,
    },
    /// A frame was not accepted by the wire.
    #[error("{wire}: cannot send a frame of {octets} octets: {cause}")]
    Send {
        /// Kind of wire.
        wire: &'static str,
        /// Octets of the frame.
        octets: usize,
        /// The kernel's reason.
        #[source]
        cause: io::Error,
    },
    /// A UDP socket could not be opened.
    #[error("cannot open UDP port {port} on the {kind} network: {cause}")]
    Bind {
        /// Kind of network.
        kind: Kind,
        /// Port number.
        port: u16,
        /// The reason.
        #[source]
        cause: io::Error,
    },
}
