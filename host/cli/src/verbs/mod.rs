//! The verbs, one file each.

mod boards;
mod build;
mod check;
#[cfg(feature = "sim")]
mod demo;
mod doctor;
mod generate;
mod new;
mod regs;
#[cfg(feature = "sim")]
mod sim;
mod stream;

pub use build::{Error as BuildError, find_program};

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
    Build(build::Build),
    Regs(regs::Regs),
    Stream(stream::Stream),
    #[cfg(feature = "sim")]
    Sim(sim::Sim),
    #[cfg(feature = "sim")]
    Demo(demo::Demo),
}

impl Verb {
    /// Does it; `quiet` leaves out what is only said on the way.
    pub fn run(self, quiet: bool) -> Result<Outcome, Error> {
        match self {
            Verb::New(new) => new.run(),
            Verb::Boards(boards) => boards.run(),
            Verb::Check(check) => check.run().map(|report| Outcome::of(&report)),
            Verb::Doctor(doctor) => Ok(Outcome::of(&doctor.run())),
            Verb::Generate(generate) => generate.run().map(|report| Outcome::of(&report)),
            Verb::Build(build) => build.run(quiet),
            Verb::Regs(regs) => regs.run(),
            Verb::Stream(stream) => stream.run(quiet).map(|report| Outcome::of(&report)),
            #[cfg(feature = "sim")]
            Verb::Sim(sim) => sim.run(quiet).map(|report| Outcome::of(&report)),
            #[cfg(feature = "sim")]
            Verb::Demo(demo) => demo.run(quiet).map(|report| Outcome::of(&report)),
        }
    }
}
