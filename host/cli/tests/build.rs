//! `nicforge build` as a user meets it, with small programs in place of the tools: what is run, what
//! is kept, and how it ends.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const MET: &str = include_str!("../src/verbs/build/fixtures/met.json");
const MISSED: &str = include_str!("../src/verbs/build/fixtures/missed.json");

const YOSYS: &str = r#"#!/bin/sh
here=$(dirname "$0")
[ "$1" = -V ] && { echo "Yosys 0.99 (small)"; exit 0; }
echo run >> "$here/yosys.runs"
echo "1. Executing Verilog-2005 frontend: $3"
[ -f "$here/broken" ] && { echo "ERROR: the reason"; exit 1; }
[ -f "$here/slow" ] && { echo started >> "$here/started"; (sleep 3; echo alive >> "$here/alive") & sleep 60; }
for word in $2; do file=$word; done
echo netlist > "$file"
"#;

const NEXTPNR: &str = r#"#!/bin/sh
here=$(dirname "$0")
[ "$1" = --version ] && { echo "nextpnr-ecp5 -- (Version 0.99)"; exit 0; }
while [ $# -gt 0 ]; do
    case $1 in
        --json) [ -f "$2" ] || exit 9 ;;
        --textcfg) config=$2 ;;
        --out-of-context) alone=yes ;;
        --report) report=$2 ;;
        --seed) seed=$2 ;;
    esac
    shift
done
echo "$seed" >> "$here/nextpnr-ecp5.runs"
echo "Info: Routing 100 arcs."
which=met
[ -f "$here/missed.$seed" ] && which=missed
if [ -n "$alone" ]; then [ -z "$config" ] || exit 125; else echo "configuration of seed $seed" > "$config"; fi
cp "$here/$which.json" "$report"
[ $which = met ]
"#;

const ECPPACK: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo "ecppack 0.99"; exit 0; }
echo run >> "$(dirname "$0")/ecppack.runs"
{ echo "bits from"; cat "$2"; } > "$3"
"#;

/// A folder with programs, and one for results.
struct Bench {
    place: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Self { place: tempfile::tempdir().unwrap() };
        for (name, text) in [("yosys", YOSYS), ("nextpnr-ecp5", NEXTPNR), ("ecppack", ECPPACK)] {
            let path = bench.tool(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(bench.tool("met.json"), MET).unwrap();
        fs::write(bench.tool("missed.json"), MISSED).unwrap();
        bench
    }
    fn tool(&self, name: &str) -> PathBuf {
        self.place.path().join("bin").join(name)
    }
    /// Makes one of the programs behave otherwise.
    fn mark(&self, name: &str) {
        fs::write(self.tool(name), "").unwrap();
    }
    fn out(&self) -> PathBuf {
        self.place.path().join("out")
    }
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nicforge"));
        let path = format!("{}:/usr/bin:/bin", self.tool("").display());
        command.arg("build").args(arguments).arg("-o").arg(self.out()).env("PATH", path);
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).stdin(Stdio::null());
        command
    }
    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
    /// Standard output of a run that must end with this status.
    #[track_caller]
    fn says(&self, arguments: &[&str], status: i32) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{said}{error}");
        said + &error
    }
    /// How often a program was run, in lines of what it noted.
    fn runs(&self, program: &str) -> Vec<String> {
        let noted = fs::read_to_string(self.tool(&format!("{program}.runs"))).unwrap_or_default();
        noted.lines().map(str::to_owned).collect()
    }
    fn report(&self) -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(self.out().join("report.json")).unwrap()).unwrap()
    }
    fn bitstream(&self) -> PathBuf {
        self.out().join("ecpix5.bit")
    }
}

const ECPIX5: &str = "configs/ecpix5.toml";

#[test]
fn a_board_becomes_a_bitstream_with_a_report_as_text_json_and_picture() {
    let bench = Bench::new();
    let said = bench.says(&[ECPIX5], 0);
    assert!(said.contains("All clocks meet timing") && said.contains("ecpix5.bit"), "{said}");
    assert_eq!(fs::read_to_string(bench.bitstream()).unwrap(), "bits from\nconfiguration of seed 1\n");
    let report = bench.report();
    assert_eq!(report["met"], true);
    assert_eq!(report["part"], "LFE5UM5G-85F-8-CABGA554");
    assert_eq!(report["clocks"][0]["name"], "clk_in");
    assert_eq!(report["tools"][0]["version"], "Yosys 0.99 (small)");
    assert!(fs::read_to_string(bench.out().join("report.svg")).unwrap().starts_with("<svg"));
    let text = fs::read_to_string(bench.out().join("report.txt")).unwrap();
    assert!(said.starts_with(&text), "{said}");
    assert!(bench.out().join("gateware/manifest.json").exists());
}

#[test]
fn unchanged_input_is_not_built_again_unless_forced() {
    let bench = Bench::new();
    bench.says(&[ECPIX5], 0);
    assert!(bench.says(&[ECPIX5], 0).contains("unchanged since it was built"));
    assert_eq!(bench.runs("yosys").len(), 1);
    bench.says(&[ECPIX5, "--force"], 0);
    bench.says(&[ECPIX5, "--seed", "2"], 0);
    assert_eq!(bench.runs("nextpnr-ecp5"), ["1", "1", "2"]);
    fs::write(bench.bitstream(), "damaged").unwrap();
    bench.says(&[ECPIX5, "--seed", "2"], 0);
    assert_eq!(bench.runs("nextpnr-ecp5").len(), 4);
}

#[test]
fn a_clock_that_is_too_slow_fails_and_leaves_no_bitstream() {
    let bench = Bench::new();
    bench.says(&[ECPIX5], 0);
    bench.mark("missed.3");
    let said = bench.says(&[ECPIX5, "--seed", "3"], 1);
    assert!(said.contains("TIMING FAILED: clk_in. No bitstream"), "{said}");
    assert!(!bench.bitstream().exists(), "the bitstream of other inputs is still there");
    assert_eq!(bench.runs("ecppack").len(), 1);
    let report = bench.report();
    assert_eq!((&report["met"], &report["bitstream"]), (&false.into(), &serde_json::Value::Null));
    bench.says(&[ECPIX5, "--seed", "3"], 1);
    assert_eq!(bench.runs("nextpnr-ecp5").len(), 2, "a failure that is known was placed again");
}

#[test]
fn of_several_seeds_the_best_is_packed() {
    let bench = Bench::new();
    bench.mark("missed.1");
    bench.mark("missed.3");
    bench.says(&[ECPIX5, "--tries", "3"], 0);
    assert_eq!(bench.runs("nextpnr-ecp5"), ["1", "2", "3"]);
    assert_eq!(bench.runs("yosys").len(), 1);
    assert_eq!(fs::read_to_string(bench.bitstream()).unwrap(), "bits from\nconfiguration of seed 2\n");
    let report = bench.report();
    assert_eq!((&report["seed"], &report["met"]), (&2.into(), &true.into()));
    let tries: Vec<_> = report["tries"].as_array().unwrap().iter().map(|item| item["met"].clone()).collect();
    assert_eq!(tries, [false, true, false]);
}

#[test]
fn a_tool_that_fails_is_shown_with_its_log_and_the_older_result_stays() {
    let bench = Bench::new();
    bench.says(&[ECPIX5], 0);
    let report = bench.report();
    bench.mark("broken");
    let said = bench.says(&[ECPIX5, "--seed", "2"], 1);
    assert!(said.contains("the reason") && said.contains("yosys.log"), "{said}");
    assert!(bench.bitstream().exists());
    assert_eq!(bench.report(), report);
}

#[test]
fn a_tool_that_is_missing_is_named_with_what_to_do() {
    let bench = Bench::new();
    fs::remove_file(bench.tool("yosys")).unwrap();
    // Without /usr/bin on PATH no other one is found either.
    let output = bench.command(&[ECPIX5]).env("PATH", bench.tool("")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("wanted the program yosys") && said.contains("tools/setup build"), "{said}");
}

#[test]
fn an_interrupt_ends_the_tool_and_leaves_nothing_half_done() {
    let bench = Bench::new();
    bench.mark("slow");
    let mut running = bench.command(&[ECPIX5]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while !bench.tool("started").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the tool was not started");
        std::thread::sleep(Duration::from_millis(20));
    }
    let interrupt = Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    while running.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(90), "the build went on");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(running.wait().unwrap().code(), Some(1));
    std::thread::sleep(Duration::from_secs(4));
    assert!(!bench.tool("alive").exists(), "what the tool had started went on");
    assert!(!bench.bitstream().exists() && !bench.out().join("report.json").exists());
}

#[test]
fn a_board_without_an_open_flow_is_refused_with_those_that_have_one() {
    let bench = Bench::new();
    for file in ["configs/ibob.toml", "configs/udp_core.toml"] {
        let said = bench.says(&[file], 2);
        assert!(said.contains("ecpix5") && said.contains("colorlight_i5"), "{said}");
        assert!(!bench.out().exists());
    }
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let bench = Bench::new();
    fs::create_dir(bench.out()).unwrap();
    fs::write(bench.out().join("mine"), "mine").unwrap();
    let said = bench.says(&[ECPIX5], 2);
    assert!(said.contains("mine"), "{said}");
    assert_eq!(fs::read_dir(bench.out()).unwrap().count(), 1);
}

#[test]
fn a_design_alone_is_placed_without_pins_on_any_ecp5() {
    let bench = Bench::new();
    let said =
        bench.says(&["configs/udp_core.toml", "--out-of-context", "--device", "25k", "--speed", "6"], 0);
    assert!(said.contains("udp_core on LFE5U-25F-6") && !said.contains(".bit"), "{said}");
    assert_eq!(bench.report()["bitstream"], serde_json::Value::Null);
    assert!(bench.runs("ecppack").is_empty());
    let said = bench.says(&["configs/udp_core.toml", "--out-of-context", "--device", "85"], 2);
    assert!(said.contains("\"85\""), "{said}");
}

#[test]
fn a_dry_run_prints_the_commands_and_runs_none() {
    let bench = Bench::new();
    let said = bench.says(&[ECPIX5, "--dry-run", "--seeds", "4,5"], 0);
    let programs: Vec<&str> = said.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(programs, ["cd", "mkdir", "yosys", "nextpnr-ecp5", "nextpnr-ecp5", "ecppack"]);
    assert!(said.contains("--um5g-85k --package CABGA554 --speed 8") && said.contains("--seed 5"), "{said}");
    assert!(!bench.out().exists() && bench.runs("yosys").is_empty());
}

#[test]
fn the_commands_are_those_of_the_generated_makefile() {
    let bench = Bench::new();
    for (file, board) in [(ECPIX5, "ecpix5"), ("configs/colorlight_i5.toml", "colorlight_i5")] {
        let generated = bench.place.path().join(board);
        let mut generate = Command::new(env!("CARGO_BIN_EXE_nicforge"));
        generate.args(["generate", file, "-o"]).arg(&generated);
        generate.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
        assert!(generate.output().unwrap().status.success());
        let make =
            Command::new("make").args(["-n", "-C", "scripts"]).current_dir(&generated).output().unwrap();
        let made = String::from_utf8(make.stdout).unwrap();
        let said = bench.says(&[file, "--dry-run"], 0);
        let commands: Vec<&str> = said.lines().skip(2).collect();
        assert_eq!(commands.len(), 3, "{said}");
        for command in commands {
            let wanted = command.replace("../work/", "build/");
            assert!(made.contains(&wanted), "{wanted}\nis not in\n{made}");
        }
    }
}
