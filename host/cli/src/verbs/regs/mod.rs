//! `regs`: the registers of a card, by name.

#[cfg(feature = "sim")]
mod access;
mod list;

use crate::error::Error;
use crate::report::Outcome;

/// List, read and write registers by name.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge regs read udp_tx_control.ttl --sim configs/ibob.toml")]
pub struct Regs {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// List registers and their fields.
    #[command(after_help = "Example: nicforge regs list udp_tx")]
    List {
        /// Only registers with this in their name.
        part: Option<String>,
    },
    #[cfg(feature = "sim")]
    Read(access::Read),
    #[cfg(feature = "sim")]
    Write(access::Write),
    #[cfg(feature = "sim")]
    Dump(access::Dump),
}

impl Regs {
    pub fn run(self) -> Result<Outcome, Error> {
        match self.action {
            Action::List { part } => list::list(&part.unwrap_or_default()).map(|list| Outcome::of(&list)),
            #[cfg(feature = "sim")]
            Action::Read(read) => read.run().map(|values| Outcome::of(&values)),
            #[cfg(feature = "sim")]
            Action::Write(write) => write.run().map(|written| Outcome::of(&written)),
            #[cfg(feature = "sim")]
            Action::Dump(dump) => dump.run().map(|dumped| Outcome::of(&dumped)),
        }
    }
}
