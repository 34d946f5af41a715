//! `stream` as a user meets it: datagrams on the loopback, a recording and an account.
use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nicforge_host::{vdif, vtp};

const FRAME_OCTETS: u32 = 1032;

/// Starts a recorder on a port that was free a moment ago.
fn start(folder: &std::path::Path, arguments: &[&str]) -> (Child, SocketAddr) {
    let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_nicforge"))
        .args(["stream", "--json", "--bind", &address.to_string(), "-o", "scan.vdif"])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    (child, address)
}

/// Waits until somebody listens on the port: until then the kernel refuses datagrams.
fn connect(address: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(address).unwrap();
    let begin = Instant::now();
    loop {
        // The first send on a refused port succeeds, the next one reports the refusal.
        let refused = socket.send(b"x").is_err() | {
            std::thread::sleep(Duration::from_millis(20));
            socket.send(b"x").is_err()
        };
        if !refused {
            return socket;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "the recorder does not listen");
    }
}

fn packet(serial: u64) -> Vec<u8> {
    let header = vdif::Header {
        seconds: 7,
        epoch: 53,
        frame: serial as u32,
        frame_octets: FRAME_OCTETS,
        thread: 3,
        ..vdif::Header::default()
    };
    let mut frame = header.encode().unwrap().to_vec();
    frame.resize(FRAME_OCTETS as usize, serial as u8);
    vtp::join(serial, &frame)
}

fn report(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn a_whole_stream_is_recorded_in_order_and_ends_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let (child, address) = start(folder.path(), &["--first", "0", "--packets", "20"]);
    let socket = connect(address);
    for serial in [1, 0].into_iter().chain(2..20) {
        socket.send(&packet(serial)).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = report(&output);
    assert_eq!((&report["ended"], &report["frames_written"]), (&"complete".into(), &20.into()));
    assert_eq!((&report["lost"], &report["reordered"]), (&0.into(), &1.into()));
    let recording = fs::read(folder.path().join("scan.vdif")).unwrap();
    let wanted: Vec<u8> = (0..20).flat_map(|serial| packet(serial)[8..].to_vec()).collect();
    assert_eq!(recording, wanted);
}

#[test]
fn loss_is_reported_and_fails_the_command_while_foreign_and_repeated_packets_do_not_disturb() {
    let folder = tempfile::tempdir().unwrap();
    let (child, address) = start(folder.path(), &["--first", "0", "--packets", "10", "--idle", "2"]);
    let socket = connect(address);
    for serial in [0, 1, 1, 2, 4, 5, 6, 7, 8, 9] {
        socket.send(&packet(serial)).unwrap();
    }
    socket.send(b"neither serial number nor frame").unwrap();
    let output = child.wait_with_output().unwrap();
    let report = report(&output);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!((&report["lost"], &report["duplicate"]), (&1.into(), &1.into()));
    assert_eq!(report["frames_written"], 9);
    // The text, and what told that the recorder listens.
    assert!(report["foreign"].as_u64().unwrap() >= 3, "{report}");
}

#[test]
fn an_interrupt_ends_a_recording_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (child, address) = start(folder.path(), &[]);
    let socket = connect(address);
    for serial in 100..105 {
        socket.send(&packet(serial)).unwrap();
    }
    let begin = Instant::now();
    std::thread::sleep(Duration::from_millis(500));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(20));
    let report = report(&output);
    assert_eq!((&report["ended"], &report["frames_written"]), (&"stopped".into(), &5.into()));
    assert_eq!(fs::metadata(folder.path().join("scan.vdif")).unwrap().len(), 5 * u64::from(FRAME_OCTETS));
}

#[test]
fn an_existing_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("scan.vdif"), "mine").unwrap();
    let (child, _) = start(folder.path(), &[]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(folder.path().join("scan.vdif")).unwrap(), b"mine");
}

#[test]
fn refused_settings_leave_no_file_and_silence_is_named_as_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (child, _) = start(folder.path(), &["--window", "3"]);
    assert!(!child.wait_with_output().unwrap().status.success());
    assert!(!folder.path().join("scan.vdif").exists());
    let (child, _) = start(folder.path(), &["--idle", "1"]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(report(&output)["ended"], "idle");
}
