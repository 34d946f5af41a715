//! `sim` and `demo` as a user meets them.
#![cfg(feature = "sim")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nicforge_sim::link::finish;
use nicforge_sim::models::worked;
use nicforge_sim::pcap::{self, Writer};

/// Longest wait for anything here.
const PATIENCE: Duration = Duration::from_secs(240);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nicforge"));
    command.args(arguments).current_dir(root()).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    let mut child = command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Reports are shorter than a pipe holds, so nothing waits for a reader.
    wait(&mut child);
    child.wait_with_output().unwrap()
}

#[track_caller]
fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no JSON, but: {}", String::from_utf8_lossy(&output.stderr)))
}

/// A capture with one ARP request for 192.168.1.`last`.
fn request_for(last: u8, path: &Path) {
    let mut frame = worked::octets(worked::V01);
    frame.truncate(60);
    assert_eq!(frame[38..42], [192, 168, 1, 128], "the target address of the request");
    frame[41] = last;
    let mut writer = Writer::create(path).unwrap();
    writer.write(Duration::ZERO, &finish(&frame)).unwrap();
    writer.finish().unwrap();
}

/// The frames that the board of `config` sends when asked for 192.168.1.`last`.
fn answers(config: &str, last: u8, folder: &Path) -> Vec<Vec<u8>> {
    let (input, output) = (folder.join("in.pcap"), folder.join("out.pcap"));
    request_for(last, &input);
    let files = [config, "--in", input.to_str().unwrap(), "--out", output.to_str().unwrap()];
    let done = run(&[&["sim", "--json"], &files[..]].concat());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let report = json(&done);
    assert_eq!((&report["frames_in"], &report["violations"]), (&1.into(), &0.into()));
    assert_eq!(report["counters"]["rx_good"], 1);
    let frames: Vec<Vec<u8>> = pcap::read(&output).unwrap().into_iter().map(|record| record.octets).collect();
    assert_eq!(report["frames_out"], frames.len());
    frames
}

#[test]
fn a_changed_address_in_the_file_changes_who_answers_on_the_wire() {
    let folder = tempfile::tempdir().unwrap();
    let before = "configs/ibob.toml";
    assert_eq!(answers(before, 128, folder.path()), [worked::octets(worked::V02)]);
    assert!(answers(before, 77, folder.path()).is_empty());

    let text = fs::read_to_string(root().join(before)).unwrap();
    let changed = folder.path().join("changed.toml");
    fs::write(&changed, text.replace("ip = \"192.168.1.128\"", "ip = \"192.168.1.77\"")).unwrap();
    let after = changed.to_str().unwrap();
    assert!(answers(after, 128, folder.path()).is_empty());
    let [answer] = &answers(after, 77, folder.path())[..] else { panic!("no single answer") };
    assert_eq!(answer[28..32], [192, 168, 1, 77], "the sender's address");
}

#[test]
fn a_cut_capture_is_refused_with_the_octet_where_it_breaks_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.pcap");
    request_for(128, &path);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 10]).unwrap();
    let older = folder.path().join("out.pcap");
    fs::write(&older, "an older result").unwrap();
    let (input, output) = (path.to_str().unwrap(), older.to_str().unwrap());
    let refused = run(&["sim", "configs/ibob.toml", "--in", input, "--out", output]);
    assert_eq!(fs::read(&older).unwrap(), b"an older result");
    let message = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{message}");
    // The record begins behind the 24 octets of the file's header.
    assert!(message.contains("octet 24"), "{message}");
}

#[test]
fn a_waveform_holds_the_board_s_ports() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("board.vcd");
    let done =
        run(&["sim", "configs/udp_core.toml", "--cycles", "50", "--vcd", path.to_str().unwrap(), "--json"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("xgmii_txd") && text.contains("$enddefinitions"));
}

/// A demo of `packets` packets; its report, if the network may be used here.
fn demo(network: &str, packets: &str, folder: &Path) -> Option<serde_json::Value> {
    let output = folder.to_str().unwrap();
    let done =
        run(&["demo", "--json", "--network", network, "--packets", packets, "--pings", "3", "-o", output]);
    if done.status.code() == Some(1) && done.stdout.is_empty() {
        let reason = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(network != "smoltcp" && reason.contains(network), "{reason}");
        eprintln!("{network} is not allowed here: {reason}");
        return None;
    }
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    Some(json(&done))
}

#[test]
fn the_demo_is_right_to_the_last_sample_in_every_network() {
    for network in ["tap", "veth", "smoltcp"] {
        let folder = tempfile::tempdir().unwrap();
        let Some(report) = demo(network, "60", folder.path()) else { continue };
        assert_eq!(report["network"], network);
        assert_eq!((&report["ping_sent"], &report["ping_received"]), (&3.into(), &3.into()));
        for key in ["samples_wrong", "packets_lost", "packets_reordered"] {
            assert_eq!(report[key], 0, "{network}: {key}");
        }
        assert_eq!((&report["packets_sent"], &report["samples_recorded"]), (&60.into(), &480_000.into()));
        for counter in ["sampler_packets", "udp_tx_good"] {
            assert_eq!(report["counters"][counter], 60, "{network}: {counter}");
        }
        let share = report["wire_share"].as_f64().unwrap();
        // 125,000 packets of 8106 octets a second.
        assert!((share - 0.8106).abs() < 0.002, "{network}: share {share}");
        let summary = fs::read(folder.path().join("summary.json")).unwrap();
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&summary).unwrap(), report);
        let size = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
        assert_eq!(size("recording.vdif"), 60 * 8032);
        assert!(size("samples.svg") > 10_000);
        let stream = pcap::read(&folder.path().join("wire.pcap")).unwrap();
        assert_eq!(stream.iter().filter(|record| record.octets.len() == 8086).count(), 60);
    }
}

#[test]
fn the_demo_runs_on_1_gbe_though_the_stream_flows_from_reset_on() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let options = ["--json", "--network", "smoltcp", "--packets", "40", "--pings", "2", "-o", output];
    let done = run(&[&["demo", "configs/ecpix5.toml"], &options[..]].concat());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    let report = json(&done);
    assert_eq!((&report["link"], &report["ping_received"]), (&"1GbE".into(), &2.into()));
    for (key, wanted) in [("samples_wrong", 0), ("packets_lost", 0), ("samples_recorded", 40 * 1280)] {
        assert_eq!(report[key], wanted, "{key}");
    }
    // 78,125 packets a second of 1386 octets with preamble and gap.
    let share = report["wire_share"].as_f64().unwrap();
    assert!((share - 0.86625).abs() < 0.005, "share {share}");
    let frames = pcap::read(&folder.path().join("wire.pcap")).unwrap();
    let stream: Vec<_> = frames.iter().filter(|record| record.octets.len() == 1366).collect();
    let times: Vec<_> = stream[stream.len() - 20..].iter().map(|record| record.time).collect();
    let spacing = (times[19] - times[0]).as_nanos() / 19;
    assert!(spacing.abs_diff(12_800) < 20, "a packet every 12.8 us in the capture, found {spacing} ns");
}

#[test]
fn a_board_on_1_gbe_answers_between_captures_and_has_its_registers() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join("configs/colorlight_i5.toml")).unwrap();
    let quiet = folder.path().join("quiet.toml");
    fs::write(&quiet, text.replace("enable = true", "enable = false")).unwrap();
    let config = quiet.to_str().unwrap();
    assert_eq!(answers(config, 128, folder.path()), [worked::octets(worked::V02)]);
    assert!(answers(config, 77, folder.path()).is_empty());
    let done = run(&["regs", "read", "ip", "--sim", config, "--json"]);
    assert_eq!(json(&done)["values"][0]["value"], 0xc0a8_0180_u32);
}

#[test]
fn the_demo_refuses_a_configuration_without_a_sampler() {
    let refused = run(&["demo", "configs/udp_core.toml"]);
    let message = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.contains("the demo needs") && message.contains("udp_core"), "{message}");
}

fn wait(child: &mut Child) -> std::process::ExitStatus {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    panic!("the command did not end within {PATIENCE:?}");
}

/// A process as /proc shows it.
struct Process {
    pid: u32,
    parent: u32,
    name: String,
    network: Option<PathBuf>,
}

fn processes() -> Vec<Process> {
    let pids =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid: u32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let value =
            |key: &str| Some(status.lines().find_map(|line| line.strip_prefix(key))?.trim().to_owned());
        let network = fs::read_link(format!("/proc/{pid}/ns/net")).ok();
        Some(Process { pid, parent: value("PPid:")?.parse().ok()?, name: value("Name:")?, network })
    })
    .collect()
}

/// Waits until `done` gives a value.
fn until<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(value) = done() {
            return value;
        }
        assert!(begin.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a demo that pings for minutes, interrupts it, and looks for what it had started.
fn interrupt(network: &str) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let mut child = command(&["demo", "--network", network, "--pings", "1000", "-o", output])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let parent = child.id();
    let ping = until("the system's ping", || {
        let found = processes().into_iter().find(|p| p.parent == parent && p.name == "ping");
        // Before it has entered the namespace it still is in ours.
        let here = fs::read_link("/proc/self/ns/net").ok();
        found.filter(|ping| ping.network.is_some() && ping.network != here)
    });
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert!(!wait(&mut child).success());
    until("the end of ping and of its namespace", || {
        processes().iter().all(|p| p.pid != ping.pid && p.network != ping.network).then_some(())
    });
}

#[test]
fn an_interrupted_demo_leaves_no_process_and_no_namespace_behind() {
    for network in ["tap", "veth"] {
        let folder = tempfile::tempdir().unwrap();
        if demo(network, "2", folder.path()).is_some() {
            interrupt(network);
        }
    }
}
