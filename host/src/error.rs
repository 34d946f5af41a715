//! What can go wrong between this program, the card and the stream.

use std::io;

/// Everything that can go wrong between this program, the card and the stream.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A register access failed on its way.
    #[error("register access at {offset:#05x} failed: {cause}")]
    Bus {
        /// Byte offset.
        offset: u32,
        /// What the bus said.
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The card has another register map than this program.
    #[error(
        "the card has register map {found:#010x}, this program speaks {wanted:#010x}: use the program \
         that generated the gateware"
    )]
    MapMismatch {
        /// Digest of the map this program was built with.
        wanted: u32,
        /// Digest read from the card.
        found: u32,
    },
    /// No register, field or counter has this name.
    #[error("no {what} is called {name:?}{hint}")]
    UnknownName {
        /// "register", "field" or "counter".
        what: &'static str,
        /// The name asked for.
        name: String,
        /// What to write instead; empty or beginning with a separator.
        hint: String,
    },
    /// A register belongs to a part that this card lacks.
    #[error("register {register} belongs to the {group:?} part, which this card does not have")]
    Absent {
        /// Name of the register.
        register: &'static str,
        /// The part.
        group: nicforge_layout::registers::Group,
    },
    /// A field cannot be written.
    #[error("{register}.{field} cannot be written: it is {access:?}")]
    NotWritable {
        /// Name of the register.
        register: &'static str,
        /// Name of the field.
        field: &'static str,
        /// What writes do to it.
        access: nicforge_layout::registers::Access,
    },
    /// A value does not fit its field.
    #[error("{given} does not fit {register}.{field}, which holds at most {max}")]
    OutOfRange {
        /// Name of the register.
        register: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Largest value.
        max: u32,
        /// Value given.
        given: u64,
    },
    /// The card did not finish in time.
    #[error("the card is still busy with {what} after {reads} readings of its status")]
    Busy {
        /// What it was asked to do.
        what: &'static str,
        /// How often the status was read.
        reads: u32,
    },
    /// The card has missed an event since reset.
    #[error("the card's counters missed an event since its reset; only a reset makes them right again")]
    LostEvents,
    /// A socket call failed.
    #[error("cannot {action} the UDP socket: {cause}")]
    Socket {
        /// What was tried.
        action: &'static str,
        /// The kernel's reason.
        #[source]
        cause: io::Error,
    },
    /// A setting of the receiver or the recorder makes no sense.
    #[error("{field} is {found}, wanted {wanted}")]
    Setting {
        /// Name of the setting.
        field: &'static str,
        /// What would do.
        wanted: &'static str,
        /// What was given.
        found: u64,
    },
    /// A VDIF header or file is at fault.
    #[error(transparent)]
    Vdif(#[from] crate::vdif::Error),
}
