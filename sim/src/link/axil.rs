//! A master on the AXI4-Lite register bus (ARM IHI 0022, chapter B1), one access at a time.
use super::Stalls;
use crate::Error;
use crate::board::{Actor, Board, Pins};
use crate::model::{Input, Output};

/// Cycles within which a board must answer a register access.
const ANSWER_LIMIT: u64 = 10_000;

/// A channel that the master drives: its `valid`, its `ready`, and whether its word is still to go.
#[derive(Debug)]
struct Send {
    valid: Input,
    ready: Output,
    pending: bool,
    offered: bool,
}

impl Send {
    fn attach(pins: &Pins, prefix: &str, channel: &str) -> Result<Self, Error> {
        let valid = pins.input_of(&[format!("{prefix}_{channel}valid")])?;
        let ready = pins.output_of(&[format!("{prefix}_{channel}ready")])?;
        Ok(Self { valid, ready, pending: false, offered: false })
    }

    fn drive(&mut self, pins: &mut Pins, stalls: &mut Stalls) {
        self.offered = self.offered || (self.pending && !stalls.stalled());
        pins.set(self.valid, self.offered.into());
    }

    fn sample(&mut self, pins: &Pins) {
        if self.offered && pins.is_set(self.ready) {
            (self.pending, self.offered) = (false, false);
        }
    }
}

/// A channel that the board drives.
#[derive(Debug)]
struct Receive {
    valid: Output,
    ready: Input,
    response: Output,
    takes: bool,
}

impl Receive {
    fn attach(pins: &Pins, prefix: &str, channel: &str) -> Result<Self, Error> {
        let valid = pins.output_of(&[format!("{prefix}_{channel}valid")])?;
        let ready = pins.input_of(&[format!("{prefix}_{channel}ready")])?;
        let response = pins.output_of(&[format!("{prefix}_{channel}resp")])?;
        Ok(Self { valid, ready, response, takes: false })
    }

    fn drive(&mut self, pins: &mut Pins, stalls: &mut Stalls) {
        self.takes = !stalls.stalled();
        pins.set(self.ready, self.takes.into());
    }

    fn answer(&self, pins: &Pins) -> Option<u64> {
        (self.takes && pins.is_set(self.valid)).then(|| pins.get(self.response))
    }
}

/// What came back from an access.
#[derive(Debug, Clone, Copy)]
struct Answer {
    response: u64,
    data: u32,
}

/// Reads and writes registers at the ports `<prefix>_awaddr` and so on.
#[derive(Debug)]
pub struct AxiLite {
    write_address: Input,
    write_data: Input,
    write_strobes: Input,
    read_address: Input,
    read_data: Output,
    address_write: Send,
    data_write: Send,
    address_read: Send,
    answer_write: Receive,
    answer_read: Receive,
    stalls: Stalls,
    access: Option<Access>,
    answer: Option<Answer>,
    violations: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read(u32),
    Write { address: u32, data: u32, strobes: u8 },
}

impl Access {
    fn address(&self) -> u32 {
        match self {
            Self::Read(address) | Self::Write { address, .. } => *address,
        }
    }
}

impl AxiLite {
    /// Connects to the bus `prefix`; `stalls` hold back the master's `valid` and `ready`, each alone.
    pub fn attach(board: &mut Board, prefix: &str, stalls: Stalls) -> Result<Self, Error> {
        let pins = board.pins();
        let input = |name: &str| pins.input_of(&[format!("{prefix}_{name}")]);
        Ok(Self {
            write_address: input("awaddr")?,
            write_data: input("wdata")?,
            write_strobes: input("wstrb")?,
            read_address: input("araddr")?,
            read_data: pins.output_of(&[format!("{prefix}_rdata")])?,
            address_write: Send::attach(pins, prefix, "aw")?,
            data_write: Send::attach(pins, prefix, "w")?,
            address_read: Send::attach(pins, prefix, "ar")?,
            answer_write: Receive::attach(pins, prefix, "b")?,
            answer_read: Receive::attach(pins, prefix, "r")?,
            stalls,
            access: None,
            answer: None,
            violations: 0,
        })
    }

    /// Reads the register at an octet address; the other actors go on meanwhile.
    pub fn read<A: Actor + ?Sized>(
        &mut self,
        board: &mut Board,
        others: &mut A,
        address: u32,
    ) -> Result<u32, Error> {
        self.perform(board, others, Access::Read(address))
    }

    /// Writes the register at an octet address; the other actors go on meanwhile.
    pub fn write<A: Actor + ?Sized>(
        &mut self,
        board: &mut Board,
        others: &mut A,
        address: u32,
        data: u32,
    ) -> Result<(), Error> {
        self.write_octets(board, others, address, data, 0b1111)
    }

    /// Writes the octets of a register whose strobe is set.
    pub fn write_octets<A: Actor + ?Sized>(
        &mut self,
        board: &mut Board,
        others: &mut A,
        address: u32,
        data: u32,
        strobes: u8,
    ) -> Result<(), Error> {
        self.perform(board, others, Access::Write { address, data, strobes }).map(drop)
    }

    /// Answers that the board gave without being asked.
    pub fn violations(&self) -> u64 {
        self.violations
    }

    fn perform<A: Actor + ?Sized>(
        &mut self,
        board: &mut Board,
        others: &mut A,
        access: Access,
    ) -> Result<u32, Error> {
        self.begin(access);
        for _ in 0..ANSWER_LIMIT {
            board.step_with(&mut (&mut *self, &mut *others));
            let Some(answer) = self.answer.take() else { continue };
            self.access = None;
            let address = access.address();
            let response = answer.response;
            return if response == 0 { Ok(answer.data) } else { Err(Error::Refused { address, response }) };
        }
        self.access = None;
        let what = format!("the register access at {:#06x}", access.address());
        Err(Error::Timeout { what, cycles: ANSWER_LIMIT })
    }

    fn begin(&mut self, access: Access) {
        let writes = matches!(access, Access::Write { .. });
        (self.address_write.pending, self.data_write.pending) = (writes, writes);
        self.address_read.pending = !writes;
        (self.access, self.answer) = (Some(access), None);
    }

    /// Whether the whole request of this kind has gone out, so that an answer may come.
    fn asked(&self, write: bool) -> bool {
        match self.access {
            Some(Access::Write { .. }) => write && !self.address_write.pending && !self.data_write.pending,
            Some(Access::Read(_)) => !write && !self.address_read.pending,
            None => false,
        }
    }

    fn take(&mut self, answer: Option<Answer>, asked: bool) {
        match answer {
            Some(answer) if asked => self.answer = Some(answer),
            Some(_) => self.violations += 1,
            None => {}
        }
    }
}

impl Actor for AxiLite {
    fn drive(&mut self, pins: &mut Pins) {
        match self.access {
            Some(Access::Read(address)) => pins.set(self.read_address, address.into()),
            Some(Access::Write { address, data, strobes }) => {
                pins.set(self.write_address, address.into());
                pins.set(self.write_data, data.into());
                pins.set(self.write_strobes, strobes.into());
            }
            None => {}
        }
        for channel in [&mut self.address_write, &mut self.data_write, &mut self.address_read] {
            channel.drive(pins, &mut self.stalls);
        }
        self.answer_write.drive(pins, &mut self.stalls);
        self.answer_read.drive(pins, &mut self.stalls);
    }

    fn sample(&mut self, pins: &Pins) {
        // AXI has no combinational paths from inputs to outputs (A3.1.1), so an answer cannot belong to
        // a request of the same cycle: look up what was asked before this cycle's handshakes count.
        let (write, read) = (self.asked(true), self.asked(false));
        let written = self.answer_write.answer(pins).map(|response| Answer { response, data: 0 });
        let data = pins.get(self.read_data) as u32;
        let found = self.answer_read.answer(pins).map(|response| Answer { response, data });
        for channel in [&mut self.address_write, &mut self.data_write, &mut self.address_read] {
            channel.sample(pins);
        }
        self.take(written, write);
        self.take(found, read);
    }
}
