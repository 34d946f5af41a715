//! The two ends of an XGMII at the pins of a board.
use super::{Decoder, Encoder, Pacing, Word};
use crate::Error;
use crate::board::{Actor, Board, Pins};
use crate::link::Stalls;
use crate::model::{Input, Output};

/// Sends frames into a board, at `<prefix>_rxd` and `<prefix>_rxc` (in a single block: `rxd`, `rxc`).
#[derive(Debug)]
pub struct XgmiiSource {
    /// What is queued and how it is paced.
    pub line: Encoder,
    data: Input,
    control: Input,
}

impl XgmiiSource {
    /// Connects to the board; the line is idle until something is pushed.
    pub fn attach(board: &mut Board, prefix: &str, pacing: Pacing, pauses: Stalls) -> Result<Self, Error> {
        let pins = board.pins();
        let data = pins.input_of(&[format!("{prefix}_rxd"), "rxd".into()])?;
        let control = pins.input_of(&[format!("{prefix}_rxc"), "rxc".into()])?;
        pins.set(data, Word::IDLE.data);
        pins.set(control, Word::IDLE.control.into());
        Ok(Self { line: Encoder::new(pacing, pauses), data, control })
    }
}

impl Actor for XgmiiSource {
    fn drive(&mut self, pins: &mut Pins) {
        let word = self.line.next_word();
        pins.set(self.data, word.data);
        pins.set(self.control, word.control.into());
    }

    fn sample(&mut self, _: &Pins) {}
}

/// Takes frames from a board, at `<prefix>_txd` and `<prefix>_txc` (in a single block: `txd`, `txc`).
#[derive(Debug)]
pub struct XgmiiSink {
    /// What has arrived, and which rules it broke.
    pub line: Decoder,
    data: Output,
    control: Output,
}

impl XgmiiSink {
    /// Connects to the board.
    pub fn attach(board: &mut Board, prefix: &str) -> Result<Self, Error> {
        let pins = board.pins();
        let data = pins.output_of(&[format!("{prefix}_txd"), "txd".into()])?;
        let control = pins.output_of(&[format!("{prefix}_txc"), "txc".into()])?;
        Ok(Self { line: Decoder::default(), data, control })
    }
}

impl Actor for XgmiiSink {
    fn drive(&mut self, _: &mut Pins) {}

    fn sample(&mut self, pins: &Pins) {
        let word = Word { data: pins.get(self.data), control: pins.get(self.control) as u8 };
        self.line.push(word, pins.cycle());
    }
}
