//! What `generate` writes is Verilog for everybody: one module a file, read by the list of files, it
//! lints clean without any waiver, in two simulators. Synthesis is tested with the back end.

use std::path::{Path, PathBuf};

use nicforge_hdl::config::Config;
use nicforge_testbench::lint::Generated;

/// The configurations that ship.
fn configurations() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 3, "{files:?}");
    files
}

fn generate(configuration: &Path) -> Generated {
    Generated::new(&Config::load(configuration).unwrap(), &configuration.display().to_string())
}

#[test]
fn verilator_has_nothing_to_warn_of() {
    configurations().iter().for_each(|file| generate(file).verilator());
}

#[test]
fn icarus_has_nothing_to_warn_of() {
    configurations().iter().for_each(|file| generate(file).icarus());
}
