//! The receiving MAC gives the reference model's verdict on every frame of a line that is damaged at random.
use fastrand::Rng;
use nicforge_hdl::eth::MacRx;
use nicforge_layout::counters;
use nicforge_layout::wire::xgmii;
use nicforge_sim::link::xgmii::{Pacing, Word, XgmiiSource};
use nicforge_sim::link::{AxisSink, EventLog, Stalls};
use nicforge_sim::models::eth::{self, Received, Spacing};
use nicforge_testbench::bench::Design;

/// Longest frame accepted, in octets.
const MAX_FRAME: usize = 200;

/// Frames of all lengths around the limits, each with a good FCS, in either spacing.
fn sound(random: &mut Rng) -> Vec<(u8, bool)> {
    let length = |random: &mut Rng| match random.u8(..4) {
        0 => random.usize(4..64),
        1 => random.usize(64..80),
        2 => random.usize(MAX_FRAME - 8..MAX_FRAME + 9),
        _ => random.usize(4..260),
    };
    let frames: Vec<Vec<u8>> = (0..random.usize(1..6))
        .map(|_| eth::with_fcs(&(0..length(random) - 4).map(|_| random.u8(..)).collect::<Vec<u8>>()))
        .collect();
    let spacing = match random.u8(..3) {
        0 => Spacing::Deficit,
        lane => Spacing::Fixed { gap: random.usize(5..17), lane: usize::from(lane - 1) * 4 },
    };
    eth::encode(&frames, spacing).iter().flat_map(|word| (0..8).map(|lane| word.lane(lane))).collect()
}

/// The line with some symbols replaced, and some whole columns left out or sent twice.
fn damaged(random: &mut Rng) -> Vec<Word> {
    let mut symbols = sound(random);
    for _ in 0..random.usize(0..4) {
        let at = random.usize(..symbols.len());
        let codes = [xgmii::IDLE, xgmii::START, xgmii::TERMINATE, xgmii::ERROR, 0x9c, 0x00];
        symbols[at] = match random.u8(..3) {
            0 => (codes[random.usize(..codes.len())], true),
            1 => (random.u8(..), false),
            _ => (symbols[at].0 ^ 1 << random.u8(..8), symbols[at].1),
        };
    }
    if random.u8(..4) == 0 {
        let column = random.usize(..symbols.len() / 4) * 4;
        let columns = symbols[column..].to_vec();
        symbols.truncate(column);
        symbols.extend(if random.bool() { &columns[4..] } else { &columns[..] });
    }
    eth::words(&symbols)
}

/// Everything that the model and the block have to say of a line.
#[derive(Debug, PartialEq)]
struct Said {
    verdicts: Vec<&'static str>,
    good: Vec<Vec<u8>>,
}

fn model(words: &[Word]) -> Said {
    let received = eth::decode(words, MAX_FRAME);
    let is_good = |received: &&Received| received.verdict == counters::RX_GOOD;
    let data = |received: &Received| received.octets[..received.octets.len() - 4].to_vec();
    Said {
        verdicts: received.iter().map(|received| received.verdict.name).collect(),
        good: received.iter().filter(is_good).map(data).collect(),
    }
}

fn block(design: &Design, words: &[Word]) -> Said {
    let mut board = design.board().unwrap();
    let enable = board.pins().model().input("enable").unwrap();
    let max_frame = board.pins().model().input("max_frame").unwrap();
    board.pins().set(enable, 1);
    board.pins().set(max_frame, MAX_FRAME as u64);
    let mut source = XgmiiSource::attach(&mut board, "", Pacing::default(), Stalls::none()).unwrap();
    source.line.push_words(words.to_vec());
    let frames = AxisSink::attach(&mut board, "frames", Stalls::none()).unwrap();
    let total = EventLog::attach(&mut board, "total").unwrap();
    let verdict = EventLog::attach(&mut board, "verdict").unwrap();
    let mut actors = (source, frames, total, verdict);
    board.run(words.len() as u64 + 40, &mut actors);
    let (_, mut frames, total, verdict) = actors;
    assert!(frames.violations().is_empty(), "{:?}", frames.violations());
    assert_eq!(total.events().len(), verdict.events().len(), "frames begun and frames judged");
    let name =
        |code: u64| counters::COUNTERS.iter().find(|counter| u64::from(counter.code) == code).unwrap().name;
    Said {
        verdicts: verdict.codes().into_iter().map(name).collect(),
        good: frames
            .packets()
            .into_iter()
            .filter(|packet| !packet.error)
            .map(|packet| packet.octets)
            .collect(),
    }
}

/// Is START where no line, however damaged, brings a frame: fewer than 16 octets behind another
/// START, or fewer than 5 behind TERMINATE? What counts then is only that the line recovers.
fn is_hopeless(words: &[Word]) -> bool {
    let symbols = words.iter().flat_map(|word| (0..8).map(|lane| word.lane(lane)));
    let (mut started, mut ended) = (None, None);
    for (place, (octet, control)) in symbols.enumerate() {
        let since = |before: Option<usize>| before.map_or(usize::MAX, |before| place - before);
        match (control, octet) {
            (true, xgmii::START) if since(started) < 16 || since(ended) < 5 => return true,
            (true, xgmii::START) => started = Some(place),
            (true, xgmii::TERMINATE) => ended = Some(place),
            _ => {}
        }
    }
    false
}

#[test]
fn a_line_damaged_at_random_meets_the_same_verdicts_and_passes_the_same_frames() {
    let design = Design::new("mac_rx", MacRx::default()).unwrap();
    let seeds =
        if std::env::var("NICFORGE_DEPTH").is_ok_and(|depth| depth == "full") { 100_000 } else { 5_000 };
    let mut hopeless = 0;
    for seed in 0..seeds {
        let mut random = Rng::with_seed(seed);
        // A gap and a good frame at the end: whatever came before, the line recovers.
        let mut words = damaged(&mut random);
        words.push(Word::IDLE);
        let last = eth::with_fcs(&[0x5a; 70]);
        words.extend(eth::encode(std::slice::from_ref(&last), Spacing::Fixed { gap: 12, lane: 4 }));
        let found = block(&design, &words);
        let at_end = (found.verdicts.last().copied(), found.good.last().map(|octets| &octets[..]));
        assert_eq!(at_end, (Some("rx_good"), Some(&last[..70])), "seed {seed}, words {words:016x?}");
        if is_hopeless(&words) {
            hopeless += 1;
        } else {
            assert_eq!(found, model(&words), "seed {seed}, words {words:016x?}");
        }
    }
    assert!(hopeless * 20 < seeds, "{hopeless} of {seeds} lines were compared in their end only");
}
