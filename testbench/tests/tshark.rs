//! `tshark` judges captures taken at XGMII, FCS kept: every sum that it can check has to be good.
use nicforge_sim::link::xgmii::{Pacing, XgmiiSink, XgmiiSource};
use nicforge_sim::link::{AxisSource, Packet, Stalls};
use nicforge_sim::models::{eth, worked};
use nicforge_testbench::bench::Design;
use nicforge_testbench::cases;
use std::process::Command;

/// What `tshark` says of one frame: FCS, header checksum, UDP or ICMP checksum; `1` is good.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Judged {
    fcs: String,
    header: String,
    payload: String,
}

impl Judged {
    fn is_good(&self) -> bool {
        [&self.fcs, &self.header, &self.payload].into_iter().all(|status| status == "1")
    }
}

/// The judgement on every frame of a capture.
fn judge(frames: &[Vec<u8>]) -> Vec<Judged> {
    let file = tempfile::NamedTempFile::with_suffix(".pcap").unwrap();
    std::fs::write(file.path(), cases::capture("tshark", frames).unwrap()).unwrap();
    let mut command = Command::new("tshark");
    for preference in
        ["eth.fcs:Always", "eth.check_fcs:TRUE", "ip.check_checksum:TRUE", "udp.check_checksum:TRUE"]
    {
        command.args(["-o", preference]);
    }
    command.arg("-r").arg(file.path()).args(["-T", "fields"]);
    for field in ["eth.fcs.status", "ip.checksum.status", "udp.checksum.status", "icmp.checksum.status"] {
        command.args(["-e", field]);
    }
    let output = command.output().expect("tshark is there: run `tools/setup test`");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let judged = text.lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [fcs, header, udp, icmp] = fields[..] else { panic!("wanted four fields, found {line:?}") };
        Judged { fcs: fcs.into(), header: header.into(), payload: format!("{udp}{icmp}") }
    });
    judged.collect()
}

fn good(frames: &[Vec<u8>]) -> usize {
    judge(frames).iter().filter(|judged| judged.is_good()).count()
}

/// What a board sends for packets of these lengths and for one echo request among them.
fn sent(lengths: &[usize]) -> Vec<Vec<u8>> {
    let config = cases::configuration("udp_core").unwrap();
    let design = Design::of("udp_core", nicforge_hdl::top::emit_core(&config).unwrap()).unwrap();
    let mut board = design.board().unwrap();
    let mut source = XgmiiSource::attach(&mut board, "xgmii", Pacing::default(), Stalls::none()).unwrap();
    let sink = XgmiiSink::attach(&mut board, "xgmii").unwrap();
    let mut port = AxisSource::attach(&mut board, "s_axis_udp", Stalls::seeded(5)).unwrap();
    source.line.push_frame(worked::octets(worked::V06));
    for length in lengths {
        port.push(Packet::good((0..*length).map(|i| (i * length) as u8).collect::<Vec<u8>>()));
    }
    let words: usize = lengths.iter().map(|length| length / 8 + 20).sum();
    let limit = 5000 + 10 * words as u64;
    let mut actors = (source, sink, port);
    let wanted = lengths.len() + 1;
    board.run_until("sending", limit, &mut actors, |(_, sink, _)| sink.line.waiting() >= wanted).unwrap();
    board.run(1000, &mut actors);
    let mut line = actors.1.line;
    assert!(line.violations().is_empty(), "{:?}", line.violations());
    std::iter::from_fn(|| line.pop()).map(|received| received.octets).collect()
}

#[test]
fn every_frame_sent_has_good_sums() {
    let mut lengths: Vec<usize> = (1..=80).collect();
    lengths.extend([127, 128, 1471, 1472, 1473, 8039, 8040, 8041, 8971, 8972]);
    let frames = sent(&lengths);
    assert_eq!(frames.len(), lengths.len() + 1);
    assert_eq!(good(&frames), frames.len(), "{:?}", judge(&frames));
}

#[test]
fn the_control_capture_shows_exactly_its_three_damaged_frames() {
    let sound = worked::octets(worked::V08);
    let damaged = |octet: usize, again: fn(&mut Vec<u8>)| {
        let mut frame = sound.clone();
        frame[octet] ^= 0x04;
        again(&mut frame);
        frame
    };
    let resummed = |frame: &mut Vec<u8>| {
        frame.truncate(60);
        *frame = eth::with_fcs(frame);
    };
    let frames = [
        sound.clone(),
        damaged(50, |_| ()),
        sound.clone(),
        damaged(22, resummed),
        damaged(50, resummed),
        worked::octets(worked::V06),
        sound.clone(),
    ];
    let judged = judge(&frames);
    let bad: Vec<usize> = (0..frames.len()).filter(|index| !judged[*index].is_good()).collect();
    assert_eq!(bad, [1, 3, 4], "{judged:?}");
    assert_eq!((&judged[1].fcs[..], &judged[3].header[..], &judged[4].payload[..]), ("0", "0", "0"));
}
