//! One-cycle events, as blocks raise them for the statistics.
use crate::Error;
use crate::board::{Actor, Board, Pins};
use crate::model::Output;

/// An event and when it was raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The clock cycle.
    pub cycle: u64,
    /// The code on `<prefix>_code`; zero where there is no such port.
    pub code: u64,
}

/// Records the events at `<prefix>_valid` and `<prefix>_code`, or at a single output `<prefix>`.
#[derive(Debug)]
pub struct EventLog {
    valid: Output,
    code: Option<Output>,
    events: Vec<Event>,
}

impl EventLog {
    /// Connects to the event output `prefix`.
    pub fn attach(board: &mut Board, prefix: &str) -> Result<Self, Error> {
        let pins = board.pins();
        let valid = pins.output_of(&[format!("{prefix}_valid"), prefix.into()])?;
        let code = pins.output_of(&[format!("{prefix}_code")]).ok();
        Ok(Self { valid, code, events: Vec::new() })
    }

    /// Every event so far, the oldest first.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The codes of all events so far.
    pub fn codes(&self) -> Vec<u64> {
        self.events.iter().map(|event| event.code).collect()
    }
}

impl Actor for EventLog {
    fn drive(&mut self, _: &mut Pins) {}

    fn sample(&mut self, pins: &Pins) {
        if pins.is_set(self.valid) {
            let code = self.code.map_or(0, |code| pins.get(code));
            self.events.push(Event { cycle: pins.cycle(), code });
        }
    }
}
