//! The two ends of a GMII at the pins of a board.
use super::{Decoder, Encoder, PERIOD, Pacing, Symbol};
use crate::Error;
use crate::board::{Actor, Board, Pins};
use crate::clock::Clock;
use crate::link::Stalls;
use crate::model::{Input, Output};

/// When the receive and the transmit clock of a board begin, in picoseconds: away from each other and
/// from the core clock, as on a board.
const PHASES: [(&str, u64); 2] = [("rx", 1_300), ("tx", 3_100)];

/// Lets the clocks `<prefix>_rx_clk` and `<prefix>_tx_clk` of a board run at 125 MHz, those that it has
/// and that do not run yet.
///
/// # Errors
/// None that a board which has these inputs can give.
pub fn add_clocks(board: &mut Board, prefix: &str) -> Result<(), Error> {
    for (side, phase) in PHASES {
        let name = format!("{prefix}_{side}_clk");
        if board.pins().model().input(&name).is_ok() && board.clock(&name).is_none() {
            board.add_clock(&name, PERIOD, phase)?;
        }
    }
    Ok(())
}

/// The clock of a side; a single block may call it `<side>_clk` or have only one clock.
fn clock_of(board: &mut Board, prefix: &str, side: &str) -> Result<Clock, Error> {
    add_clocks(board, prefix)?;
    let names = [format!("{prefix}_{side}_clk"), format!("{side}_clk")];
    Ok(names.iter().find_map(|name| board.clock(name)).unwrap_or(Clock::CORE))
}

/// Sends frames into a board, at `<prefix>_rxd`, `<prefix>_rx_dv` and `<prefix>_rx_er` (in a single
/// block without the prefix), in cycles of `<prefix>_rx_clk`.
#[derive(Debug)]
pub struct GmiiSource {
    /// What is queued and how it is paced.
    pub line: Encoder,
    clock: Clock,
    data: Input,
    enable: Input,
    error: Input,
}

impl GmiiSource {
    /// Connects to the board; the line is idle until something is pushed. A clock that was not added to
    /// the board before runs at 125 MHz.
    ///
    /// # Errors
    /// Inputs that the board lacks.
    pub fn attach(board: &mut Board, prefix: &str, pacing: Pacing, pauses: Stalls) -> Result<Self, Error> {
        let clock = clock_of(board, prefix, "rx")?;
        let pins = board.pins();
        let input = |name: &str| pins.input_of(&[format!("{prefix}_{name}"), name.into()]);
        let (data, enable, error) = (input("rxd")?, input("rx_dv")?, input("rx_er")?);
        Ok(Self { line: Encoder::new(pacing, pauses), clock, data, enable, error })
    }
}

impl Actor for GmiiSource {
    #[inline]
    fn drive(&mut self, pins: &mut Pins) {
        let symbol = self.line.next_symbol();
        pins.set(self.data, symbol.data.into());
        pins.set(self.enable, symbol.enable.into());
        pins.set(self.error, symbol.error.into());
    }

    fn sample(&mut self, _: &Pins) {}

    #[inline]
    fn clock(&self) -> Clock {
        self.clock
    }
}

/// Takes frames from a board, at `<prefix>_txd`, `<prefix>_tx_en` and `<prefix>_tx_er` (in a single
/// block without the prefix), in cycles of `<prefix>_tx_clk`.
#[derive(Debug)]
pub struct GmiiSink {
    /// What has arrived, and which rules it broke.
    pub line: Decoder,
    clock: Clock,
    data: Output,
    enable: Output,
    error: Output,
}

impl GmiiSink {
    /// Connects to the board. A clock that was not added to the board before runs at 125 MHz.
    ///
    /// # Errors
    /// Outputs that the board lacks.
    pub fn attach(board: &mut Board, prefix: &str) -> Result<Self, Error> {
        let clock = clock_of(board, prefix, "tx")?;
        let pins = board.pins();
        let output = |name: &str| pins.output_of(&[format!("{prefix}_{name}"), name.into()]);
        let (data, enable, error) = (output("txd")?, output("tx_en")?, output("tx_er")?);
        Ok(Self { line: Decoder::default(), clock, data, enable, error })
    }
}

impl Actor for GmiiSink {
    fn drive(&mut self, _: &mut Pins) {}

    #[inline]
    fn sample(&mut self, pins: &Pins) {
        let data = pins.get(self.data) as u8;
        let symbol = Symbol { data, enable: pins.is_set(self.enable), error: pins.is_set(self.error) };
        self.line.push(symbol, pins.cycle());
    }

    #[inline]
    fn clock(&self) -> Clock {
        self.clock
    }
}
