//! Time and memory of the command, and memory of building it.
use super::process::{cargo, failed, measure, workspace};
use super::{Better, Error, Figure, median};
use std::path::PathBuf;
use std::process::{Command, Stdio};

pub const GENERATE: &str = "generate.seconds";
pub const MEMORY_RUN: &str = "memory.run_mib";
pub const MEMORY_BUILD: &str = "memory.build_mib";

const GENERATE_TARGET: f64 = 2.0;
const MEMORY_RUN_TARGET: f64 = 500.0;
const MEMORY_BUILD_TARGET: f64 = 2048.0;
const ROUNDS: usize = 5;
/// Seconds after which a run is given up.
const RUN_LIMIT: u32 = 300;
const BUILD_LIMIT: u32 = 3_600;

/// The profile in which we, and so the command, are built.
fn profile() -> &'static [&'static str] {
    if cfg!(debug_assertions) { &[] } else { &["--release"] }
}

/// Builds the command, if that is needed, and tells where it is.
pub fn nicforge() -> Result<PathBuf, Error> {
    let mut build = cargo();
    // Diagnostics go to standard error, which is ours, and messages for programs to standard output.
    build.args(["build", "--quiet", "--package", "nicforge", "--message-format=json-render-diagnostics"]);
    build.args(profile()).stderr(Stdio::inherit());
    let output = build.output().map_err(failed("start", "cargo"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let said = "its messages are above".to_owned();
        return Err(Error::Process { command: format!("{build:?}"), status: output.status, said });
    }
    let found = said.lines().rev().find_map(executable);
    found.ok_or_else(|| Error::Output {
        program: "cargo build",
        wanted: "the place of the command",
        found: said.lines().last().unwrap_or_default().to_owned(),
    })
}

/// The executable that a message of Cargo tells of.
fn executable(line: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    let is_ours = message["target"]["name"] == "nicforge";
    message["executable"].as_str().filter(|_| is_ours).map(PathBuf::from)
}

/// A new folder for what a measurement writes.
pub fn folder() -> Result<tempfile::TempDir, Error> {
    let target = workspace().join("target");
    std::fs::create_dir_all(&target).map_err(failed("create", &target))?;
    tempfile::Builder::new()
        .prefix("bench-")
        .tempdir_in(&target)
        .map_err(failed("create a folder in", target))
}

/// Seconds of `nicforge generate` with the whole configuration of the sampler board.
pub fn generate_seconds() -> Result<Vec<Figure>, Error> {
    let (program, folder) = (nicforge()?, folder()?);
    let mut command = Command::new(program);
    command.args(["generate", "configs/ibob.toml", "--output"]).arg(folder.path().join("out"));
    command.current_dir(workspace());
    let seconds = |_| measure(&command, RUN_LIMIT).map(|usage| usage.seconds);
    let seconds = (0..ROUNDS).map(seconds).collect::<Result<Vec<_>, _>>()?;
    let figure = Figure::new(GENERATE, median(seconds), "s", Better::Lower).target(GENERATE_TARGET);
    Ok(vec![figure.running("nicforge generate configs/ibob.toml -o out, median of 5")])
}

/// Peak memory of the largest process of `nicforge demo`.
pub fn memory_run() -> Result<Vec<Figure>, Error> {
    let (program, folder) = (nicforge()?, folder()?);
    let mut command = Command::new(program);
    command.args(["demo", "--output"]).arg(folder.path()).current_dir(workspace());
    let peak = measure(&command, RUN_LIMIT)?.peak_mib;
    let figure = Figure::new(MEMORY_RUN, peak, "MiB", Better::Lower).target(MEMORY_RUN_TARGET);
    Ok(vec![figure.running("nicforge demo, largest process")])
}

/// Peak memory of the largest process while the command and all below it are built from nothing:
/// dependencies, gateware, the built-in board (Verilator and the C++ compiler) and the linker.
pub fn memory_build() -> Result<Vec<Figure>, Error> {
    let folder = folder()?;
    let mut build = cargo();
    build.args(["build", "--quiet", "--package", "nicforge"]).args(profile());
    // The second holds what Cargo keeps between builds, if it is kept apart from the first.
    build.env("CARGO_TARGET_DIR", folder.path()).env("CARGO_BUILD_BUILD_DIR", folder.path());
    let peak = measure(&build, BUILD_LIMIT)?.peak_mib;
    let figure = Figure::new(MEMORY_BUILD, peak, "MiB", Better::Lower).target(MEMORY_BUILD_TARGET);
    Ok(vec![figure.running("cargo build -p nicforge in an empty target folder, largest process")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_that_of_the_command_and_not_of_another_package() {
        let line =
            r#"{"reason":"compiler-artifact","target":{"name":"nicforge"},"executable":"/t/nicforge"}"#;
        assert_eq!(executable(line), Some(PathBuf::from("/t/nicforge")));
        assert_eq!(executable(&line.replace("\"nicforge\"", "\"other\"")), None);
        assert_eq!(executable(r#"{"target":{"name":"nicforge"},"executable":null}"#), None);
        assert_eq!(executable("warning"), None);
    }
}
