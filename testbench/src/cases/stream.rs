//! The sampler's stream: as a board sends it, and as the reference models say it must be.
use super::{Error, snapshot};
use crate::bench::Design;
use nicforge_hdl::config::{Config, Source};
use nicforge_layout::registers::{
    sampler_control, sampler_pace, sampler_packets, tone_amplitude, tone_step, vdif_frame, vdif_rate,
    vdif_seconds, vtp_serial_high, vtp_serial_low,
};
use nicforge_sim::link::xgmii::Pacing;
use nicforge_sim::link::{AxiLite, Stalls, XgmiiSink, XgmiiSource};
use nicforge_sim::models::udp::{self, Flow};
use nicforge_sim::models::vdif::Stream;
use nicforge_sim::models::{eth, tone};
use std::collections::BTreeMap;

/// What the samples are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The counter.
    Counter,
    /// The tone.
    Tone {
        /// Phase step a sample in units of 2^-32 turns.
        step: u32,
        /// Peak value.
        amplitude: u8,
    },
}

impl Signal {
    /// Sample `n` of the reference model.
    pub fn sample(self, n: u64) -> i8 {
        match self {
            Signal::Counter => tone::counter(n),
            Signal::Tone { step, amplitude } => tone::tone(n, step, amplitude),
        }
    }
}

/// The stream that a board sends when told so: what is set by registers, the rest by the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of packets.
    pub packets: u32,
    /// Numbers of the first packet; `data_octets`, `station` and `thread` are the configuration's.
    pub first: Stream,
    /// The samples.
    pub signal: Signal,
}

/// The headers of the packets that a configuration sends.
pub fn flow(config: &Config) -> Flow {
    Flow {
        source_mac: config.network.mac.0,
        destination_mac: config.stream.destination_mac.0,
        source_ip: config.network.ip,
        destination_ip: config.stream.destination_ip,
        source_port: config.stream.source_port,
        destination_port: config.stream.destination_port,
        ttl: config.stream.ttl,
        dscp: config.stream.dscp,
        checksum: config.stream.checksum,
    }
}

impl Plan {
    /// What a configuration sends by itself.
    ///
    /// # Panics
    /// If the station has not two characters, which no valid configuration has.
    pub fn of(config: &Config, packets: u32) -> Plan {
        let station: [u8; 2] =
            config.vdif.station.as_bytes().try_into().expect("a station has two characters");
        let first = Stream {
            serial: 0,
            epoch: config.vdif.epoch,
            seconds: config.vdif.seconds,
            frame: config.vdif.frame,
            frames_per_second: config.frames_per_second() as u32,
            data_octets: config.vdif.data_octets as usize,
            station: u16::from_be_bytes(station),
            thread: config.vdif.thread,
            sample: 0,
        };
        let signal = match config.sampler.source {
            Source::Counter => Signal::Counter,
            Source::Tone => {
                Signal::Tone { step: config.tone_step(), amplitude: config.sampler.tone.amplitude }
            }
        };
        Plan { packets, first, signal }
    }

    /// A plan that starts shortly before a second and a 32-bit serial number end.
    pub fn across_borders(config: &Config, packets: u32, signal: Signal) -> Plan {
        let first = Stream {
            serial: 0xffff_fffe,
            epoch: 53,
            seconds: 13_194_000,
            frame: 995,
            frames_per_second: 1000,
            ..Plan::of(config, packets).first
        };
        Plan { packets, first, signal }
    }

    /// Payloads of the packets.
    pub fn payloads(&self) -> Vec<Vec<u8>> {
        let mut stream = self.first;
        (0..self.packets).map(|_| stream.packet(|n| self.signal.sample(n))).collect()
    }

    /// The frames that carry them, FCS included.
    pub fn frames(&self, config: &Config) -> Vec<Vec<u8>> {
        let flow = flow(config);
        self.payloads().iter().map(|payload| eth::transmit(&udp::build(&flow, payload))).collect()
    }

    fn settings(&self) -> Vec<(u32, u32)> {
        let control = |source, load| {
            let word = sampler_control::ENABLE.put(0, load);
            let word = sampler_control::SOURCE.put(word, source);
            (sampler_control::REG.offset, sampler_control::LOAD.put(word, load))
        };
        let (source, step, amplitude) = match self.signal {
            Signal::Counter => (0, 0, 0),
            Signal::Tone { step, amplitude } => (1, step, amplitude),
        };
        let stream = &self.first;
        let frame = vdif_frame::VALUE.put(vdif_frame::EPOCH.put(0, stream.epoch.into()), stream.frame);
        let pace = sampler_pace::NUMERATOR.put(sampler_pace::DENOMINATOR.put(0, 1), 1);
        vec![
            control(source, 0),
            (sampler_pace::REG.offset, pace),
            (sampler_packets::REG.offset, self.packets),
            (tone_step::REG.offset, step),
            (tone_amplitude::REG.offset, amplitude.into()),
            (vdif_seconds::REG.offset, stream.seconds),
            (vdif_frame::REG.offset, frame),
            (vdif_rate::REG.offset, stream.frames_per_second),
            (vtp_serial_low::REG.offset, stream.serial as u32),
            (vtp_serial_high::REG.offset, (stream.serial >> 32) as u32),
            control(source, 1),
        ]
    }

    /// What a fresh board of the top `ibob` sends while nothing else happens: only the stream.
    ///
    /// # Errors
    /// As for [`Plan::play_among`].
    pub fn play(&self, design: &Design) -> Result<Vec<Vec<u8>>, Error> {
        Ok(self.play_among(design, &[], None)?.stream)
    }

    /// What a fresh board of the top `ibob` sends while it receives `requests`, with random pauses on
    /// the line and on the bus if there is a seed.
    ///
    /// # Errors
    /// If the board lacks a port, refuses a register, breaks a rule of XGMII, or the packets do not
    /// come in time.
    pub fn play_among(
        &self,
        design: &Design,
        requests: &[Vec<u8>],
        seed: Option<u64>,
    ) -> Result<Played, Error> {
        let stalls = || seed.map_or(Stalls::none(), Stalls::seeded);
        let mut board = design.board()?;
        let source = XgmiiSource::attach(&mut board, "xgmii", Pacing::default(), stalls())?;
        let mut line = (source, XgmiiSink::attach(&mut board, "xgmii")?);
        let mut bus = AxiLite::attach(&mut board, "s_axil", stalls())?;
        for (offset, word) in self.settings() {
            bus.write(&mut board, &mut line, offset, word)?;
        }
        requests.iter().for_each(|request| line.0.line.push_frame(request.clone()));
        let words = self.packets as usize * (self.first.data_octets / 8 + 40) + 400 * requests.len();
        let wanted = self.packets as usize;
        let long = self.first.data_octets;
        let mut played = Played::default();
        let mut take = |line: &mut (XgmiiSource, XgmiiSink)| {
            while let Some(frame) = line.1.line.pop() {
                let kind = if frame.octets.len() > long { &mut played.stream } else { &mut played.answers };
                kind.push(frame.octets);
            }
            played.stream.len()
        };
        let limit = 2000 + 2 * words as u64;
        while take(&mut line) < wanted || !line.0.line.is_empty() {
            if board.cycle() > limit {
                let what = "the stream".into();
                return Err(nicforge_sim::Error::Timeout { what, cycles: limit }.into());
            }
            board.run(BURST, &mut line);
        }
        // A packet or an answer too many would come right behind.
        board.run(2 * (words / wanted.max(1)) as u64, &mut line);
        take(&mut line);
        played.counters = snapshot(&mut board, &mut bus, &mut line)?;
        played.violations = line.1.line.violations().iter().map(|v| format!("{v:?}")).collect();
        Ok(played)
    }
}

/// Cycles between two looks at what was sent.
const BURST: u64 = 256;

/// What a board sent and counted.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Frames of the stream, FCS included.
    pub stream: Vec<Vec<u8>>,
    /// All shorter frames, FCS included.
    pub answers: Vec<Vec<u8>>,
    /// Every broken rule of XGMII at the board's output.
    pub violations: Vec<String>,
    /// The counters that are not zero.
    pub counters: BTreeMap<String, u64>,
}
