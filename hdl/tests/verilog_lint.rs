//! The tops pass the tools that read Verilog: lint without waivers but those of `verilator.vlt`, and
//! synthesis for the two families that boards use.
use nicforge_hdl::config::Config;
use nicforge_hdl::stream::Memory;
use nicforge_hdl::verilog::{Emitted, Options, emit_block};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOPS: [&str; 2] = ["ibob", "udp_core"];

fn top(name: &str) -> Emitted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/{name}.toml"));
    nicforge_hdl::top::emit(&Config::load(&path).unwrap()).unwrap()
}

/// The design in a file of its own.
fn file(design: &Emitted, folder: &Path) -> PathBuf {
    let path = folder.join(format!("{}.v", design.top));
    fs::write(&path, design.verilog()).unwrap();
    path
}

/// Runs a tool and returns all that it printed; it must succeed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
    text.into_owned()
}

fn yosys(design: &Emitted, script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = file(design, folder.path());
    let script = format!("read_verilog {}; {script}", path.display());
    run(Command::new("yosys").args(["-q", "-p", &script]))
}

#[test]
fn verilator_has_nothing_to_say() {
    let waivers = Path::new(env!("CARGO_MANIFEST_DIR")).join("verilator.vlt");
    for name in TOPS {
        let folder = tempfile::tempdir().unwrap();
        let design = top(name);
        let mut lint = Command::new("verilator");
        lint.args(["--lint-only", "-Wall", "--top-module", name]).arg(&waivers);
        assert_eq!(run(lint.arg(file(&design, folder.path()))), "", "{name}");
    }
}

#[test]
fn icarus_has_nothing_to_say() {
    for name in TOPS {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&top(name), folder.path());
        let mut compile = Command::new("iverilog");
        compile.args(["-g2005", "-Wall", "-o"]).arg(folder.path().join("out"));
        assert_eq!(run(compile.arg(path)), "", "{name}");
    }
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
        assert_eq!(yosys(&top(name), &script), "", "{name}");
    }
}

/// The larger top; it contains all blocks of the other.
#[test]
fn the_ibob_is_synthesised_for_xilinx_with_its_memories_in_block_ram() {
    yosys(&top("ibob"), "synth_xilinx -top ibob; select -assert-min 1 t:RAMB*");
}

#[test]
fn the_ibob_is_synthesised_for_ecp5_with_its_memories_in_block_ram() {
    yosys(&top("ibob"), "synth_ecp5 -top ibob; select -assert-min 1 t:DP16KD");
}

#[test]
fn a_memory_becomes_block_ram_without_logic_around_it() {
    let mut memory = Memory::<72, 9>::default();
    let design = emit_block(&mut memory, &Options { top: "memory", header: "" }).unwrap();
    yosys(&design, "synth_ecp5 -top memory; select -assert-count 2 t:DP16KD; select -assert-none t:LUT4");
}
