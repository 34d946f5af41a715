//! What `generate` writes is Verilog for everybody: it lints clean, and other simulators and
//! synthesis tools take it.

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

/// What yosys 0.23 says of its own block RAM cells for Xilinx, whatever the memory.
const OWN_CELLS: &str = "Warning: Resizing cell port ";

/// Runs a tool in a generated folder; it must succeed and say nothing of the design.
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
    let of_the_design = said.lines().any(|line| !line.trim().is_empty() && !line.starts_with(OWN_CELLS));
    assert!(output.status.success() && !of_the_design, "{tool} {arguments:?}: {}\n{said}", output.status);
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

/// Synthesises a design and returns how often each cell is in it.
fn synthesise(name: &str, command: &str) -> serde_json::Value {
    let place = generate(name);
    let files = std::fs::read_to_string(place.path().join(format!("out/{name}.f"))).unwrap();
    let files = files.split_whitespace().collect::<Vec<_>>().join(" ");
    // Quiet, yosys still prints its warnings.
    let script =
        format!("read_verilog {files}; {command} -top {name}; check -assert; tee -q -o stat.json stat -json");
    run_silently(place.path(), "yosys", &["-q", "-p", &script]);
    let text = std::fs::read_to_string(place.path().join("out/stat.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Cells of one kind in a synthesised, flattened design.
fn cells(statistics: &serde_json::Value, kind: &str) -> u64 {
    statistics["design"]["num_cells_by_type"][kind].as_u64().unwrap_or(0)
}

#[test]
fn yosys_synthesises_both_for_ecp5_with_memories_in_block_ram() {
    let statistics = synthesise("udp_core", "synth_ecp5");
    assert!(cells(&statistics, "DP16KD") > 0, "no block RAM");
    assert!(cells(&statistics, "TRELLIS_FF") > 1000, "{statistics:#}");
    assert_eq!(cells(&statistics, "$_DLATCH_P_") + cells(&statistics, "$_DLATCH_N_"), 0, "latches");
}

#[test]
fn yosys_synthesises_the_sampler_board_for_xilinx_with_memories_in_block_ram() {
    let statistics = synthesise("ibob", "synth_xilinx");
    assert!(cells(&statistics, "RAMB36E1") + cells(&statistics, "RAMB18E1") > 0, "no block RAM");
    assert_eq!(cells(&statistics, "LDCE") + cells(&statistics, "LDPE"), 0, "latches");
}
