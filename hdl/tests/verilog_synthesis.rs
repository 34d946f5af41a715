//! What synthesis says of the printed tops: no latch, no loop, memories in block RAM, for both families.
use nicforge_hdl::config::Config;
use nicforge_hdl::stream::Memory;
use nicforge_hdl::verilog::{Emitted, Options, emit_block};
use std::path::Path;
use std::process::Command;

const TOPS: [&str; 2] = ["ibob", "udp_core"];

fn top(name: &str) -> Emitted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/{name}.toml"));
    nicforge_hdl::top::emit(&Config::load(&path).unwrap()).unwrap()
}

/// Runs yosys on a design; it must succeed and print nothing.
fn yosys(design: &Emitted, script: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("design.v");
    std::fs::write(&path, design.verilog()).unwrap();
    let script = format!("read_verilog {}; {script}", path.display());
    let output = Command::new("yosys").args(["-q", "-p", &script]).output();
    let output = output.unwrap_or_else(|e| panic!("yosys (Debian: `apt install yosys`): {e}"));
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    // yosys 0.23 says this of its own block RAM cells for Xilinx, whatever the memory.
    let own = |line: &&str| !line.starts_with("Warning: Resizing cell port ");
    let said: Vec<&str> = text.lines().filter(own).collect();
    assert!(output.status.success() && said.is_empty(), "{script}: {text}");
}

#[test]
fn no_name_has_a_dollar() {
    for name in TOPS {
        let text = top(name).verilog();
        let system = ["signed", "unsigned", "readmemh", "clog2"];
        for (at, _) in text.match_indices('$') {
            assert!(system.iter().any(|s| text[at + 1..].starts_with(s)), "{}", &text[at..at + 20]);
        }
    }
}

#[test]
fn yosys_finds_no_latch_and_no_loop() {
    for name in TOPS {
        let script = format!(
            "hierarchy -check -top {name}; proc; flatten; opt_clean; check -assert; select -assert-none t:$dlatch"
        );
        yosys(&top(name), &script);
    }
}

/// The larger top; it contains all blocks of the other.
#[test]
fn the_ibob_is_synthesised_for_xilinx_with_its_memories_in_block_ram() {
    let latches = "select -assert-none t:LDCE t:LDPE";
    yosys(
        &top("ibob"),
        &format!("synth_xilinx -top ibob; check -assert; select -assert-min 1 t:RAMB*; {latches}"),
    );
}

#[test]
fn the_ibob_is_synthesised_for_ecp5_with_its_memories_in_block_ram() {
    let latches = "select -assert-none t:$_DLATCH_P_ t:$_DLATCH_N_";
    yosys(
        &top("ibob"),
        &format!("synth_ecp5 -top ibob; check -assert; select -assert-min 1 t:DP16KD; {latches}"),
    );
}

#[test]
fn a_memory_becomes_block_ram_without_logic_around_it() {
    let mut memory = Memory::<72, 9>::default();
    let design = emit_block(&mut memory, &Options { top: "memory", header: "" }).unwrap();
    yosys(&design, "synth_ecp5 -top memory; select -assert-count 2 t:DP16KD; select -assert-none t:LUT4");
}
