//! `doctor`: what this machine lacks, and how to get it.

use serde::Serialize;

use crate::packages::{Found, Need, at_least, install_command, needs, run, version};
use crate::report::{Report, table};

/// Say what this machine lacks for each make target, and the one command to get it.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge doctor")]
pub struct Doctor {}

#[derive(Serialize, Debug)]
pub struct Diagnosis {
    /// Version of Rust found, and the oldest that will do.
    rust: Rust,
    checks: Vec<Check>,
    /// The one command that installs all that is missing; none when nothing is.
    install: Option<String>,
}

#[derive(Serialize, Debug)]
struct Rust {
    found: Option<String>,
    wanted: &'static str,
    fine: bool,
}

#[derive(Serialize, Debug)]
struct Check {
    #[serde(flatten)]
    need: Need,
    found: Found,
}

impl Check {
    fn fine(&self) -> bool {
        matches!(self.found, Found::Present(_))
    }
    fn row(&self) -> Vec<String> {
        let found = match &self.found {
            Found::Present(None) => "there".to_owned(),
            Found::Present(Some(version)) => version.clone(),
            Found::Old(Some(version)) => format!("TOO OLD: {version}"),
            Found::Old(None) => "TELLS NO VERSION".to_owned(),
            Found::Missing => "MISSING".to_owned(),
        };
        vec![self.need.target.to_owned(), self.need.probe.to_owned(), found, self.need.reason.clone()]
    }
}

impl Report for Diagnosis {
    fn text(&self) -> String {
        let found = self.rust.found.as_deref().unwrap_or("MISSING");
        let found = if self.rust.fine { found.to_owned() } else { format!("TOO OLD: {found}") };
        let head = ["target", "needs", "found", "what for"].map(str::to_owned).to_vec();
        let rust =
            vec!["all".to_owned(), format!("cargo>={}", self.rust.wanted), found, "builds it all".to_owned()];
        let rows: Vec<_> = [head, rust].into_iter().chain(self.checks.iter().map(Check::row)).collect();
        let end = match (&self.install, self.rust.fine) {
            (Some(install), _) => format!("\nTo get what is missing: {install}\n"),
            (None, true) => "\nNothing is missing.\n".to_owned(),
            (None, false) => String::new(),
        };
        let rust = if self.rust.fine { "" } else { "\nRust: see the README, \"A new enough Rust\".\n" };
        table(&rows) + &end + rust
    }
    fn failed(&self) -> bool {
        !self.rust.fine || self.install.is_some()
    }
}

impl Doctor {
    pub fn run(self) -> Diagnosis {
        let checks: Vec<Check> = needs().into_iter().map(|need| Check { found: need.look(), need }).collect();
        let missing: Vec<&str> =
            checks.iter().filter(|check| !check.fine()).map(|check| check.need.package).collect();
        let install = (!missing.is_empty()).then(|| install_command(&missing));
        Diagnosis { rust: rust(), checks, install }
    }
}

fn rust() -> Rust {
    let wanted = env!("CARGO_PKG_RUST_VERSION");
    let found = run("cargo", &["--version"]).as_deref().and_then(version);
    let fine = found.as_deref().is_some_and(|found| at_least(found, wanted));
    Rust { found, wanted, fine }
}
