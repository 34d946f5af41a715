//! A master on the card's inner register bus, for blocks that have registers.
use nicforge_sim::Error;
use nicforge_sim::board::{Actor, Board, Pins};
use nicforge_sim::model::{Input, Output};

/// Cycles from an access to its answer, as the bus promises.
const LATENCY: u64 = 2;
/// Cycles after the access in which the answer is looked for, and nothing else may come.
const WATCHED: u64 = 6;

/// What a block does with an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nobody has the register.
    NoHit,
    /// The block has it, and answers so.
    Hit(u32),
}

/// One access and what came of it.
#[derive(Debug, Clone, Copy)]
struct Access {
    address: u32,
    data: Option<u32>,
    begun: Option<u64>,
    outcome: Outcome,
}

/// Reads and writes registers at the ports `bus_address` and so on.
#[derive(Debug)]
pub struct RegisterBus {
    address: Input,
    data: Input,
    write: Input,
    read: Input,
    answer: Output,
    hit: Output,
    access: Option<Access>,
    violations: Vec<String>,
}

impl RegisterBus {
    /// Connects to the ports `bus_...`.
    ///
    /// # Errors
    /// If one of them is missing.
    pub fn attach(board: &mut Board) -> Result<Self, Error> {
        let model = board.pins().model();
        Ok(Self {
            address: model.input("bus_address")?,
            data: model.input("bus_data")?,
            write: model.input("bus_write")?,
            read: model.input("bus_read")?,
            answer: model.output("bus_answer")?,
            hit: model.output("bus_hit")?,
            access: None,
            violations: Vec::new(),
        })
    }

    /// Reads; the other actors go on meanwhile.
    pub fn read<A: Actor + ?Sized>(&mut self, board: &mut Board, others: &mut A, address: u32) -> Outcome {
        self.perform(board, others, address, None)
    }

    /// Writes; the other actors go on meanwhile.
    pub fn write<A: Actor + ?Sized>(
        &mut self,
        board: &mut Board,
        others: &mut A,
        address: u32,
        data: u32,
    ) -> Outcome {
        self.perform(board, others, address, Some(data))
    }

    /// The bus' rules that were broken, with their cycles.
    pub fn violations(&self) -> &[String] {
        &self.violations
    }

    fn perform<A: Actor + ?Sized>(
        &mut self,
        board: &mut Board,
        others: &mut A,
        address: u32,
        data: Option<u32>,
    ) -> Outcome {
        self.access = Some(Access { address, data, begun: None, outcome: Outcome::NoHit });
        for _ in 0..=WATCHED {
            board.step_with(&mut (&mut *self, &mut *others));
        }
        self.access.take().map_or(Outcome::NoHit, |access| access.outcome)
    }
}

impl Actor for RegisterBus {
    fn drive(&mut self, pins: &mut Pins) {
        let begins = self.access.filter(|access| access.begun.is_none());
        pins.set(self.read, begins.is_some_and(|access| access.data.is_none()).into());
        pins.set(self.write, begins.is_some_and(|access| access.data.is_some()).into());
        // What lies on the bus without a request must not matter.
        let noise = pins.cycle().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        pins.set(self.address, begins.map_or(noise & 0xffc, |access| access.address.into()));
        pins.set(self.data, begins.and_then(|access| access.data).map_or(noise, u64::from));
        if let Some(access) = &mut self.access {
            access.begun.get_or_insert(pins.cycle());
        }
    }

    fn sample(&mut self, pins: &Pins) {
        let (hit, answer) = (pins.is_set(self.hit), pins.get(self.answer) as u32);
        let due = self.access.and_then(|access| access.begun).map(|begun| begun + LATENCY);
        if due == Some(pins.cycle()) && hit {
            let access = self.access.as_mut().expect("an access is due only while there is one");
            access.outcome = Outcome::Hit(answer);
            if access.data.is_some() && answer != 0 {
                self.violations.push(format!("cycle {}: a write answered {answer:#x}", pins.cycle()));
            }
        } else if hit || answer != 0 {
            self.violations.push(format!("cycle {}: hit {hit}, answer {answer:#x} unasked", pins.cycle()));
        }
    }
}
