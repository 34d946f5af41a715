//! The command: one file a verb in `verbs`. A verb takes its arguments and gives back a report;
//! printing, as text or as JSON, happens here alone.

mod boards;
#[cfg(feature = "sim")]
mod counters;
mod error;
mod packages;
#[cfg(feature = "sim")]
mod plots;
mod progress;
mod report;
#[cfg(feature = "sim")]
mod simulated;
#[cfg(feature = "sim")]
mod stepped;
mod verbs;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use error::Error;
use report::Outcome;

/// Gateware of an FPGA network card from one TOML file, and the card's driver.
#[derive(Parser, Debug)]
#[command(name = "nicforge", version, about, after_help = EXIT_STATUS)]
struct Command {
    /// Print the report as JSON.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: verbs::Verb,
}

const EXIT_STATUS: &str = "\
Exit status: 0 done, 1 the thing measured or checked failed, 2 bad usage or configuration.

Example: nicforge new ibob > my.toml && nicforge check my.toml && nicforge generate my.toml -o out";

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_env("NICFORGE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    // clap itself ends the program with status 2 on bad usage.
    let command = Command::parse();
    let result = command
        .verb
        .run(command.json)
        .and_then(|outcome| print(&outcome, command.json).map(|()| outcome.status()));
    match result {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            let status = error.status();
            eprintln!("{:?}", miette::Report::new(error));
            ExitCode::from(status)
        }
    }
}

fn print(outcome: &Outcome, json: bool) -> Result<(), Error> {
    let text = if json { outcome.json() } else { outcome.text() };
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A reader that has seen enough, such as `head`, is no failure.
        Err(cause) if cause.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|source| Error::Output { what: "standard output".to_owned(), source }),
    }
}
