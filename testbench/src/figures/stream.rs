//! How much of the link a saturated stream of the built-in board fills, in simulated time.
use super::speed::full_pace;
use super::{Better, Error, Figure};
use nicforge_layout::wire::{ethernet, udp, vdif, xgmii};
use nicforge_sim::Board;
use nicforge_sim::link::xgmii::{Pacing, Received};
use nicforge_sim::link::{AxiLite, Stalls, XgmiiSink, XgmiiSource};
use nicforge_sim::model::ibob;

pub const WIRE_SHARE: &str = "gateware.stream_wire_share";

const TARGET: f64 = 0.99;
const PACKETS: usize = 300;
/// A packet takes 1013 cycles of the link; twice that for each is a stream that does not run.
const PATIENCE: u64 = 2_026 * PACKETS as u64;
/// Octets of a VDIF frame that `configs/ibob.toml` describes: 32 of header, 8000 of samples.
const VDIF_FRAME: usize = vdif::HEADER_OCTETS + 8_000;
/// Preamble with delimiter, and the gap that the standard asks for (IEEE 802.3 clauses 4.4.2, 46.2).
const OVERHEAD: usize = xgmii::PREAMBLE_OCTETS + ethernet::IFG_OCTETS;
/// Octets that the link moves in a cycle.
const LANES: usize = 8;

/// Octets of preamble, frame and minimal gap over octets that the link could move meanwhile.
pub fn wire_share() -> Result<Vec<Figure>, Error> {
    let frames = packets()?;
    let value = share(&frames);
    let figure = Figure::new(WIRE_SHARE, value, "share of 10 Gbit/s", Better::Higher).target(TARGET);
    Ok(vec![figure.running("300 frames of the built-in ibob, pace 1/1")])
}

/// The first frames of the board at full pace, each of which is good and of the right length.
fn packets() -> Result<Vec<Received>, Error> {
    let mut board = Board::new(ibob::model()?)?;
    let source = XgmiiSource::attach(&mut board, "xgmii", Pacing::default(), Stalls::none())?;
    let sink = XgmiiSink::attach(&mut board, "xgmii")?;
    let mut bus = AxiLite::attach(&mut board, "s_axil", Stalls::none())?;
    let mut line = (source, sink);
    for (address, value) in full_pace() {
        bus.write(&mut board, &mut line, address, value)?;
    }
    let enough = |(_, sink): &(XgmiiSource, XgmiiSink)| sink.line.waiting() >= PACKETS;
    board.run_until("a saturated stream", PATIENCE, &mut line, enough)?;
    let frames: Vec<Received> = std::iter::from_fn(|| line.1.line.pop()).take(PACKETS).collect();
    if let Some(violation) = line.1.line.violations().first() {
        return Err(differs("rules of the interface broken", "none", format!("{violation:?}")));
    }
    let wanted = wire_octets();
    match frames.iter().find(|frame| !frame.is_good() || frame.octets.len() != wanted) {
        Some(frame) => {
            let found = format!("{} octets, good: {}", frame.octets.len(), frame.is_good());
            Err(differs("a frame of the stream", &format!("{wanted} octets, good: true"), found))
        }
        None => Ok(frames),
    }
}

fn differs(what: &'static str, wanted: &str, found: String) -> Error {
    Error::Differs { what, wanted: wanted.to_owned(), found }
}

/// From the destination address through the FCS.
fn wire_octets() -> usize {
    udp::ALL_HEADERS_OCTETS + vdif::VTP_OCTETS + VDIF_FRAME + ethernet::FCS_OCTETS
}

/// The share of the time from the first start to the last that frames and their overhead take.
fn share(frames: &[Received]) -> f64 {
    let Some((last, before)) = frames.split_last() else { return f64::NAN };
    let place = |frame: &Received| frame.cycle * LANES as u64 + frame.lane as u64;
    let room = before.first().map_or(0, |first| place(last) - place(first));
    let used: usize = before.iter().map(|frame| frame.octets.len() + OVERHEAD).sum();
    used as f64 / room as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(octets: usize, cycle: u64, lane: usize) -> Received {
        Received { octets: vec![0; octets], cycle, lane, gap: None, damaged: false }
    }

    #[test]
    fn frames_with_gaps_of_twelve_fill_the_link_and_waiting_counts_against_it() {
        assert_eq!(share(&[frame(60, 5, 0), frame(64, 15, 0), frame(900, 25, 4)]), 1.0);
        assert_eq!(share(&[frame(60, 5, 0), frame(60, 25, 0)]), 0.5);
        assert!(share(&[frame(60, 5, 0)]).is_nan());
    }
}
