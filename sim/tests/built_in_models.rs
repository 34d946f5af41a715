//! The model of `ibob` that the build script linked into the program.
#![cfg(feature = "ibob")]
use nicforge_hdl::config::Config;
use nicforge_layout::registers;
use nicforge_sim::link::xgmii::{Pacing, Received};
use nicforge_sim::link::{AxiLite, Stalls, XgmiiSink, XgmiiSource, fcs};
use nicforge_sim::model::ibob::{self, PORTS};
use nicforge_sim::models::worked;
use nicforge_sim::{Board, Error};
use std::path::Path;

/// A board with both ends of its line and its register bus.
struct Bench {
    board: Board,
    line: (XgmiiSource, XgmiiSink),
    bus: AxiLite,
}

impl Bench {
    fn new() -> Self {
        let mut board = Board::new(ibob::model().unwrap()).unwrap();
        let source = XgmiiSource::attach(&mut board, "xgmii", Pacing::default(), Stalls::none()).unwrap();
        let sink = XgmiiSink::attach(&mut board, "xgmii").unwrap();
        let bus = AxiLite::attach(&mut board, "s_axil", Stalls::none()).unwrap();
        Self { board, line: (source, sink), bus }
    }

    fn read(&mut self, address: u32) -> Result<u32, Error> {
        self.bus.read(&mut self.board, &mut self.line, address)
    }

    fn write(&mut self, address: u32, value: u32) {
        self.bus.write(&mut self.board, &mut self.line, address, value).unwrap();
    }

    fn frames(&mut self, count: usize) -> Vec<Received> {
        let what = format!("{count} frames");
        let enough = |(_, sink): &(XgmiiSource, XgmiiSink)| sink.line.waiting() >= count;
        self.board.run_until(&what, 20_000, &mut self.line, enough).unwrap();
        (0..count).filter_map(|_| self.line.1.line.pop()).collect()
    }
}

/// Sends an ARP request and returns the octets of the answer, tracing if asked.
fn arp_reply(trace: Option<&Path>) -> Vec<u8> {
    let mut bench = Bench::new();
    trace.iter().for_each(|path| bench.board.trace(path).unwrap());
    bench.line.0.line.push_frame(worked::octets(worked::V01));
    let reply = bench.frames(1).remove(0);
    assert_eq!(bench.line.1.line.violations(), []);
    reply.octets
}

#[test]
fn typed_ports_are_the_ports_found_by_name() {
    let model = ibob::model().unwrap();
    assert_eq!(model.input("xgmii_rxd").unwrap(), PORTS.xgmii_rxd);
    assert_eq!(model.input("rst").unwrap(), PORTS.rst);
    assert_eq!(model.output("xgmii_txc").unwrap(), PORTS.xgmii_txc);
    assert_eq!((model.input_width(PORTS.xgmii_rxc), model.output_width(PORTS.xgmii_txd)), (8, 64));
}

#[test]
fn the_model_is_that_of_the_configuration_file() {
    let config = Config::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/ibob.toml")).unwrap();
    assert_eq!(ibob::CONFIG_DIGEST, config.digest());
    let wanted = u32::from_be_bytes([0, 1, 2, 3].map(|octet| ibob::CONFIG_DIGEST[octet]));
    assert_eq!(Bench::new().read(registers::config_digest::REG.offset).unwrap(), wanted);
}

#[test]
fn an_unmapped_register_is_refused() {
    assert!(matches!(Bench::new().read(0xffc), Err(Error::Refused { address: 0xffc, response: 2 })));
}

#[test]
fn an_arp_request_is_answered_on_every_thread_and_in_every_instance() {
    let wanted = worked::octets(worked::V02);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| assert_eq!(arp_reply(None), wanted)));
        }
    });
}

#[test]
fn the_sampler_fills_the_line_with_good_packets_until_it_is_stopped() {
    let mut bench = Bench::new();
    bench.write(registers::sampler_pace::REG.offset, 0x0001_0001);
    bench.write(registers::sampler_control::REG.offset, 1 | 1 << 4);
    for frame in bench.frames(5) {
        let body = frame.without_fcs();
        assert_eq!(
            (body.len(), fcs(body).to_vec()),
            (42 + 8 + 32 + 8000, frame.octets[body.len()..].to_vec())
        );
    }
    bench.write(registers::sampler_control::REG.offset, 0);
    bench.board.run(5_000, &mut bench.line);
    let before = bench.line.1.line.waiting();
    bench.board.run(5_000, &mut bench.line);
    assert_eq!(bench.line.1.line.waiting(), before);
    assert_eq!(bench.line.1.line.violations(), []);
}

#[test]
fn threads_trace_to_files_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let path = |index| directory.path().join(format!("{index}.vcd"));
    std::thread::scope(|scope| {
        for index in 0..4 {
            scope.spawn(move || arp_reply(Some(&path(index))));
        }
    });
    // The header holds the wall time.
    let body = |index| {
        let text = std::fs::read_to_string(path(index)).unwrap();
        text.split_once("$enddefinitions").unwrap().1.to_owned()
    };
    assert!(body(0).len() > 10_000 && (1..4).all(|index| body(index) == body(0)));
}
