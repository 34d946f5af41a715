//! A simulated board that is clocked by whoever accesses its registers.

use nicforge_hdl::config::Config;
use nicforge_host::{Bar, Error as HostError};
use nicforge_sim::link::{AxiLite, Stalls};
use nicforge_sim::{Actor, Board};

use crate::error::Error;
use crate::simulated::board_of;

/// The registers of such a board; what else is connected to it goes on during an access.
pub struct SteppedBar<A: Actor = ()> {
    /// The board.
    pub board: Board,
    /// What is connected to it.
    pub line: A,
    bus: AxiLite,
}

impl SteppedBar {
    /// Generates, compiles (or finds compiled) and resets the board that a configuration describes,
    /// with nothing connected.
    ///
    /// # Errors
    /// A missing or failing tool, or a fault of the gateware.
    pub fn power_up(config: &Config) -> Result<Self, Error> {
        Self::attach(board_of(config, false)?, ())
    }
}

impl<A: Actor> SteppedBar<A> {
    /// The registers of `board`, which has `line` connected.
    ///
    /// # Errors
    /// The board has no register port.
    pub fn attach(mut board: Board, line: A) -> Result<Self, Error> {
        let bus = AxiLite::attach(&mut board, "s_axil", Stalls::none())?;
        Ok(Self { board, line, bus })
    }
}

impl<A: Actor> Bar for SteppedBar<A> {
    fn read(&mut self, offset: u32) -> Result<u32, HostError> {
        let answer = self.bus.read(&mut self.board, &mut self.line, offset);
        answer.map_err(|cause| HostError::Bus { offset, cause: cause.into() })
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<(), HostError> {
        let answer = self.bus.write(&mut self.board, &mut self.line, offset, value);
        answer.map_err(|cause| HostError::Bus { offset, cause: cause.into() })
    }
}
