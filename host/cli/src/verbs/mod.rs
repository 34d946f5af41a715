//! The verbs, one file each.

mod boards;
mod check;
mod doctor;
mod generate;
mod new;
mod regs;

use crate::error::Error;
use crate::report::Outcome;

/// What the command can do.
#[derive(clap::Subcommand, Debug)]
pub enum Verb {
    New(new::New),
    Boards(boards::Boards),
    Check(check::Check),
    Doctor(doctor::Doctor),
    Generate(generate::Generate),
    Regs(regs::Regs),
}

impl Verb {
    /// Does it.
    pub fn run(self) -> Result<Outcome, Error> {
        match self {
            Verb::New(new) => new.run().map(|report| Outcome::of(&report)),
            Verb::Boards(boards) => Ok(Outcome::of(&boards.run())),
            Verb::Check(check) => Ok(Outcome::of(&check.run())),
            Verb::Doctor(doctor) => Ok(Outcome::of(&doctor.run())),
            Verb::Generate(generate) => generate.run().map(|report| Outcome::of(&report)),
            Verb::Regs(regs) => regs.run(),
        }
    }
}
