//! What each make target needs beside Rust, from the same list that `tools/setup` installs from.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::verbs::find_program;

/// The list; its head says how it is to be read.
const LIST: &str = include_str!("../../../tools/packages.txt");

/// What stands for "no Debian package": `tools/setup build` gets it from elsewhere.
pub const NO_PACKAGE: &str = "-";

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Need {
    /// The make target that needs it; later targets need it too.
    pub target: &'static str,
    /// What to look for.
    pub probe: &'static str,
    /// The Debian package that has it; [`NO_PACKAGE`] if none has.
    pub package: &'static str,
    /// What for.
    pub reason: String,
}

/// Every line of the list, in its order.
pub fn needs() -> Vec<Need> {
    LIST.lines().filter(|line| !line.starts_with('#')).filter_map(need).collect()
}

fn need(line: &'static str) -> Option<Need> {
    let mut words = line.split_whitespace();
    let (target, probe, package) = (words.next()?, words.next()?, words.next()?);
    Some(Need { target, probe, package, reason: words.collect::<Vec<_>>().join(" ") })
}

/// The command that installs these packages, and what comes from elsewhere if that is among them.
pub fn install_command(packages: &[&str]) -> String {
    let mut debian: Vec<&str> = Vec::new();
    for package in packages {
        if *package != NO_PACKAGE && !debian.contains(package) {
            debian.push(package);
        }
    }
    let apt = format!("sudo apt-get install --yes --no-install-recommends {}", debian.join(" "));
    let commands =
        [(!debian.is_empty(), apt.as_str()), (packages.contains(&NO_PACKAGE), "tools/setup build")];
    let commands: Vec<&str> = commands.iter().filter(|(wanted, _)| *wanted).map(|(_, text)| *text).collect();
    commands.join(" && ")
}

/// What a probe found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// It is there; with its version where the probe asks for one.
    Present(Option<String>),
    /// It is there, but older than wanted, or does not tell its version.
    Old(Option<String>),
    /// It is not there.
    Missing,
}

impl Need {
    /// Looks for it on this machine.
    pub fn look(&self) -> Found {
        if let Some(module) = self.probe.strip_prefix("python:") {
            let found = run("/usr/bin/python3", &["-c", &format!("import {module}")]).is_some();
            return if found { Found::Present(None) } else { Found::Missing };
        }
        if let Some(program) = self.probe.strip_prefix("flow:") {
            return if find_program(program).is_some() { Found::Present(None) } else { Found::Missing };
        }
        let (command, wanted) = self.probe.split_once(">=").unwrap_or((self.probe, ""));
        if !on_path(command) {
            return Found::Missing;
        }
        if wanted.is_empty() {
            return Found::Present(None);
        }
        match run(command, &["--version"]).as_deref().and_then(version) {
            Some(found) if at_least(&found, wanted) => Found::Present(Some(found)),
            other => Found::Old(other),
        }
    }
}

/// Whether a command is on PATH.
pub fn on_path(command: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_executable(&folder.join(command)))
}

/// Whether a file is there that may be run.
pub fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok() && path.is_file()
}

/// Standard output of a command that succeeds.
pub fn run(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first number with a dot in it, such as `5.006`.
pub fn version(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    words.map(|word| word.trim_matches('.')).find(|word| word.contains('.')).map(str::to_owned)
}

/// Compares versions number by number; missing numbers count as 0.
pub fn at_least(found: &str, wanted: &str) -> bool {
    let numbers = |text: &str| text.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u64>>();
    let (mut found, mut wanted) = (numbers(found), numbers(wanted));
    let length = found.len().max(wanted.len());
    found.resize(length, 0);
    wanted.resize(length, 0);
    found >= wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_has_all_its_parts_and_a_known_target() {
        let needs = needs();
        assert!(needs.len() > 5);
        for need in needs {
            assert!(["demo", "test", "bench", "docs", "build"].contains(&need.target), "{need:?}");
            assert!(!need.reason.is_empty(), "{need:?}");
        }
    }

    #[test]
    fn versions_are_found_and_compared_as_numbers() {
        assert_eq!(version("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)").as_deref(), Some("5.006"));
        assert_eq!(version("cargo 1.95.0 (f2d3ce0bd)").as_deref(), Some("1.95.0"));
        assert_eq!(version("no number"), None);
        assert!(at_least("5.048", "5.006") && at_least("5.006", "5.006") && at_least("6.0", "5.006"));
        assert!(!at_least("5.005", "5.006") && !at_least("4.228", "5.006") && !at_least("1.9", "1.10"));
        assert!(at_least("1.88.0", "1.88") && at_least("1.88", "1.88.0"));
    }

    #[test]
    fn what_is_not_there_is_missing_and_what_is_old_is_old() {
        let need = |probe| Need { target: "demo", probe, package: "p", reason: String::new() };
        assert_eq!(need("no-such-command-anywhere").look(), Found::Missing);
        assert_eq!(need("sh").look(), Found::Present(None));
        assert!(matches!(need("cargo>=999.0").look(), Found::Old(Some(_))));
        assert!(matches!(need("cargo>=1.0").look(), Found::Present(Some(_))));
        assert_eq!(need("python:no_such_module").look(), Found::Missing);
        assert_eq!(need("flow:no-such-program").look(), Found::Missing);
    }

    #[test]
    fn one_command_installs_what_comes_from_debian_and_from_elsewhere() {
        assert_eq!(install_command(&["yosys", NO_PACKAGE, "yosys"]), {
            "sudo apt-get install --yes --no-install-recommends yosys && tools/setup build"
        });
        assert_eq!(install_command(&[NO_PACKAGE, NO_PACKAGE]), "tools/setup build");
        assert!(!install_command(&["make"]).contains("setup"));
    }
}
