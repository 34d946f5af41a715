//! What `generate` writes is Verilog for everybody: one module a file, read by the list of files, it
//! lints clean without any waiver, in two simulators. Synthesis is tested with the back end.

use std::path::Path;
use std::process::{Command, Stdio};

use nicforge_hdl::config::Config;
use nicforge_hdl::outputs::Outputs;

/// The two designs that ship.
const DESIGNS: [&str; 2] = ["ibob", "udp_core"];

/// The folder of a generated design.
fn generate(name: &str) -> tempfile::TempDir {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/{name}.toml"));
    let config = Config::load(&path).unwrap();
    let design = nicforge_hdl::top::emit(&config).unwrap();
    let place = tempfile::tempdir().unwrap();
    Outputs::new(&config, &design).write(&place.path().join("out")).unwrap();
    place
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
    for name in DESIGNS {
        let place = generate(name);
        let list = format!("{name}.f");
        run_silently(place.path(), "verilator", &["--lint-only", "-Wall", "--top-module", name, "-f", &list]);
    }
}

#[test]
fn icarus_has_nothing_to_warn_of() {
    for name in DESIGNS {
        let place = generate(name);
        let list = format!("{name}.f");
        run_silently(
            place.path(),
            "iverilog",
            &["-g2005", "-Wall", "-o", "checked", "-s", name, "-f", &list],
        );
    }
}
