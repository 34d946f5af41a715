//! Measures the figures of the design, prints them as a table and writes `target/bench.json`.
//!
//! Exit status 1 if a figure misses its target or cannot be measured, 2 on bad usage.
use clap::Parser;
use nicforge_testbench::figures::{self, Error, Figure};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Measure speed and memory, print a table and write target/bench.json.
#[derive(Parser, Debug)]
#[command(after_help = "Example: make bench ARGS=\"sim.ibob_cycles_per_second generate.seconds\"")]
struct Arguments {
    /// The figures to measure, by key; without any, all but memory.build_mib and the bitstreams.
    keys: Vec<String>,
    /// Measure memory.build_mib and the bitstreams too, which takes many minutes.
    #[arg(long)]
    build: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            tell("bench", &error);
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<u8, Error> {
    let selected = figures::selected(&arguments.keys, arguments.build)?;
    let (mut found, mut failures) = (Vec::new(), 0);
    for measurement in selected {
        let name = measurement.keys.join(", ");
        eprintln!("bench: {name} ...");
        let begin = Instant::now();
        match (measurement.run)() {
            Ok(figures) => found.extend(figures),
            Err(error) => {
                failures += 1;
                tell(&name, &error);
            }
        }
        eprintln!("bench: {name}: {:.1} s", begin.elapsed().as_secs_f64());
    }
    print!("{}\n{}", tools(), figures::table(&found));
    write(&found)?;
    Ok(figures::status(&found, failures))
}

/// What the figures depend on: profile and versions.
fn tools() -> String {
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let versions = ["rustc", "verilator", "g++"].map(version);
    format!("Profile {profile}; {}.\n", versions.join("; "))
}

/// The first line of what a program says of its version.
fn version(program: &str) -> String {
    let output = Command::new(program).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let first = text.ok().and_then(|text| text.lines().next().map(str::to_owned));
    first.unwrap_or_else(|| format!("no {program}"))
}

fn write(figures: &[Figure]) -> Result<(), Error> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    let path = folder.join("bench.json");
    let failed = |path: PathBuf| move |cause| Error::File { action: "write", path, cause };
    std::fs::create_dir_all(&folder).map_err(failed(folder))?;
    std::fs::write(&path, format!("{:#}\n", figures::json(figures))).map_err(failed(path))
}

/// An error with its causes.
fn tell(what: &str, error: &Error) {
    eprintln!("bench: {what}: {error}");
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        eprintln!("  because: {error}");
        cause = error.source();
    }
}
