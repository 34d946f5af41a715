//! What synthesis says of the printed tops: no latch, no loop, memories in block RAM, for both families.
use nicforge_hdl::config::Config;
use nicforge_hdl::stream::Memory;
use nicforge_hdl::verilog::{Emitted, Options, emit_block};
use std::path::Path;
use std::process::Command;

/// Every configuration that ships.
const CONFIGURATIONS: [&str; 5] = ["ibob", "udp_core", "stream_1g", "ecpix5", "colorlight_i5"];

fn design(name: &str) -> Emitted {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/{name}.toml"));
    nicforge_hdl::top::emit(&Config::load(&path).unwrap()).unwrap()
}

#[test]
fn every_configuration_that_ships_is_synthesised() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<_> = files
        .filter_map(|file| Some(file.file_name()?.to_str()?.strip_suffix(".toml")?.to_owned()))
        .collect();
    names.sort();
    let mut known = CONFIGURATIONS;
    known.sort_unstable();
    assert_eq!(names, known);
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
    // yosys 0.23 says this of its own block RAM cells for Xilinx, whatever the memory, of what it
    // does not know of Virtex-II Pro, and of the one pin that goes both ways.
    let known = [
        "Warning: Resizing cell port ",
        "Warning: Shift register inference not yet supported",
        "Warning: Yosys has only limited support for tri-state logic",
    ];
    let own = |line: &&str| !known.iter().any(|known| line.starts_with(known));
    let said: Vec<&str> = text.lines().filter(own).collect();
    assert!(output.status.success() && said.is_empty(), "{script}: {text}");
}

#[test]
fn no_name_has_a_dollar() {
    for name in CONFIGURATIONS {
        let text = design(name).verilog();
        let system = ["signed", "unsigned", "readmemh", "clog2"];
        for (at, _) in text.match_indices('$') {
            assert!(system.iter().any(|s| text[at + 1..].starts_with(s)), "{}", &text[at..at + 20]);
        }
    }
}

#[test]
fn yosys_finds_no_latch_and_no_loop() {
    for name in CONFIGURATIONS {
        let design = design(name);
        let script = format!(
            "hierarchy -check -top {}; proc; flatten; opt_clean; check -assert; select -assert-none t:$dlatch",
            design.top
        );
        yosys(&design, &script);
    }
}

/// A flow of yosys, and what must and must not come out of it.
#[derive(Clone, Copy)]
struct Flow {
    command: &'static str,
    checks: &'static str,
}

const XILINX: Flow = Flow {
    command: "synth_xilinx",
    checks: "select -assert-min 1 t:RAMB*; select -assert-none t:LDCE t:LDPE",
};
const VIRTEX2P: Flow = Flow {
    command: "synth_xilinx -family xc2vp",
    checks: "select -assert-min 1 t:RAMB*; select -assert-none t:LDCE t:LDPE",
};
const ECP5: Flow = Flow {
    command: "synth_ecp5",
    checks: "select -assert-min 1 t:DP16KD; select -assert-none t:$_DLATCH_P_ t:$_DLATCH_N_",
};

/// Synthesises configurations: always the first one of the list, and the others if full depth is asked
/// for, as each takes half a minute.
fn synthesise(work: &[(&str, Flow)]) {
    let full = std::env::var("NICFORGE_DEPTH").is_ok_and(|depth| depth == "full");
    for (name, Flow { command, checks }) in &work[..if full { work.len() } else { 1 }] {
        let design = design(name);
        yosys(&design, &format!("{command} -top {}; check -assert; {checks}", design.top));
    }
}

#[test]
fn ibob_is_synthesised_with_its_memories_in_block_ram() {
    synthesise(&[("ibob", VIRTEX2P), ("ibob", XILINX), ("ibob", ECP5)]);
}

#[test]
fn udp_core_is_synthesised_with_its_memories_in_block_ram() {
    synthesise(&[("udp_core", XILINX), ("udp_core", ECP5)]);
}

/// Both boards have the same design inside, which Xilinx parts take without the boards' shells.
#[test]
fn the_boards_with_ecp5_are_synthesised_with_their_memories_in_block_ram() {
    synthesise(&[("ecpix5", ECP5), ("colorlight_i5", ECP5), ("stream_1g", ECP5), ("stream_1g", XILINX)]);
}

#[test]
fn a_memory_becomes_block_ram_without_logic_around_it() {
    let mut memory = Memory::<72, 9>::default();
    let design = emit_block(&mut memory, &Options { top: "memory", header: "" }).unwrap();
    yosys(&design, "synth_ecp5 -top memory; select -assert-count 2 t:DP16KD; select -assert-none t:LUT4");
}
