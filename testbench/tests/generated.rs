//! What `generate` writes is Verilog for everybody: one module a file, read by the list of files, it
//! lints clean without any waiver, in two simulators. Synthesis is tested with the back end.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nicforge_hdl::config::Config;
use nicforge_hdl::outputs::Outputs;

/// The configurations that ship.
fn configurations() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 3, "{files:?}");
    files
}

/// The folder of a generated design, and the name of its top.
fn generate(configuration: &Path) -> (tempfile::TempDir, String) {
    let config = Config::load(configuration).unwrap();
    let design = nicforge_hdl::top::emit(&config).unwrap();
    let place = tempfile::tempdir().unwrap();
    Outputs::new(&config, &design).unwrap().write(&place.path().join("out")).unwrap();
    (place, design.top)
}

/// Runs a tool in a generated folder; it must succeed and say nothing.
#[track_caller]
fn run_silently(place: &Path, tool: &str, arguments: &[&str]) {
    let output = Command::new(tool)
        .args(arguments)
        .current_dir(place.join("out"))
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|cause| panic!("{tool}: {cause}; `nicforge doctor` tells how to get it"));
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.trim().is_empty(),
        "{tool} {arguments:?}: {}\n{said}",
        output.status
    );
}

#[test]
fn verilator_has_nothing_to_warn_of() {
    for file in configurations() {
        let (place, top) = generate(&file);
        let list = format!("{top}.f");
        run_silently(place.path(), "verilator", &["--lint-only", "-Wall", "--top-module", &top, "-f", &list]);
    }
}

#[test]
fn icarus_has_nothing_to_warn_of() {
    for file in configurations() {
        let (place, top) = generate(&file);
        let list = format!("{top}.f");
        let arguments = ["-g2005", "-Wall", "-o", "checked", "-s", &top, "-f", &list];
        run_silently(place.path(), "iverilog", &arguments);
    }
}
