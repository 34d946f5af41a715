//! A board: everything that gateware, constraints and tool scripts need to know of it, as plain
//! data from its `board.toml`.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Top;
use super::faults::Faults;
use super::standards::{Family, Flow, MGT};

/// The name that a configuration gives for "no board": the gateware alone, for an own design.
pub const NO_BOARD: &str = "none";

/// One board. Two are equal when their facts are, wherever they were read from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Board {
    /// Name: that of its folder, as in a configuration, and of the outermost module of a shell.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// Designs that it takes, at least one; the first is the default.
    pub tops: Vec<Top>,
    /// The FPGA.
    pub part: Part,
    /// What makes its bitstream.
    pub tool: Tool,
    /// Its clocks, at least one.
    pub clocks: Vec<Clock>,
    /// Where the core clock comes from.
    pub core: Core,
    /// Groups of pins with one supply.
    pub banks: Vec<Bank>,
    /// Every other pin, by port.
    pub pins: Vec<PinGroup>,
    /// LEDs in the order of the port `led`.
    pub leds: Vec<Led>,
    /// The RGMII side of its Ethernet PHY, if it has one.
    pub rgmii: Option<Rgmii>,
    #[serde(skip)]
    pub(super) origin: Origin,
}

/// The FPGA and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its family.
    pub family: Family,
    /// Device, such as `LFE5UM5G-85F`.
    pub device: String,
    /// Package, such as `CABGA554`.
    pub package: String,
    /// Speed grade, without a sign.
    pub speed: String,
    /// Look-up tables, of the family's own size.
    pub luts: u64,
    /// Flip-flops.
    pub flip_flops: u64,
    /// Block RAM in units of 1024 bits, parity included.
    pub block_ram_kbit: u64,
    /// RAM made of look-up tables in units of 1024 bits.
    pub distributed_ram_kbit: u64,
}

impl Part {
    /// The whole part in the way of the family's tools, such as `xc7k325tffg900-2`.
    pub fn name(&self) -> String {
        let (device, package, speed) = (&self.device, &self.package, &self.speed);
        match self.family {
            Family::Ecp5 => format!("{device}-{speed}-{package}"),
            Family::Virtex2p => format!("{device}-{speed}-{package}").to_lowercase(),
            Family::Artix7 | Family::Kintex7 | Family::Virtex7 => {
                format!("{device}{package}-{speed}").to_lowercase()
            }
        }
    }
    /// Bits that all its memories hold together.
    pub fn memory_bits(&self) -> u64 {
        1024 * (self.block_ram_kbit + self.distributed_ram_kbit)
    }
}

/// What makes the bitstream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// The tools.
    pub flow: Flow,
    /// Further arguments of the place-and-route command.
    pub options: Vec<String>,
    /// The board's name for openFPGALoader, where it has one.
    pub loader: Option<String>,
}

/// A pin, or the two of a differential pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// The pin, or the positive one of the pair.
    pub positive: String,
    /// The negative one of the pair.
    pub negative: Option<String>,
}

/// How a pin is to behave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pad {
    /// I/O standard as the family's tools call it, or `MGT`.
    pub standard: String,
    /// Name of the bank.
    pub bank: Option<String>,
    /// Steepness of an output's edges; the tool's default if `None`.
    pub slew: Option<Slew>,
    /// Current of an output in mA; the tool's default if `None`.
    pub drive: Option<u8>,
    /// Resistor in the pin; the tool's default if `None`.
    pub pull: Option<Pull>,
    /// Whether a differential input is terminated on the die.
    pub termination: bool,
}

impl Pad {
    /// The I/O standard; `None` for the pins of a transceiver.
    pub fn io_standard(&self) -> Option<&str> {
        Some(self.standard.as_str()).filter(|standard| *standard != MGT)
    }
}

/// Steepness of an output's edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Slew {
    /// Steep.
    Fast,
    /// Flat.
    Slow,
}

/// A resistor in a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pull {
    /// To the supply.
    Up,
    /// To ground.
    Down,
    /// None at all.
    None,
}

/// Which way a pin is used, seen from the FPGA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Into the FPGA.
    In,
    /// Out of the FPGA.
    Out,
    /// Both ways.
    Inout,
}

/// A clock that the board brings to the FPGA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Clock {
    /// Its name, as in the configuration's field `clock`.
    pub name: String,
    /// Frequency in Hz.
    pub hertz: u64,
    /// Where it comes in.
    pub pin: Pin,
    /// How.
    pub pad: Pad,
}

/// Where the core clock comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Core {
    /// Name of the clock, where a configuration names none.
    pub clock: String,
    /// Frequency of the core clock in Hz in a 1 GbE design; the 10 GbE designs have one of their own.
    pub hertz: u64,
}

/// Pins with one supply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bank {
    /// Name.
    pub name: String,
    /// Supply in mV; `None` where it is not known, then its pins must agree among themselves.
    pub millivolts: Option<u32>,
}

/// The pins of one port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PinGroup {
    /// Name of the port of the outermost module; pins that no design uses have a name as well.
    pub port: String,
    /// Which way.
    pub direction: Direction,
    /// Whether the port is a vector, even one of a single bit.
    pub vector: bool,
    /// The pins, bit 0 first.
    pub pins: Vec<Pin>,
    /// How they behave.
    pub pad: Pad,
}

/// What an LED shows: a bit of the design's port `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The core clock runs: blinks.
    Heartbeat,
    /// The link is up.
    Link,
    /// A good frame went either way a moment ago.
    Activity,
    /// Packets of the sampler leave.
    Stream,
}

/// What LEDs can show, by name in board files, in the order of the bits of `status`.
pub(super) const STATUS: &[(&str, Status)] = &[
    ("heartbeat", Status::Heartbeat),
    ("link", Status::Link),
    ("activity", Status::Activity),
    ("stream", Status::Stream),
];

impl Status {
    /// Index of the bit in the port `status`.
    pub fn bit(self) -> usize {
        STATUS.iter().position(|(_, status)| *status == self).expect("the list has every value")
    }
}

/// An LED.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Led {
    /// What it shows.
    pub status: Status,
    /// Whether it is lit by a low pin.
    pub active_low: bool,
    /// Its pin.
    pub pin: Pin,
    /// How the pin behaves.
    pub pad: Pad,
}

/// What the RGMII shell must know of the PHY and the traces to it (RGMII 2.0, section 3.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rgmii {
    /// Delay that the FPGA adds to the transmit clock, in ps: 0 where PHY or traces have it.
    pub tx_delay_ps: u32,
    /// Delay that the FPGA adds to received data and control, in ps: 0 where PHY or traces delay the clock.
    pub rx_delay_ps: u32,
    /// Whether the PHY shows link and speed on the data lines between frames (RGMII 2.0, section 3.4.1).
    pub in_band_status: bool,
}

/// One pin of one port, as a line of a constraint file needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment<'a> {
    /// The port.
    pub port: &'a str,
    /// Its bit; `None` where the port is no vector.
    pub bit: Option<usize>,
    /// The pin.
    pub pin: &'a Pin,
    /// Which way.
    pub direction: Direction,
    /// How it behaves.
    pub pad: &'a Pad,
}

impl Board {
    /// The clock of this name.
    pub fn clock(&self, name: &str) -> Option<&Clock> {
        self.clocks.iter().find(|clock| clock.name == name)
    }

    /// The pins of this port.
    pub fn port(&self, name: &str) -> Option<&PinGroup> {
        self.pins.iter().find(|group| group.port == name)
    }

    /// Whether the design is wrapped in a module with the board's own pins. Otherwise the design is
    /// the outermost module, and ends inside the FPGA: at XGMII and at the register port.
    pub fn has_shell(&self, top: Top) -> bool {
        top == Top::Stream1g && self.part.family == Family::Ecp5 && self.rgmii.is_some()
    }

    /// Every pin of the file apart from the clocks: groups in their order, then LEDs as port `led`.
    pub fn assignments(&self) -> Vec<Assignment<'_>> {
        let mut list = Vec::new();
        for group in &self.pins {
            list.extend(group.pins.iter().enumerate().map(|(bit, pin)| Assignment {
                port: &group.port,
                bit: group.vector.then_some(bit),
                pin,
                direction: group.direction,
                pad: &group.pad,
            }));
        }
        let vector = self.leds.len() > 1;
        list.extend(self.leds.iter().enumerate().map(|(bit, led)| Assignment {
            port: "led",
            bit: vector.then_some(bit),
            pin: &led.pin,
            direction: Direction::Out,
            pad: &led.pad,
        }));
        list
    }

    /// SHA-256 over all facts, hexadecimal: comments and order of keys do not count.
    pub fn digest_hex(&self) -> String {
        let facts = serde_json::to_vec(self).expect("text and numbers always have a JSON form");
        Sha256::digest(facts).iter().map(|octet| format!("{octet:02x}")).collect()
    }

    /// The file it was read from, as it was named.
    pub fn file(&self) -> &str {
        &self.origin.file
    }

    /// The text of that file.
    pub fn text(&self) -> &str {
        &self.origin.text
    }

    /// A list for faults of its file.
    pub(super) fn no_faults(&self) -> Faults {
        Faults::new(&self.origin.file, &self.origin.text)
    }

    /// Adds a fault at the line of `path` in its file.
    pub(super) fn add_fault(&self, faults: &mut Faults, path: &str, wanted: String, found: String) {
        faults.add(self.origin.spans.get(path).cloned(), path, wanted, found);
    }
}

/// Where a board was read from.
#[derive(Clone, Default)]
pub(super) struct Origin {
    pub(super) file: String,
    pub(super) text: String,
    /// Where the tables and keys stand that later checks speak of.
    pub(super) spans: BTreeMap<&'static str, Range<usize>>,
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}
