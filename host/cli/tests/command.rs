//! The command as a user meets it: arguments in, text or JSON and an exit status out.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn nicforge(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nicforge"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(octets: &[u8]) -> String {
    String::from_utf8(octets.to_vec()).unwrap()
}

/// Standard output of a run that must end with this status.
#[track_caller]
fn stdout(arguments: &[&str], status: i32) -> String {
    let output = nicforge(arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Standard error of a run that must end with this status.
#[track_caller]
fn stderr(arguments: &[&str], status: i32) -> String {
    let output = nicforge(arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

#[track_caller]
fn json(arguments: &[&str], status: i32) -> serde_json::Value {
    serde_json::from_str(&stdout(arguments, status)).unwrap()
}

#[test]
fn what_new_writes_passes_the_check() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("my.toml");
    let file = file.to_str().unwrap();
    for board in ["ibob", "kc705", "ecpix5", "colorlight_i5", "none"] {
        stdout(&["new", board, "-o", file], 0);
        assert_eq!(std::fs::read_to_string(file).unwrap(), stdout(&["new", board], 0));
        assert!(stdout(&["check", file], 0).contains("no faults"));
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn new_leaves_an_existing_file_alone() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("my.toml");
    std::fs::write(&file, "mine").unwrap();
    let refusal = stderr(&["new", "ibob", "-o", file.to_str().unwrap()], 2);
    assert!(refusal.contains("exists already"), "{refusal}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn an_unknown_board_is_refused_with_the_boards_there_are() {
    let refusal = stderr(&["new", "ibop"], 2);
    assert!(refusal.contains("\"ibop\"") && refusal.contains("\"kc705\" or"), "{refusal}");
    assert!(stdout(&["boards"], 0).contains("xc2vp50"));
    assert_eq!(json(&["boards", "--json"], 0)["boards"][2]["name"], "ibob");
}

#[test]
fn check_lists_every_fault_as_text_and_as_json() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("bad.toml");
    std::fs::write(&path, "board = \"ibop\"\n[network]\nmac = \"01:00:00:00:00:00\"\ncolour = 1\n").unwrap();
    let file = path.to_str().unwrap();
    let listed = stdout(&["check", file], 2);
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 3, "{listed}");
    for (line, start) in
        lines.iter().zip(["1: board: wanted", "3: network.mac: wanted", "4: network.colour: wanted"])
    {
        assert!(line.starts_with(&format!("{file}:{start}")) && line.contains(", found "), "{line}");
    }
    let report = json(&["check", file, "--json"], 2);
    assert_eq!(report["faults"].as_array().unwrap().len(), 3);
    assert_eq!(report["faults"][1]["line"], 3);
    assert_eq!(report["faults"][1]["field"], "network.mac");
    assert_eq!(report["faults"][1]["found"], "\"01:00:00:00:00:00\"");
}

#[test]
fn a_missing_file_is_named() {
    let listed = stdout(&["check", "no/such.toml"], 2);
    assert!(listed.starts_with("no/such.toml: wanted a readable text file"), "{listed}");
}

#[test]
fn doctor_names_every_need_and_one_command_for_what_is_missing() {
    let output = nicforge(&["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let missing =
        report["checks"].as_array().unwrap().iter().any(|check| check["found"].get("present").is_none());
    assert_eq!(report["install"].is_string(), missing);
    assert_eq!(output.status.code(), Some(i32::from(missing || report["rust"]["fine"] == false)));
    // With nothing on PATH everything is missing, and the command names every package once.
    let output = Command::new(env!("CARGO_BIN_EXE_nicforge")).arg("doctor").env("PATH", "").output().unwrap();
    let listed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    let install = listed.lines().find(|line| line.contains("apt-get install")).unwrap();
    for package in ["g++", "make", "verilator", "iproute2", "iputils-ping", "tshark", "iverilog", "yosys"] {
        assert_eq!(install.split(' ').filter(|word| *word == package).count(), 1, "{install}");
    }
}

#[test]
fn registers_are_listed_by_part_of_their_name() {
    let listed = stdout(&["regs", "list", "udp_tx_control"], 0);
    assert!(listed.contains("0x060  udp_tx_control.ttl") && listed.lines().count() == 3, "{listed}");
    let report = json(&["regs", "list", "--json"], 0);
    assert_eq!(report["registers"][0]["name"], "map_digest");
    assert!(stderr(&["regs", "list", "nothing"], 2).contains("nothing"));
}

#[test]
fn every_verb_helps_with_one_example() {
    let verbs = verbs(&[]);
    assert!(verbs.len() >= 5, "{verbs:?}");
    for verb in verbs {
        let help = stdout(&[&verb, "--help"], 0);
        let examples: Vec<&str> = help.split("Example:").skip(1).map(str::trim_start).collect();
        assert_eq!(examples.len(), 1, "{help}");
        assert!(examples[0].starts_with(&format!("nicforge {verb}")), "{help}");
    }
}

/// The commands that the help of a command names, without `help` itself.
fn verbs(command: &[&str]) -> Vec<String> {
    let help = stdout(&[command, &["--help"]].concat(), 0);
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn bad_usage_ends_with_status_2() {
    for arguments in [&["frobnicate"][..], &[], &["check"], &["boards", "--colour"]] {
        assert_eq!(nicforge(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let script = format!("{} regs list | head -n 1", env!("CARGO_BIN_EXE_nicforge"));
    let output = Command::new("bash").args(["-o", "pipefail", "-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Help texts of every verb and of the actions below it.
fn command_reference() -> String {
    let mut page = String::from(
        "<!-- Written from the help texts. Do not edit: run `NICFORGE_UPDATE=1 cargo test -p nicforge --test command`. -->\n\
         # Command reference\n\n\
         Every verb that reports takes `--json`; text and JSON come from one value. Progress is shown on a terminal only.\n",
    );
    for verb in verbs(&[]) {
        page += &format!("\n## `nicforge {verb}`\n\n```text\n{}```\n", stdout(&[&verb, "--help"], 0));
        for action in verbs(&[&verb]) {
            let help = stdout(&[&verb, &action, "--help"], 0);
            page += &format!("\n### `nicforge {verb} {action}`\n\n```text\n{help}```\n");
        }
    }
    page
}

#[test]
fn the_command_reference_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/command.md");
    let page = command_reference();
    if std::env::var_os("NICFORGE_UPDATE").is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    let found = std::fs::read_to_string(file).unwrap();
    assert!(found == page, "run NICFORGE_UPDATE=1 cargo test -p nicforge --test command");
}

#[test]
fn generate_writes_the_same_bytes_twice_and_names_them() {
    let place = tempfile::tempdir().unwrap();
    for configuration in ["configs/ibob.toml", "configs/udp_core.toml"] {
        let folder = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
        let report = json(&["generate", configuration, "-o", &folder("first"), "--json"], 0);
        stdout(&["generate", configuration, "-o", &folder("second")], 0);
        let files = report["files"].as_array().unwrap();
        assert!(files.len() > 10, "{report:#}");
        for file in files {
            assert!(!file["purpose"].as_str().unwrap().is_empty(), "{file}");
            let file = file["path"].as_str().unwrap();
            let [first, second] =
                ["first", "second"].map(|name| std::fs::read(place.path().join(name).join(file)).unwrap());
            assert_eq!(first, second, "{file}");
            if file.ends_with(".v") {
                assert_no_name_has_a_dollar(file, &text(&first));
            }
        }
    }
}

/// `$` begins system functions and nothing else.
fn assert_no_name_has_a_dollar(file: &str, verilog: &str) {
    for (place, _) in verilog.match_indices('$') {
        let before = verilog[..place].chars().next_back();
        assert!(
            before.is_some_and(|c| !c.is_alphanumeric() && c != '_'),
            "{file}: {}",
            &verilog[place..][..20]
        );
        assert!(verilog[place..].starts_with("$signed("), "{file}: {}", &verilog[place..][..20]);
    }
}

#[test]
fn generate_refuses_a_folder_of_somebody_else() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("thesis.tex"), "years of work").unwrap();
    let folder = place.path().to_str().unwrap();
    let refusal = stderr(&["generate", "configs/ibob.toml", "-o", folder], 2);
    assert!(refusal.contains("thesis.tex"), "{refusal}");
}

#[test]
fn generate_shows_the_faults_of_a_configuration_at_their_place() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("bad.toml");
    std::fs::write(&file, "board = \"ibob\"\n[network]\nmtu = 5\nip = \"300.1.1.1\"\n").unwrap();
    let out = place.path().join("out");
    let refusal = stderr(&["generate", file.to_str().unwrap(), "-o", out.to_str().unwrap()], 2);
    for part in ["2 faults", "bad.toml:3", "network.mtu", "bad.toml:4", "network.ip", "mtu = 5"] {
        assert!(refusal.contains(part), "{part}: {refusal}");
    }
    assert!(!out.exists());
}

#[cfg(feature = "sim")]
mod simulated {
    use super::{json, stderr, stdout};

    const BOARD: [&str; 2] = ["--sim", "configs/ibob.toml"];

    #[test]
    fn registers_of_a_simulated_board_are_read_and_written_by_name() {
        let read = json(&[&["regs", "read", "ip", "udp_tx_control.ttl", "--json"], &BOARD[..]].concat(), 0);
        assert_eq!(read["values"][0]["value"], 0xc0a8_0180_u32);
        assert_eq!(read["values"][1]["value"], 64);
        let written = stdout(&[&["regs", "write", "udp_tx_control.ttl", "0x3"], &BOARD[..]].concat(), 0);
        assert_eq!(written, "udp_tx_control.ttl: was 0x40, is 0x3\n");
        let dumped = stdout(&[&["regs", "dump"], &BOARD[..]].concat(), 0);
        assert!(dumped.contains("0x128  vdif_rate") && dumped.contains("value=0x1e848"), "{dumped}");
    }

    #[test]
    fn names_and_values_that_do_not_fit_are_refused_as_bad_usage() {
        for (arguments, told) in [
            (&["regs", "read", "ipp"][..], "ipp"),
            (&["regs", "read", "ip.colour"], "ip has value"),
            (&["regs", "write", "udp_tx_control.ttl", "256"], "255"),
            (&["regs", "write", "map_digest", "1"], "cannot be written"),
            (&["regs", "write", "ip", "many"], "wanted a number"),
        ] {
            let refusal = stderr(&[arguments, &BOARD[..]].concat(), 2);
            assert!(refusal.contains(told), "{arguments:?}: {refusal}");
        }
    }
}
