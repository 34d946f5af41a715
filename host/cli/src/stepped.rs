//! A simulated board without a network, clocked only while a register is accessed.

use nicforge_hdl::config::Config;
use nicforge_host::{Bar, Error as HostError};
use nicforge_sim::Board;
use nicforge_sim::link::{AxiLite, Stalls};

use crate::error::Error;
use crate::simulated::model_of;

/// The registers of such a board.
pub struct SteppedBar {
    board: Board,
    bus: AxiLite,
}

impl SteppedBar {
    /// Generates, compiles (or finds compiled) and resets the board that a configuration describes.
    ///
    /// # Errors
    /// A missing or failing tool, or a fault of the gateware.
    pub fn power_up(config: &Config) -> Result<Self, Error> {
        let mut board = Board::new(model_of(config, false)?)?;
        let bus = AxiLite::attach(&mut board, "s_axil", Stalls::none())?;
        Ok(Self { board, bus })
    }
}

impl Bar for SteppedBar {
    fn read(&mut self, offset: u32) -> Result<u32, HostError> {
        let answer = self.bus.read(&mut self.board, &mut (), offset);
        answer.map_err(|cause| HostError::Bus { offset, cause: cause.into() })
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<(), HostError> {
        let answer = self.bus.write(&mut self.board, &mut (), offset, value);
        answer.map_err(|cause| HostError::Bus { offset, cause: cause.into() })
    }
}
