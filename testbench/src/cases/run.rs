//! Playing a case: on the reference model, and on a simulated board.
use super::{Case, Error, GIGABIT_GAP};
use nicforge_hdl::config::Config;
use nicforge_layout::{counters, registers};
use nicforge_sim::link::xgmii::{Pacing, StartLane, Word};
use nicforge_sim::link::{
    AxiLite, AxisSink, FrameSink, FrameSource, GmiiSink, GmiiSource, Stalls, XgmiiSink, XgmiiSource, gmii,
    xgmii,
};
use nicforge_sim::models::card::{Card, Settings};
use nicforge_sim::models::ip::Own;
use nicforge_sim::{Actor, Board};
use std::collections::BTreeMap;

/// Cycles that a case may take.
const PATIENCE: u64 = 100_000;
/// Cycles waited for something that should not come.
const AFTERMATH: u64 = 2_000;
/// Octets of preamble at GMII, a whole one and what may be left of it; the case is run with each.
const PREAMBLES: [usize; 2] = [gmii::PREAMBLE_OCTETS, 2];

/// Over which line a case is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// XGMII, with frames that start in this lane.
    Xgmii {
        /// 0 or 4.
        lane: u8,
    },
    /// GMII, with so many octets of preamble before the delimiter.
    Gmii {
        /// From 0 on.
        preamble: usize,
    },
}

/// One way to play a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The line.
    pub line: Line,
    /// Seed of random pauses before frames and stalls of every port that may stall.
    pub seed: Option<u64>,
}

/// What came of playing a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Frames sent, FCS included.
    pub replies: Vec<Vec<u8>>,
    /// Payloads delivered.
    pub delivered: Vec<Vec<u8>>,
    /// Counters that are not 0.
    pub counters: BTreeMap<String, u64>,
    /// Rules of the interfaces that were broken.
    pub violations: Vec<String>,
}

impl Case {
    /// Every way to play the case.
    pub fn variants(&self) -> Vec<Variant> {
        let lanes = self.start_lanes.iter().map(|lane| Line::Xgmii { lane: *lane });
        let preambles = PREAMBLES.map(|preamble| Line::Gmii { preamble });
        let lines: Vec<Line> = lanes
            .filter(|_| self.gmii.is_empty())
            .chain(preambles.into_iter().filter(|_| self.xgmii.is_empty()))
            .collect();
        let seeds = [None].into_iter().chain(self.stalls.iter().copied().map(Some));
        seeds.flat_map(|seed| lines.iter().map(move |line| Variant { line: *line, seed })).collect()
    }

    /// What has to come of the case over this line.
    ///
    /// The design on 1 GbE listens on no UDP port: what the case delivers, it only counts.
    pub fn wanted(&self, line: Line) -> Finding {
        let mut wanted = Finding {
            replies: self.replies.clone(),
            delivered: self.delivered.clone(),
            counters: self.counters.clone(),
            violations: Vec::new(),
        };
        if matches!(line, Line::Gmii { .. }) {
            wanted.delivered.clear();
            let delivered = [counters::UDP_GOOD, counters::UDP_NOCSUM];
            let moved: u64 =
                delivered.iter().filter_map(|counter| wanted.counters.remove(counter.name)).sum();
            if moved > 0 {
                *wanted.counters.entry(counters::UDP_NO_PORT.name.into()).or_default() += moved;
            }
        }
        wanted
    }

    fn xgmii_line(&self, lane: u8, pauses: Stalls) -> xgmii::Encoder {
        let lane = if lane == 4 { StartLane::Four } else { StartLane::Zero };
        let mut line = xgmii::Encoder::new(Pacing { gap: self.gap, deficit_idle: false, lane }, pauses);
        if !self.xgmii.is_empty() {
            line.push_words(self.xgmii.clone());
        }
        self.frames.iter().for_each(|frame| line.push_frame(frame.clone()));
        line
    }

    fn gmii_line(&self, preamble: usize, pauses: Stalls) -> gmii::Encoder {
        let mut line = gmii::Encoder::new(gmii::Pacing { gap: self.gap.max(GIGABIT_GAP), preamble }, pauses);
        line.push_symbols(self.gmii.clone());
        self.frames.iter().for_each(|frame| line.push_frame(frame.clone()));
        line
    }
}

fn stalls(seed: Option<u64>, stream: u64) -> Stalls {
    // Each port needs stalls of its own; what is added only has to differ.
    seed.map_or_else(Stalls::none, |seed| Stalls::seeded(seed.wrapping_mul(16).wrapping_add(stream)))
}

/// Plays a case on the reference model, a card set as the configuration says.
pub fn model(case: &Case, config: &Config, variant: Variant) -> Finding {
    let own = Own { mac: config.network.mac.0, ip: config.network.ip, netmask: config.network.netmask };
    let max_frame = config.network.mtu as usize + 18;
    // A design without the port has the table's default in its configuration.
    let udp_port = if matches!(variant.line, Line::Gmii { .. }) { 0 } else { config.udp.rx_port };
    let mut card = Card::new(Settings { own, udp_port, max_frame });
    let pauses = stalls(variant.seed, 0);
    let outcome = match variant.line {
        Line::Xgmii { lane } => {
            let mut line = case.xgmii_line(lane, pauses);
            let mut words: Vec<Word> = Vec::new();
            while !line.is_empty() {
                words.push(line.next_word());
            }
            words.push(Word::IDLE);
            card.line(&words)
        }
        Line::Gmii { preamble } => {
            let mut line = case.gmii_line(preamble, pauses);
            let mut symbols = Vec::new();
            while !line.is_empty() {
                symbols.push(line.next_symbol());
            }
            symbols.push(gmii::Symbol::IDLE);
            card.gigabit_line(&symbols)
        }
    };
    Finding {
        replies: outcome.replies,
        delivered: outcome.delivered,
        counters: card.counters().iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        violations: Vec::new(),
    }
}

/// Plays a case on a board fresh out of reset, with the ports of `udp_core` or, at GMII, `stream_1g`.
///
/// # Errors
/// If the board lacks a port or does not answer its register bus. Whatever it sends or counts
/// wrongly is no error but part of the finding.
pub fn play(case: &Case, mut board: Board, variant: Variant) -> Result<Finding, Error> {
    let (seed, pauses) = (variant.seed, stalls(variant.seed, 0));
    match variant.line {
        Line::Xgmii { lane } => {
            let mut source = XgmiiSource::attach(&mut board, "xgmii", Pacing::default(), Stalls::none())?;
            source.line = case.xgmii_line(lane, pauses);
            let sink = XgmiiSink::attach(&mut board, "xgmii")?;
            let port = AxisSink::attach(&mut board, "m_axis_udp", stalls(seed, 1))?;
            play_on(&case.wanted(variant.line), board, seed, (source, sink, Some(port)))
        }
        Line::Gmii { preamble } => {
            let mut source = GmiiSource::attach(&mut board, "gmii", gmii::Pacing::default(), Stalls::none())?;
            source.line = case.gmii_line(preamble, pauses);
            let sink = GmiiSink::attach(&mut board, "gmii")?;
            play_on(&case.wanted(variant.line), board, seed, (source, sink, None))
        }
    }
}

fn play_on<S: FrameSource, K: FrameSink>(
    wanted: &Finding,
    mut board: Board,
    seed: Option<u64>,
    mut actors: (S, K, Option<AxisSink>),
) -> Result<Finding, Error> {
    let mut bus = AxiLite::attach(&mut board, "s_axil", stalls(seed, 2))?;
    // The finding shows what is missing, so a time-out is no error here.
    for _ in 0..PATIENCE {
        let answered = actors.1.waiting() >= wanted.replies.len();
        let delivered = actors.2.as_ref().is_none_or(|port| port.waiting() >= wanted.delivered.len());
        if actors.0.is_empty() && answered && delivered {
            break;
        }
        board.step_with(&mut actors);
    }
    board.run(AFTERMATH, &mut actors);
    let counters = snapshot(&mut board, &mut bus, &mut actors)?;
    let (_, mut sink, port) = actors;
    let mut violations = sink.violations();
    violations.extend((bus.violations() > 0).then(|| "answers on the register bus to nothing".to_owned()));
    let replies = std::iter::from_fn(|| sink.pop()).map(|received| received.octets).collect();
    let mut delivered = Vec::new();
    if let Some(mut port) = port {
        violations.extend(port.violations().iter().cloned());
        violations.extend((port.unfinished() > 0).then(|| "a payload without an end".to_owned()));
        delivered = port.packets().into_iter().map(|packet| packet.octets).collect();
    }
    Ok(Finding { replies, delivered, counters, violations })
}

/// Freezes all counters and reads those that are not 0.
///
/// # Errors
/// If the board does not answer, or the snapshot does not end.
pub fn snapshot<A: Actor + ?Sized>(
    board: &mut Board,
    bus: &mut AxiLite,
    others: &mut A,
) -> Result<BTreeMap<String, u64>, Error> {
    use registers::{statistics, statistics_status};
    bus.write(board, others, statistics::REG.offset, statistics::SNAPSHOT.put(0, 1))?;
    let mut polls = 0;
    while statistics_status::BUSY.get(bus.read(board, others, statistics_status::REG.offset)?) != 0 {
        polls += 1;
        if polls > PATIENCE {
            let what = "the snapshot of the counters".into();
            return Err(nicforge_sim::Error::Timeout { what, cycles: board.cycle() }.into());
        }
    }
    let mut values = BTreeMap::new();
    for counter in counters::COUNTERS {
        let offset = registers::COUNTER_WINDOW + 8 * u32::from(counter.code);
        let low = bus.read(board, others, offset)?;
        let high = bus.read(board, others, offset + 4)?;
        let value = u64::from(high) << 32 | u64::from(low);
        if value != 0 {
            values.insert(counter.name.to_owned(), value);
        }
    }
    Ok(values)
}
