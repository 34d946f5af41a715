//! Breaks the gateware in each way of `testbench/mutants.toml` and checks that a test notices.
//!
//! For each mutant the named test must pass on the gateware as it is and fail on the mutant.
//! Exit status 1 if one does not.
use nicforge_testbench::mutants::{self, Mutant, VARIABLE};
use std::collections::BTreeMap;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Passed,
    Failed,
    /// It did not run: not built, not there, or it did not end by itself.
    Missing,
}

fn main() -> Result<ExitCode, mutants::Error> {
    let mutants = mutants::all()?;
    mutants::check(&mutants)?;
    let mut sound = BTreeMap::new();
    let mut survivors = 0;
    for (name, mutant) in &mutants {
        let key = (mutant.file.clone(), mutant.test.clone());
        let untouched = *sound.entry(key).or_insert_with(|| run(mutant, None));
        let began = Instant::now();
        let (word, caught) = match (untouched, run(mutant, Some(name))) {
            (Ending::Passed, Ending::Failed) => ("caught", true),
            (Ending::Passed, Ending::Passed) => ("SURVIVED", false),
            (Ending::Passed, Ending::Missing) => ("DID NOT RUN", false),
            _ => ("TEST FAILS WITHOUT IT", false),
        };
        survivors += usize::from(!caught);
        let seconds = began.elapsed().as_secs();
        println!("{name:14} {word:8} {seconds:4} s  {}: {} {}", mutant.title, mutant.file, mutant.test);
    }
    println!("{} mutants, {survivors} not caught", mutants.len());
    Ok(if survivors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run(mutant: &Mutant, name: Option<&str>) -> Ending {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--quiet", "--package", "nicforge-testbench", "--test", &mutant.file]);
    command.args(["--", "--exact", &mutant.test]).env_remove(VARIABLE);
    if let Some(name) = name {
        command.env(VARIABLE, name);
    }
    let Ok(output) = command.output() else { return Ending::Missing };
    let text = String::from_utf8_lossy(&output.stdout);
    if text.contains("test result: ok. 1 passed") {
        Ending::Passed
    } else if text.contains("0 passed; 1 failed") {
        Ending::Failed
    } else {
        eprintln!("{text}{}", String::from_utf8_lossy(&output.stderr));
        Ending::Missing
    }
}
