//! Tools that read a generated design and must have nothing to say of it.
use nicforge_hdl::config::Config;
use nicforge_hdl::outputs::Outputs;
use nicforge_hdl::verilog::Emitted;
use std::path::Path;
use std::process::{Command, Stdio};

/// Generates a configuration into a folder `out` and reads it with Verilator and Icarus.
///
/// # Panics
/// If the design does not print, cannot be written, or a tool fails or warns; `context` says which
/// configuration it was.
pub fn generate_and_check(config: &Config, context: &str) {
    let design =
        nicforge_hdl::top::emit(config).unwrap_or_else(|cause| panic!("{context} does not print: {cause}"));
    let place = tempfile::tempdir().expect("a folder for temporary files can be made");
    let out = place.path().join("out");
    let written = Outputs::new(config, &design).write(&out);
    written.unwrap_or_else(|cause| panic!("{context} is not written: {cause}"));
    verilator(&out, &design, context);
    icarus(&out, &design, context);
}

/// Verilator's lint, all of it, over the folder of a generated design.
///
/// # Panics
/// If it says anything.
pub fn verilator(out: &Path, design: &Emitted, context: &str) {
    let list = format!("{}.f", design.top);
    run_silently(
        out,
        "verilator",
        &["--lint-only", "-Wall", "--top-module", &design.top, "-f", &list],
        context,
    );
}

/// Icarus with all of its warnings, over the folder of a generated design.
///
/// # Panics
/// If it says anything.
pub fn icarus(out: &Path, design: &Emitted, context: &str) {
    let list = format!("{}.f", design.top);
    let arguments = ["-g2005", "-Wall", "-o", "checked", "-s", &design.top, "-f", &list];
    run_silently(out, "iverilog", &arguments, context);
}

/// Runs a tool in a folder; it must succeed and say nothing.
fn run_silently(out: &Path, tool: &str, arguments: &[&str], context: &str) {
    let output = Command::new(tool)
        .args(arguments)
        .current_dir(out)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|cause| panic!("{tool}: {cause}; `nicforge doctor` tells how to get it"));
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.trim().is_empty(),
        "{context}: {tool} {arguments:?}: {}\n{said}",
        output.status
    );
}
