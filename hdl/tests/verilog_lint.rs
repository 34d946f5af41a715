//! What no linter says of the printed tops, but a synthesis tool would.
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
    assert!(output.status.success() && text.is_empty(), "{script}: {text}");
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

#[test]
fn a_memory_becomes_block_ram_without_logic_around_it() {
    let mut memory = Memory::<72, 9>::default();
    let design = emit_block(&mut memory, &Options { top: "memory", header: "" }).unwrap();
    yosys(&design, "synth_ecp5 -top memory; select -assert-count 2 t:DP16KD; select -assert-none t:LUT4");
}
