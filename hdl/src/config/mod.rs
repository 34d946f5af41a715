//! What one build of the gateware contains: plain data with a documented default for every field,
//! read from one TOML file. Reading finds every fault, not the first.

mod board;
mod board_checks;
mod board_file;
mod board_pins;
mod boards;
mod checks;
mod document;
mod entries;
mod faults;
mod fields;
mod fit;
mod pll;
mod render;
mod schema;
mod standards;
mod words;

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use serde::{Serialize, Serializer};

pub use board::{
    Assignment, Bank, Board, Clock, Core, Direction, Led, NO_BOARD, Pad, Part, Pin, PinGroup, Pull, Rgmii,
    Slew, Status, Tool,
};
pub use boards::{BOARD_FILE, BOARDS_FOLDER, Boards, NoSuchBoard};
pub use document::MacAddress;
pub use faults::{Fault, Faults};
pub use fields::{FIELDS, Field, Form, Kind, MAX_DATA_OCTETS, MAX_MTU, MIN_MTU, TABLES, Table, table};
pub use pll::{GMII_CLOCK_HERTZ, Pll};
pub use render::{markdown, starting_file};
pub use schema::schema;
pub use standards::{Family, Flow, MGT};

use document::Values;

/// Frequency of the core clock of the 10 GbE designs in Hz: one 64-bit XGMII word a cycle at 10 Gbit/s.
pub const CORE_CLOCK_HERTZ: u64 = 156_250_000;
/// Frequency of the core clock of the 1 GbE designs in Hz, where no board says another.
pub const DEFAULT_CORE_HERTZ: u64 = 62_500_000;
/// Samples that the sampler takes in one cycle.
pub const SAMPLES_A_CYCLE: u64 = 8;
/// Largest sample rate a second of any design: every cycle taken.
pub const MAX_SAMPLE_RATE: u64 = CORE_CLOCK_HERTZ * SAMPLES_A_CYCLE;
/// What the field `clock` says for the clock that the board's file names.
pub const DEFAULT_CLOCK: &str = "default";

const TOP_NAMES: &[&str] = &["udp_core", "ibob", "stream_1g"];
const SOURCE_NAMES: &[&str] = &["counter", "tone"];
const PACE_NAMES: &[&str] = &["sample_rate", "link"];

/// A design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Top {
    /// UDP both ways between XGMII and two AXI4-Streams.
    UdpCore,
    /// A sampler that streams VDIF over UDP on XGMII.
    Ibob,
    /// A sampler that streams VDIF over UDP on GMII.
    #[serde(rename = "stream_1g")]
    Stream1g,
}

impl Top {
    /// Every design.
    pub const ALL: &'static [Self] = &[Top::UdpCore, Top::Ibob, Top::Stream1g];
    /// The designs with a sampler.
    pub const WITH_SAMPLER: &'static [Self] = &[Top::Ibob, Top::Stream1g];

    /// The top of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|top| top.name() == name)
    }
    /// Name, as in a configuration and as the name of the Verilog module.
    pub fn name(self) -> &'static str {
        match self {
            Top::UdpCore => "udp_core",
            Top::Ibob => "ibob",
            Top::Stream1g => "stream_1g",
        }
    }
    /// Whether it has the sampler's registers.
    pub fn has_sampler(self) -> bool {
        Self::WITH_SAMPLER.contains(&self)
    }
    /// Whether its link runs at 1 Gbit/s; otherwise it is 10 Gbit/s.
    pub fn is_gigabit(self) -> bool {
        self == Top::Stream1g
    }
}

/// The card's own place in the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Network {
    /// Own MAC address.
    pub mac: MacAddress,
    /// Own IPv4 address.
    pub ip: Ipv4Addr,
    /// Mask of the own subnet.
    pub netmask: Ipv4Addr,
    /// Largest IPv4 packet in octets.
    pub mtu: u32,
}

/// UDP packets received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Udp {
    /// Port that is delivered; 0 delivers none.
    pub rx_port: u16,
}

/// Where UDP packets are sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stream {
    /// MAC address of the receiver.
    pub destination_mac: MacAddress,
    /// IPv4 address of the receiver.
    pub destination_ip: Ipv4Addr,
    /// UDP port of the receiver.
    pub destination_port: u16,
    /// UDP port that packets come from.
    pub source_port: u16,
    /// Time to live.
    pub ttl: u8,
    /// Differentiated services code point.
    pub dscp: u8,
    /// Whether the UDP checksum is computed.
    pub checksum: bool,
}

/// What the samples are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// 0, 1, 2 ... modulo 256.
    Counter,
    /// A sine.
    Tone,
}

/// How fast samples are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// As the sample rate says.
    SampleRate,
    /// As fast as the link takes them.
    Link,
}

/// The tone of the test source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tone {
    /// Frequency in Hz.
    pub frequency: u64,
    /// Peak value in steps of the 8-bit sample.
    pub amplitude: u8,
}

/// Where samples come from, and how fast.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sampler {
    /// Whether samples flow right after reset.
    pub enable: bool,
    /// What the samples are.
    pub source: Source,
    /// Samples a second.
    pub sample_rate: u64,
    /// How fast they are taken.
    pub pace: Pace,
    /// Packets after which the sampler stops; 0 for no limit.
    pub packets: u32,
    /// The tone.
    pub tone: Tone,
}

/// How samples are packed and labelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Vdif {
    /// Station identifier, two characters.
    pub station: String,
    /// Thread identifier.
    pub thread: u16,
    /// Octets of samples in a frame.
    pub data_octets: u32,
    /// Reference epoch in half years from January 2000.
    pub epoch: u8,
    /// Seconds from the reference epoch to the first sample.
    pub seconds: u32,
    /// Number of the first frame within its second.
    pub frame: u32,
}

/// One configuration, free of faults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Config {
    /// The board, or `None` for an own design.
    #[serde(serialize_with = "inside")]
    pub board: Option<Arc<Board>>,
    /// Name of the board's clock that the gateware runs from; `None` without a board.
    pub clock: Option<String>,
    /// The design.
    pub top: Top,
    /// The card's own place in the network.
    pub network: Network,
    /// UDP packets received.
    pub udp: Udp,
    /// Where UDP packets are sent.
    pub stream: Stream,
    /// Where samples come from; all defaults in a top without a sampler.
    pub sampler: Sampler,
    /// How samples are labelled; all defaults in a top without a sampler.
    pub vdif: Vdif,
}

impl Config {
    /// Reads a configuration file, with the boards that are part of the program and those of the
    /// user beside the file or in the working folder (see [`Boards::around`]).
    ///
    /// # Errors
    /// Every fault of the file and of its board's, or the one that it cannot be read.
    pub fn load(path: &Path) -> Result<Self, Faults> {
        Self::load_with(path, &Boards::around(path)?)
    }

    /// Reads a configuration file, with these boards.
    ///
    /// # Errors
    /// Every fault of the file and of its board's, or the one that it cannot be read.
    pub fn load_with(path: &Path, boards: &Boards) -> Result<Self, Faults> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse_with(&text, &name, boards),
            Err(cause) => {
                let mut faults = Faults::new(&name, "");
                faults.add(None, "", "a readable text file", format!("this: {cause}"));
                Err(faults)
            }
        }
    }

    /// Reads a configuration from text, with the boards that are part of the program; `name` stands
    /// for the file in faults.
    ///
    /// # Errors
    /// Every fault of the text.
    pub fn parse(text: &str, name: &str) -> Result<Self, Faults> {
        Self::parse_with(text, name, Boards::built_in())
    }

    /// Reads a configuration from text, with these boards; `name` stands for the file in faults.
    ///
    /// # Errors
    /// Every fault of the text, and those of its board's file.
    pub fn parse_with(text: &str, name: &str, boards: &Boards) -> Result<Self, Faults> {
        let mut faults = Faults::new(name, text);
        let mut values = Values::read(text, &mut faults);
        let board = find_board(&mut values, boards, &mut faults);
        let top = top_of(&values, board.as_deref());
        values.complete(top);
        let clock = board.as_deref().map(|board| clock_of(&values, board));
        let config = Self::assemble(&values, board, clock, top);
        checks::check(&config, &values, &mut faults);
        faults.into_result().map(|()| config)
    }

    fn assemble(values: &Values, board: Option<Arc<Board>>, clock: Option<String>, top: Top) -> Self {
        Self {
            board,
            clock,
            top,
            network: Network {
                mac: values.mac("network.mac"),
                ip: values.ipv4("network.ip"),
                netmask: values.ipv4("network.netmask"),
                mtu: values.integer("network.mtu") as u32,
            },
            udp: Udp { rx_port: values.integer("udp.rx_port") as u16 },
            stream: Stream {
                destination_mac: values.mac("stream.destination_mac"),
                destination_ip: values.ipv4("stream.destination_ip"),
                destination_port: values.integer("stream.destination_port") as u16,
                source_port: values.integer("stream.source_port") as u16,
                ttl: values.integer("stream.ttl") as u8,
                dscp: values.integer("stream.dscp") as u8,
                checksum: values.boolean("stream.checksum"),
            },
            sampler: sampler_of(values),
            vdif: Vdif {
                station: values.text("vdif.station"),
                thread: values.integer("vdif.thread") as u16,
                data_octets: values.integer("vdif.data_octets") as u32,
                epoch: values.integer("vdif.epoch") as u8,
                seconds: values.integer("vdif.seconds") as u32,
                frame: values.integer("vdif.frame") as u32,
            },
        }
    }

    /// Name of the board, `none` for an own design.
    pub fn board_name(&self) -> &str {
        self.board.as_ref().map_or(NO_BOARD, |board| &board.name)
    }

    /// The board's clock that the gateware runs from; `None` without a board.
    pub fn clock(&self) -> Option<&Clock> {
        self.board.as_ref()?.clock(self.clock.as_ref()?)
    }

    /// Whether the design is wrapped in a module with the board's own pins, see [`Board::has_shell`].
    pub fn has_shell(&self) -> bool {
        self.board.as_ref().is_some_and(|board| board.has_shell(self.top))
    }

    /// Name of the outermost module that `generate` writes: the board's if it has a shell, else the design's.
    pub fn module_name(&self) -> &str {
        if self.has_shell() { self.board_name() } else { self.top.name() }
    }

    /// The shell's clock generator; `None` without a shell.
    pub fn pll(&self) -> Option<Pll> {
        let hertz = self.clock().filter(|_| self.has_shell())?.hertz;
        Pll::find(hertz, self.core_clock_hertz())
    }

    /// Frequency of the core clock in Hz.
    pub fn core_clock_hertz(&self) -> u64 {
        match self.top {
            Top::UdpCore | Top::Ibob => CORE_CLOCK_HERTZ,
            Top::Stream1g => self.board.as_ref().map_or(DEFAULT_CORE_HERTZ, |board| board.core.hertz),
        }
    }

    /// Rate of the link in bits a second.
    pub fn link_bits_a_second(&self) -> u64 {
        if self.top.is_gigabit() { 1_000_000_000 } else { 10_000_000_000 }
    }

    /// Largest sample rate a second: every cycle of the core clock taken.
    pub fn max_sample_rate(&self) -> u64 {
        self.core_clock_hertz() * SAMPLES_A_CYCLE
    }

    /// VDIF frames a second: one sample is one octet.
    pub fn frames_per_second(&self) -> u64 {
        self.sampler.sample_rate / u64::from(self.vdif.data_octets)
    }

    /// Octets of a stream packet's UDP payload: serial number, VDIF header and samples.
    pub fn payload_octets(&self) -> u64 {
        use nicforge_layout::wire::vdif;
        (vdif::VTP_OCTETS + vdif::HEADER_OCTETS) as u64 + u64::from(self.vdif.data_octets)
    }
}

/// A shared board as if it stood in the configuration itself.
fn inside<S: Serializer>(board: &Option<Arc<Board>>, serializer: S) -> Result<S::Ok, S::Error> {
    board.as_deref().serialize(serializer)
}

/// The board that the file names; a name that no board has is a fault, and so are those of its file.
fn find_board(values: &mut Values, boards: &Boards, faults: &mut Faults) -> Option<Arc<Board>> {
    let name = values.text("board");
    if name == NO_BOARD {
        return None;
    }
    match boards.find(&name) {
        Some(Ok(board)) => return Some(Arc::clone(board)),
        Some(Err(others)) => faults.append(others.clone()),
        None => faults.add(values.span("board"), "board", boards.one_of_names(), format!("{name:?}")),
    }
    values.spoil("board");
    None
}

/// Where the file names no top, the board's own.
fn top_of(values: &Values, board: Option<&Board>) -> Top {
    match board.filter(|_| !values.is_given("top")) {
        Some(board) => board.tops[0],
        None => Top::by_name(&values.text("top")).expect("the field takes the names of designs alone"),
    }
}

/// Where the file names no clock, the board's own.
fn clock_of(values: &Values, board: &Board) -> String {
    let name = values.text("clock");
    if name == DEFAULT_CLOCK { board.core.clock.clone() } else { name }
}

fn sampler_of(values: &Values) -> Sampler {
    let counter = values.text("sampler.source") == SOURCE_NAMES[0];
    let link = values.text("sampler.pace") == PACE_NAMES[1];
    Sampler {
        enable: values.boolean("sampler.enable"),
        source: if counter { Source::Counter } else { Source::Tone },
        sample_rate: values.integer("sampler.sample_rate"),
        pace: if link { Pace::Link } else { Pace::SampleRate },
        packets: values.integer("sampler.packets") as u32,
        tone: Tone {
            frequency: values.integer("sampler.tone.frequency"),
            amplitude: values.integer("sampler.tone.amplitude") as u8,
        },
    }
}
