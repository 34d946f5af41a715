//! What one build of the gateware contains: plain data with a documented default for every field,
//! read from one TOML file. Reading finds every fault, not the first.

mod board;
mod checks;
mod document;
mod faults;
mod fields;
mod render;
mod words;

use std::net::Ipv4Addr;
use std::path::Path;

use serde::Serialize;

pub use board::{Board, Clock, NO_BOARD, board, boards};
pub use document::MacAddress;
pub use faults::{Fault, Faults};
pub use fields::{FIELDS, Field, Form, Kind, MAX_DATA_OCTETS, MAX_MTU, MIN_MTU, TABLES, Table, table};
pub use render::{NoSuchBoard, markdown, starting_file};

use document::Values;

/// Samples that the sampler takes in one cycle of the core clock.
pub const SAMPLES_A_CYCLE: u64 = 8;
/// Largest sample rate a second of any design: every cycle of the fastest core clock taken.
pub const MAX_SAMPLE_RATE: u64 = XGMII_CLOCK_HERTZ * SAMPLES_A_CYCLE;

/// One 64-bit XGMII word a cycle at 10 Gbit/s.
const XGMII_CLOCK_HERTZ: u64 = 156_250_000;
/// Core clock of a 1 GbE design where no board says otherwise: one 64-bit word a cycle is 4 Gbit/s.
const GIGABIT_CLOCK_HERTZ: u64 = 62_500_000;

const TOP_NAMES: &[&str] = &["udp_core", "ibob", "stream_1g"];
const SOURCE_NAMES: &[&str] = &["counter", "tone"];
const PACE_NAMES: &[&str] = &["sample_rate", "link"];

/// A design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Top {
    /// UDP both ways between XGMII and two AXI4-Streams.
    UdpCore,
    /// A sampler that streams VDIF over UDP.
    Ibob,
    /// The same on 1 GbE, between GMII and registers.
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
    pub board: Option<&'static Board>,
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
    /// Reads a configuration file.
    ///
    /// # Errors
    /// Every fault of the file, or the one that it cannot be read.
    pub fn load(path: &Path) -> Result<Self, Faults> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text, &name),
            Err(cause) => {
                let mut faults = Faults::new(&name, "");
                faults.add(None, "", "a readable text file", format!("this: {cause}"));
                Err(faults)
            }
        }
    }

    /// Reads a configuration from text; `name` stands for the file in faults.
    ///
    /// # Errors
    /// Every fault of the text.
    pub fn parse(text: &str, name: &str) -> Result<Self, Faults> {
        let mut faults = Faults::new(name, text);
        let values = Values::read(text, &mut faults);
        let config = Self::assemble(&values);
        checks::check(&config, &values, &mut faults);
        faults.into_result().map(|()| config)
    }

    fn assemble(values: &Values) -> Self {
        let board = board(&values.text("board"));
        Self {
            board,
            top: top_of(values, board),
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
    pub fn board_name(&self) -> &'static str {
        self.board.map_or(NO_BOARD, |board| &board.name)
    }

    /// Frequency of the core clock in Hz.
    pub fn core_clock_hertz(&self) -> u64 {
        match self.top {
            Top::UdpCore | Top::Ibob => XGMII_CLOCK_HERTZ,
            Top::Stream1g => GIGABIT_CLOCK_HERTZ,
        }
    }

    /// Rate of the link in bits a second.
    pub fn link_bits_a_second(&self) -> u64 {
        match self.top {
            Top::UdpCore | Top::Ibob => 10_000_000_000,
            Top::Stream1g => 1_000_000_000,
        }
    }

    /// Largest sample rate a second of this design: every cycle taken.
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

/// Where the file names no top, the board's own.
fn top_of(values: &Values, board: Option<&Board>) -> Top {
    let own = board.filter(|_| !values.is_given("top")).map(|board| board.tops[0].clone());
    Top::by_name(&own.unwrap_or_else(|| values.text("top")))
        .expect("the names of tops in the fields and in board files are tested")
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

/// What may stand behind `board =`.
fn board_names() -> impl Iterator<Item = &'static str> {
    boards().iter().map(|board| board.name.as_str()).chain([NO_BOARD])
}
