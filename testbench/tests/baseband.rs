//! The package `baseband` reads what the sampler sends, sample by sample.
use nicforge_layout::wire::ethernet::FCS_OCTETS;
use nicforge_layout::wire::udp::ALL_HEADERS_OCTETS;
use nicforge_layout::wire::vdif::VTP_OCTETS;
use nicforge_sim::models::{tone, vdif};
use nicforge_testbench::bench::Design;
use nicforge_testbench::cases;
use nicforge_testbench::cases::stream::{Plan, Signal};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Samples a second at which the recordings here are opened: 1000 frames of 8000 samples.
const SAMPLE_RATE: u64 = 8_000_000;

fn stream() -> vdif::Stream {
    vdif::Stream {
        serial: 7,
        epoch: 53,
        seconds: 13_194_000,
        frame: 995,
        frames_per_second: 1000,
        data_octets: 8000,
        station: u16::from_be_bytes(*b"Ib"),
        thread: 3,
        sample: 0,
    }
}

/// What `baseband` says of a recording, and the code of each of its samples.
fn read(folder: &Path, recording: &[u8], sample_rate: u64) -> (serde_json::Value, Vec<u8>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python: PathBuf = root.join("../.venv/bin/python");
    assert!(python.exists(), "{} is missing: run `tools/setup test`", python.display());
    let (file, codes) = (folder.join("recording.vdif"), folder.join("codes"));
    std::fs::write(&file, recording).unwrap();
    let output = Command::new(python)
        .arg(root.join("peers/baseband_samples.py"))
        .args([&file, &codes])
        .args(["--sample-rate", &sample_rate.to_string()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (serde_json::from_slice(&output.stdout).unwrap(), std::fs::read(codes).unwrap())
}

#[test]
fn the_reference_model_frames_samples_as_baseband_reads_them() {
    let sample = |n| tone::tone(n, 0x0123_4567, 100);
    let mut stream = stream();
    // Ten packets, across the border of a second.
    let recording: Vec<u8> = (0..10).flat_map(|_| stream.packet(sample)[VTP_OCTETS..].to_vec()).collect();
    let folder = tempfile::tempdir().unwrap();
    let (report, codes) = read(folder.path(), &recording, SAMPLE_RATE);
    let wanted = serde_json::json!({
        "samples": 80_000, "start": "2026-11-30T17:00:00.995000000", "station": "Ib", "thread": 3,
        "bits": 8, "complex": false, "samples_per_frame": 8000,
    });
    assert_eq!(report, wanted);
    let wanted: Vec<u8> = (0..80_000).map(|n| vdif::offset_binary(sample(n))).collect();
    assert!(codes == wanted, "baseband reads other samples than the model made");
}

#[test]
fn baseband_reads_every_sample_that_the_board_sends() {
    let config = cases::configuration("ibob").unwrap();
    let design = Design::of("ibob", nicforge_hdl::top::emit_core(&config).unwrap()).unwrap();
    let signal = Signal::Tone { step: 0x0123_4567, amplitude: 100 };
    let plan = Plan::across_borders(&config, 20, signal);
    let frames = plan.play(&design).unwrap();
    let data = |frame: &Vec<u8>| frame[ALL_HEADERS_OCTETS + VTP_OCTETS..frame.len() - FCS_OCTETS].to_vec();
    let recording: Vec<u8> = frames.iter().flat_map(data).collect();
    let samples = 20 * u64::from(config.vdif.data_octets);
    let sample_rate = u64::from(plan.first.frames_per_second) * u64::from(config.vdif.data_octets);
    let folder = tempfile::tempdir().unwrap();
    let (report, codes) = read(folder.path(), &recording, sample_rate);
    assert_eq!(report["samples"], samples);
    assert_eq!(report["start"], "2026-11-30T17:00:00.995000000");
    let wanted: Vec<u8> = (0..samples).map(|n| vdif::offset_binary(signal.sample(n))).collect();
    assert!(codes == wanted, "baseband reads other samples than the model made");
}
