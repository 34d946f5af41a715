//! Playing a case: on the reference model, and on a simulated board.
use super::{Case, Error};
use nicforge_hdl::config::Config;
use nicforge_layout::{counters, registers};
use nicforge_sim::link::xgmii::{Encoder, Pacing, StartLane, Word};
use nicforge_sim::link::{AxiLite, AxisSink, Stalls, XgmiiSink, XgmiiSource};
use nicforge_sim::models::card::{Card, Settings};
use nicforge_sim::models::ip::Own;
use nicforge_sim::{Actor, Board};
use std::collections::BTreeMap;

/// Cycles that a case may take beyond the words it sends.
const PATIENCE: u64 = 20_000;
/// Cycles waited for something that should not come.
const AFTERMATH: u64 = 2_000;

/// One way to play a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Lane in which frames start.
    pub lane: u8,
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
        let seeds = [None].into_iter().chain(self.stalls.iter().copied().map(Some));
        seeds
            .flat_map(|seed| self.start_lanes.iter().map(move |lane| Variant { lane: *lane, seed }))
            .collect()
    }

    /// What has to come of the case.
    pub fn wanted(&self) -> Finding {
        Finding {
            replies: self.replies.clone(),
            delivered: self.delivered.clone(),
            counters: self.counters.clone(),
            violations: Vec::new(),
        }
    }

    fn pacing(&self, variant: Variant) -> Pacing {
        let lane = if variant.lane == 4 { StartLane::Four } else { StartLane::Zero };
        Pacing { gap: self.gap, deficit_idle: false, lane }
    }

    fn fill(&self, line: &mut Encoder) {
        if !self.xgmii.is_empty() {
            line.push_words(self.xgmii.clone());
        }
        self.frames.iter().for_each(|frame| line.push_frame(frame.clone()));
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
    let mut card = Card::new(Settings { own, udp_port: config.udp.rx_port, max_frame });
    let mut line = Encoder::new(case.pacing(variant), stalls(variant.seed, 0));
    case.fill(&mut line);
    let mut words: Vec<Word> = Vec::new();
    while !line.is_empty() {
        words.push(line.next_word());
    }
    words.push(Word::IDLE);
    let outcome = card.line(&words);
    Finding {
        replies: outcome.replies,
        delivered: outcome.delivered,
        counters: card.counters().iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        violations: Vec::new(),
    }
}

/// Plays a case on a board with the ports of the top `udp_core`, fresh out of reset.
///
/// # Errors
/// If the board lacks a port or does not answer its register bus. Whatever it sends or counts
/// wrongly is no error but part of the finding.
pub fn play(case: &Case, mut board: Board, variant: Variant) -> Result<Finding, Error> {
    let pauses = stalls(variant.seed, 0);
    let source = XgmiiSource::attach(&mut board, "xgmii", case.pacing(variant), pauses)?;
    let sink = XgmiiSink::attach(&mut board, "xgmii")?;
    let port = AxisSink::attach(&mut board, "m_axis_udp", stalls(variant.seed, 1))?;
    let mut bus = AxiLite::attach(&mut board, "s_axil", stalls(variant.seed, 2))?;
    let mut actors = (source, sink, port);
    case.fill(&mut actors.0.line);
    // The finding shows what is missing, so a time-out is no error here.
    for _ in 0..PATIENCE {
        let answered = actors.1.line.waiting() >= case.replies.len();
        let delivered = actors.2.waiting() >= case.delivered.len();
        if actors.0.line.is_empty() && answered && delivered {
            break;
        }
        board.step_with(&mut actors);
    }
    board.run(AFTERMATH, &mut actors);
    let counters = snapshot(&mut board, &mut bus, &mut actors)?;
    let (_, sink, mut port) = actors;
    let mut violations: Vec<String> = port.violations().to_vec();
    violations.extend(sink.line.violations().iter().map(|violation| format!("{violation:?}")));
    violations.extend((port.unfinished() > 0).then(|| "a payload without an end".to_owned()));
    violations.extend((bus.violations() > 0).then(|| "answers on the register bus to nothing".to_owned()));
    let mut line = sink.line;
    let replies = std::iter::from_fn(|| line.pop()).map(|received| received.octets).collect();
    let delivered = port.packets().into_iter().map(|packet| packet.octets).collect();
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
