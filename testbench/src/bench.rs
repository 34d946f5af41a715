//! Block tests: a block printed, verilated and under a clock.
use crate::mutants;
use nicforge_hdl::config::Config;
use nicforge_hdl::top;
use nicforge_hdl::verilog::{self, Direction, Emitted, Options};
use nicforge_sim::Board;
use nicforge_sim::link::xgmii;
use nicforge_sim::model::{self, BuildOptions, Library, Model, PortInfo, VerilogSource};
use rust_hdl::prelude::Block;

/// Why there is no bench for a block.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The block does not print.
    #[error("block {name} does not print")]
    Print {
        /// The name given to the block.
        name: String,
        /// What the back end says.
        #[source]
        cause: verilog::Error,
    },
    /// The mutant asked for does not fit.
    #[error("block {name}")]
    Mutant {
        /// The name given to the block.
        name: String,
        /// What is wrong with the mutant.
        #[source]
        cause: mutants::Error,
    },
    /// The printed block does not become a model.
    #[error("block {name} does not simulate")]
    Simulate {
        /// The name given to the block.
        name: String,
        /// What the simulation says.
        #[source]
        cause: nicforge_sim::Error,
    },
}

/// The compiled model of a block, of which every test or seed takes an instance of its own.
#[derive(Debug)]
pub struct Design {
    name: String,
    library: Library,
    core_period: u64,
}

/// Picoseconds a second.
const PICOSECONDS: u64 = 1_000_000_000_000;

impl Design {
    /// Prints and compiles a block under the module name `name`; compiled models are kept on disk.
    ///
    /// # Errors
    /// The back end's or the compiler's, with the name.
    pub fn new<B: Block>(name: &str, mut block: B) -> Result<Self, Error> {
        let options = Options { top: name, header: "" };
        let emitted = verilog::emit_block(&mut block, &options)
            .map_err(|cause| Error::Print { name: name.into(), cause })?;
        Self::of(name, emitted)
    }

    /// Prints and compiles the design of a configuration, without what a board puts around it.
    ///
    /// # Errors
    /// The back end's or the compiler's, with the name of the design.
    pub fn top(config: &Config) -> Result<Self, Error> {
        let name = config.top.name();
        let emitted = top::emit_core(config).map_err(|cause| Error::Print { name: name.into(), cause })?;
        let core_period = PICOSECONDS / config.core_clock_hertz();
        Ok(Self { core_period, ..Self::of(name, emitted)? })
    }

    /// Compiles a printed design, broken first if the environment asks for a mutant.
    ///
    /// # Errors
    /// The compiler's, with the name.
    pub fn of(name: &str, mut emitted: Emitted) -> Result<Self, Error> {
        mutants::apply_from_environment(&mut emitted.modules)
            .map_err(|cause| Error::Mutant { name: name.into(), cause })?;
        let library = model::build(&source(&emitted), &BuildOptions::default())
            .map_err(|cause| Error::Simulate { name: name.into(), cause })?;
        Ok(Self { name: name.into(), library, core_period: xgmii::PERIOD })
    }

    /// An instance of its own, for a bench that makes its own clocks.
    ///
    /// # Errors
    /// The compiled model's.
    pub fn model(&self) -> Result<Model, Error> {
        self.library.instance().map_err(|cause| Error::Simulate { name: self.name.clone(), cause })
    }

    /// A board of its own, not yet reset.
    ///
    /// # Errors
    /// If the block has no clock.
    pub fn board(&self) -> Result<Board, Error> {
        let instance = self.library.instance();
        let board = instance.and_then(|model| Board::with_core_period(model, self.core_period));
        board.map_err(|cause| Error::Simulate { name: self.name.clone(), cause })
    }
}

/// A board with one block.
///
/// # Errors
/// As [`Design`].
pub fn block<B: Block>(name: &str, block: B) -> Result<Board, Error> {
    Design::new(name, block)?.board()
}

fn source(emitted: &Emitted) -> VerilogSource {
    let ports = emitted.ports.iter().map(|port| match port.direction {
        Direction::Input => PortInfo::input(&port.name, port.width),
        Direction::Output | Direction::InOut => PortInfo::output(&port.name, port.width),
    });
    VerilogSource { text: emitted.verilog(), top: emitted.top.clone(), ports: ports.collect() }
}
