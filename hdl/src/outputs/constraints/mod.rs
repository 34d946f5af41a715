//! Constraint files: the pins and clocks of a board as its tools want them, and the passages between
//! clocks. Each name in them is a port or a register of the printed design.

mod crossings;
mod lpf;
mod sdc;
mod ucf;
mod xdc;

pub use crossings::{Crossing, CrossingKind, crossings};

use crate::config::{Assignment, Board, Clock, Config, Flow};
use crate::verilog::{self, Emitted};

/// Frequency of the clocks of GMII and RGMII at 1 Gbit/s in Hz (IEEE 802.3 clause 35, RGMII 2.0 section 3).
const GIGABIT_HERTZ: u64 = 125_000_000;
/// Ports with these names carry signals that change by hand or for people: no clock times them.
const SLOW_PORTS: &[&str] = &["led", "rst_n", "phy_rst_n"];

/// Why a board and a design do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A port that the board has pins for has another number of bits.
    #[error("{board}: pins.{port}: wanted {width} pins, as module {top} has bits there, found {found}")]
    Width {
        /// File of the board.
        board: String,
        /// The port.
        port: String,
        /// The outermost module.
        top: String,
        /// Bits of the port.
        width: usize,
        /// Pins of the board.
        found: usize,
    },
    /// A port of a module that goes into the FPGA as it is has no pins.
    #[error("{board}: wanted pins for port {port} of module {top}, found none")]
    NoPins {
        /// File of the board.
        board: String,
        /// The port.
        port: String,
        /// The outermost module.
        top: String,
    },
    /// A constraint names something that the design does not have.
    #[error("constraints of {top}: wanted a port of the module, found {port}")]
    NoPort {
        /// The name.
        port: String,
        /// The outermost module.
        top: String,
    },
}

/// A clock that comes in at a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortClock<'a> {
    /// The port.
    pub port: String,
    /// Frequency in Hz.
    pub hertz: u64,
    /// The board's clock, if the port is its pin.
    pub source: Option<&'a Clock>,
}

impl PortClock<'_> {
    /// The period in nanoseconds, rounded down to picoseconds: never slower than it will be.
    fn period(&self) -> String {
        let picoseconds = 1_000_000_000_000 / self.hertz;
        format!("{}.{:03}", picoseconds / 1000, picoseconds % 1000)
    }
    /// The frequency in MHz.
    fn megahertz(&self) -> String {
        format!("{}", self.hertz as f64 / 1e6)
    }
}

/// What the constraint files of one design say, before it is written in the language of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints<'a> {
    /// The outermost module.
    pub top: String,
    /// Clocks that come in at its ports.
    pub clocks: Vec<PortClock<'a>>,
    /// Pins of its ports.
    pub pins: Vec<Assignment<'a>>,
    /// Clocks of the board that reach no port of the module.
    pub spare_clocks: Vec<&'a Clock>,
    /// Pins of the board that the module has no port for.
    pub spare_pins: Vec<Assignment<'a>>,
    /// Ports that no clock times, and which way they go.
    pub slow: Vec<(String, verilog::Direction)>,
    /// Passages between clocks.
    pub crossings: Vec<Crossing>,
    header: String,
}

impl<'a> Constraints<'a> {
    /// What is to be said of this design on the board of its configuration.
    ///
    /// # Errors
    /// If the board's pins and the ports of the design do not match.
    pub fn new(config: &'a Config, design: &Emitted, header: &str) -> Result<Self, Error> {
        let board = config.board.as_deref();
        let is_port = |name: &str| design.ports.iter().any(|port| port.name == name);
        let (pins, spare_pins) = board
            .map(Board::assignments)
            .unwrap_or_default()
            .into_iter()
            .partition(|pin: &Assignment| is_port(pin.port));
        let clocks = clocks(config, design);
        let used = |clock: &&Clock| clocks.iter().any(|port| port.source == Some(*clock));
        let all = board.map(|board| board.clocks.iter()).into_iter().flatten();
        let constraints = Self {
            top: design.top.clone(),
            spare_clocks: all.filter(|clock| !used(clock)).collect(),
            pins,
            spare_pins,
            slow: slow(design),
            crossings: crossings(design),
            header: header.to_owned(),
            clocks,
        };
        constraints.check_names(design)?;
        if let Some(board) = board {
            constraints.check_pins(board, super::is_whole(config, board, design), design)?;
        }
        Ok(constraints)
    }

    /// Every clock and pin belongs to a port that there is.
    fn check_names(&self, design: &Emitted) -> Result<(), Error> {
        let names = self.clocks.iter().map(|clock| clock.port.as_str());
        for name in names.chain(self.pins.iter().map(|pin| pin.port)) {
            if !design.ports.iter().any(|port| port.name == name) {
                return Err(Error::NoPort { port: name.to_owned(), top: self.top.clone() });
            }
        }
        Ok(())
    }

    /// Every port with pins has one for each bit; if the module is the whole FPGA, every port has pins.
    fn check_pins(&self, board: &Board, whole: bool, design: &Emitted) -> Result<(), Error> {
        for verilog::Port { name, width, .. } in &design.ports {
            let found = self.pins.iter().filter(|pin| pin.port == name).count();
            let clock = self.clocks.iter().any(|clock| clock.port == *name && clock.source.is_some());
            let (board, port, top) = (board.file().to_owned(), name.clone(), self.top.clone());
            if found == 0 && !clock && whole {
                return Err(Error::NoPins { board, port, top });
            }
            if found != 0 && found != *width {
                return Err(Error::Width { board, port, top, width: *width, found });
            }
        }
        Ok(())
    }

    /// The file for a flow.
    pub fn file(&self, flow: Flow) -> String {
        match flow {
            Flow::NextpnrEcp5 => lpf::file(self),
            Flow::Vivado => xdc::file(self),
            Flow::Ise => ucf::file(self),
        }
    }

    /// The file in SDC, which most tools read beside their own.
    pub fn sdc(&self) -> String {
        sdc::file(self)
    }

    /// The shortest period of all clocks in nanoseconds: the time that a passage between two of them may take.
    fn shortest_period(&self) -> String {
        let fastest = self.clocks.iter().max_by_key(|clock| clock.hertz);
        fastest.map_or_else(|| "0.000".to_owned(), PortClock::period)
    }

    fn head(&self, sign: &str) -> String {
        super::commented(sign, &self.header)
    }
}

/// The clocks that come in at the ports of a design.
fn clocks<'a>(config: &'a Config, design: &Emitted) -> Vec<PortClock<'a>> {
    let whole = config.board.as_deref().is_some_and(|board| super::is_whole(config, board, design));
    let source = config.clock().filter(|_| whole);
    let known = [
        ("clk_in", source.map_or(0, |clock| clock.hertz), source),
        ("rgmii_rxc", GIGABIT_HERTZ, None),
        ("clk", config.core_clock_hertz(), None),
        ("gmii_rx_clk", GIGABIT_HERTZ, None),
        ("gmii_tx_clk", GIGABIT_HERTZ, None),
    ];
    let there = |name: &str| design.ports.iter().any(|port| port.name == name);
    let clocks = known.into_iter().filter(|(name, hertz, _)| there(name) && *hertz > 0);
    clocks.map(|(port, hertz, source)| PortClock { port: port.to_owned(), hertz, source }).collect()
}

fn slow(design: &Emitted) -> Vec<(String, verilog::Direction)> {
    let slow = design.ports.iter().filter(|port| SLOW_PORTS.contains(&port.name.as_str()));
    slow.map(|port| (port.name.clone(), port.direction)).collect()
}

/// Ports that no clock times, in XDC and in SDC.
fn false_paths(constraints: &Constraints) -> String {
    let mut text = String::new();
    for (port, direction) in &constraints.slow {
        let way = if *direction == verilog::Direction::Input { "from" } else { "to" };
        text += &format!("set_false_path -{way} [get_ports {{{port}*}}]\n");
    }
    text
}

/// A comment that opens a part of a file.
fn chapter(sign: &str, text: &str) -> String {
    format!("\n{sign}{text}\n")
}

/// What is said above the pins that the design does not reach.
const SPARE: &str =
    "Pins of the board that this module has no port for; remove the sign to use one in a module of your own.";

/// Lines that are there to be read, or to be used after an edit.
fn quoted(sign: &str, lines: &[String]) -> String {
    lines.iter().map(|line| format!("{sign}{line}\n")).collect()
}

fn lines(lines: &[String]) -> String {
    quoted("", lines)
}
