//! The stages of the demo, one after the other.
use super::Demo;
use super::check::compare;
use super::summary::{Signal, Summary};
use crate::counters::Moved;
use crate::error::Error;
use crate::simulated::{PeerDatagrams, SimulatedBar, board_of, check_digest, host_plan};
use crate::{plots, progress};
use nicforge_hdl::config::{Config, Source};
use nicforge_host::{
    Card as Registers, Datagrams, Limits, Receiver, ReceiverOptions, Recorder, Settings, Statistics, record,
};
use nicforge_layout::registers::{
    Field, Register, sampler_control, sampler_pace, sampler_packets, sampler_sent, tone_amplitude, tone_step,
};
use nicforge_layout::wire::{ethernet, udp};
use nicforge_sim::card::{Card, Connections, Credit, Figures};
use nicforge_sim::link::LineKind;
use nicforge_sim::net::{Lab, PingPlan, Socket};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Octets of packets that the board may be ahead of the recorder: well inside any socket's buffer.
const AHEAD_OCTETS: u64 = 1 << 20;
/// Time without a packet after which the stream counts as over.
const IDLE: Duration = Duration::from_secs(10);
/// Cycles of the core clock in which a packet passes a card.
const AFTERMATH: u64 = 5_000;
/// Longest stream.
const LONGEST: Duration = Duration::from_secs(1800);

/// Runs the stages.
pub fn run(demo: &Demo, config: &Config, quiet: bool) -> Result<Summary, Error> {
    let say = |text: String| {
        if !quiet {
            println!("{text}");
        }
    };
    let file = |name: &str| -> PathBuf { demo.output.join(name) };
    let (lab, wire) = Lab::open(demo.network, &host_plan(config))?;
    say(lab.summary());
    let credit = Credit::new(AHEAD_OCTETS / config.payload_octets());
    let board = progress::spinner("preparing the board's model", quiet, || board_of(config, false))?;
    let connections = Connections {
        wire,
        capture: Some(file("wire.pcap")),
        credit: Some(credit.clone()),
        stream_octets: stream_frame(config),
    };
    let card = Card::start(board, connections)?;
    let mut summary = begin(config, lab.kind().name());
    let mut registers = Registers::open(SimulatedBar(&card))?;
    check_digest(&mut registers, config)?;
    stop_stream(&card, &mut registers, config)?;

    let pings = PingPlan { count: demo.pings, ..PingPlan::default() };
    let report = lab.ping(config.network.ip, &pings)?.wait()?;
    say(format!("ping {}: {} of {} answered", config.network.ip, report.received, report.sent));
    summary.ping(&report);

    // What a stream that begins at reset sent before it was stopped lies before the pings in every queue.
    let socket = lab.udp(config.stream.destination_port)?;
    card.begin_stream()?;
    start_stream(&mut registers, config, demo.packets)?;
    let statistics = receive(socket, config, demo.packets, &credit, file("recording.vdif"), quiet)?;
    summary.packets_sent = registers.get(&sampler_sent::REG, &sampler_sent::VALUE)?.into();
    summary.counters = Moved::of(&mut registers)?;
    enter(&mut summary, config, &statistics, &card.stop()?);

    let comparison = progress::spinner("comparing every sample with the model", quiet, || {
        compare(&file("recording.vdif"), config)
    })?;
    (summary.samples_recorded, summary.samples_wrong) = (comparison.recorded, comparison.wrong);
    summary.judge();
    let title = format!("{} as recorded", summary.tone.source);
    plots::samples_and_spectrum(
        &file("samples.svg"),
        &title,
        &comparison.first,
        config.sampler.sample_rate as f64,
    )?;
    write_summary(&summary, file("summary.json"))?;
    Ok(summary)
}

/// Octets of a stream packet's frame, FCS included.
fn stream_frame(config: &Config) -> usize {
    config.payload_octets() as usize + udp::ALL_HEADERS_OCTETS + ethernet::FCS_OCTETS
}

fn begin(config: &Config, network: &'static str) -> Summary {
    let (source, definition) = match config.sampler.source {
        Source::Tone => ("tone", Signal::TONE),
        Source::Counter => ("counter", Signal::COUNTER),
    };
    let sample_rate = config.sampler.sample_rate;
    Summary {
        samples_sent: 0,
        samples_recorded: 0,
        samples_wrong: 0,
        packets_sent: 0,
        packets_lost: 0,
        packets_reordered: 0,
        ping_sent: 0,
        ping_received: 0,
        link: LineKind::default().ethernet(),
        wire_share: 0.0,
        cycles: 0,
        cycles_per_second: 0.0,
        network,
        tone: Signal {
            source,
            step: config.tone_step(),
            amplitude: config.sampler.tone.amplitude,
            frequency_hertz: f64::from(config.tone_step()) / 2f64.powi(32) * sample_rate as f64,
            sample_rate,
            definition,
        },
        config_digest: config.digest_hex(),
        counters: Moved::default(),
        faults: Vec::new(),
    }
}

/// Stops a sampler that runs from reset on, and lets the packet under way leave.
fn stop_stream(
    card: &Card,
    registers: &mut Registers<SimulatedBar<'_>>,
    config: &Config,
) -> Result<(), Error> {
    registers.set(&sampler_control::REG, &sampler_control::ENABLE, 0)?;
    let samples = u128::from(config.vdif.data_octets) * u128::from(config.core_clock_hertz());
    let packet = (samples / u128::from(config.sampler.sample_rate)) as u64;
    let end = card.figures()?.cycles + packet + AFTERMATH;
    let begin = Instant::now();
    while card.figures()?.cycles < end && begin.elapsed() < IDLE {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Programs the sampler and lets it run for `packets` packets.
fn start_stream(
    registers: &mut Registers<SimulatedBar<'_>>,
    config: &Config,
    packets: u32,
) -> Result<(), Error> {
    let words = config.register_words();
    // The reset values are the same; a board that was used before has others.
    let programmed: [&Register; 3] = [&sampler_pace::REG, &tone_step::REG, &tone_amplitude::REG];
    for register in programmed {
        let word = words.get(register.name).copied().unwrap_or(register.reset());
        let fields: Vec<(&Field, u32)> =
            register.fields.iter().map(|field| (field, field.get(word))).collect();
        registers.set_all(register, &fields)?;
    }
    let source = match config.sampler.source {
        Source::Counter => 0,
        Source::Tone => 1,
    };
    registers.set(&sampler_packets::REG, &sampler_packets::VALUE, packets)?;
    registers.set_all(
        &sampler_control::REG,
        &[(&sampler_control::ENABLE, 0), (&sampler_control::SOURCE, source), (&sampler_control::LOAD, 1)],
    )?;
    registers.set(&sampler_control::REG, &sampler_control::ENABLE, 1)?;
    Ok(())
}

/// Records the stream; the board gets new credit as packets are taken.
fn receive(
    socket: Socket,
    config: &Config,
    packets: u32,
    credit: &Arc<Credit>,
    path: PathBuf,
    quiet: bool,
) -> Result<Statistics, Error> {
    let options = ReceiverOptions { longest: config.payload_octets() as usize, ..ReceiverOptions::default() };
    let mut source: Box<dyn Datagrams> = match socket {
        Socket::Kernel(socket) => Box::new(Receiver::new(socket, &options)?),
        Socket::Process(socket) => Box::new(PeerDatagrams(socket)),
    };
    let file = File::create(&path).map_err(|source| Error::File { action: "create", path, source })?;
    let settings = Settings { start: Some(0), count: Some(packets.into()), ..Settings::default() };
    let mut recorder = Recorder::new(BufWriter::with_capacity(1 << 20, file), settings)?;
    let bar = progress::bar("streaming", packets.into(), quiet);
    let limits = Limits { idle: IDLE, total: LONGEST };
    record(&mut *source, &mut recorder, &limits, &AtomicBool::new(false), &mut |statistics| {
        credit.taken(statistics.datagrams);
        bar.set_position(statistics.datagrams);
    })?;
    bar.finish_and_clear();
    Ok(recorder.finish()?.1)
}

fn enter(summary: &mut Summary, config: &Config, statistics: &Statistics, figures: &Figures) {
    summary.samples_sent = summary.packets_sent * u64::from(config.vdif.data_octets);
    summary.packets_lost = statistics.serials.lost;
    summary.packets_reordered = statistics.serials.reordered;
    summary.link = figures.line.ethernet();
    summary.wire_share = figures.wire_share();
    summary.cycles = figures.cycles;
    summary.cycles_per_second = figures.cycles_per_second();
    if figures.violations > 0 {
        summary.faults.push(format!(
            "{} violations of {} at the board's output",
            figures.violations,
            figures.line.name()
        ));
    }
    if statistics.foreign + statistics.serials.duplicate > 0 {
        summary.faults.push(format!(
            "{} foreign and {} repeated datagrams arrived",
            statistics.foreign, statistics.serials.duplicate
        ));
    }
}

fn write_summary(summary: &Summary, path: PathBuf) -> Result<(), Error> {
    let text =
        serde_json::to_string_pretty(summary).expect("the summary has only string keys and finite numbers");
    std::fs::write(&path, text + "\n").map_err(|source| Error::File { action: "write", path, source })
}
