//! Every field of a configuration, written once: the reader, the configuration that `new` writes
//! and the page of the book derive from [`FIELDS`].

use super::Top;
use nicforge_layout::wire::ethernet;
use serde::Serialize;

/// How a field reaches the gateware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Reset value of a register: can be changed while the card runs.
    Register,
    /// Fixed in the design.
    Constant,
    /// How many there are of a block.
    Count,
    /// Picks one of the designs there are.
    Choice,
}

impl Kind {
    /// Name, as in the book.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Register => "register",
            Kind::Constant => "constant",
            Kind::Count => "count",
            Kind::Choice => "choice",
        }
    }
}

/// What a value must look like, taken by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A whole number within these bounds, both included.
    Integer(u64, u64),
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a board, or `none`.
    Board,
    /// The name of one of the board's clocks.
    Clock,
    /// Two printable ASCII characters.
    Station,
    /// Six hexadecimal octets with colons.
    Mac,
    /// Four decimal octets with dots.
    Ipv4,
}

impl Form {
    /// In words, as it ends a sentence "wanted ...".
    pub fn describe(self) -> String {
        match self {
            Form::Integer(low, high) => format!("a whole number from {low} to {high}"),
            Form::Boolean => "true or false".to_owned(),
            Form::Word(words) => one_of(words.iter().copied()),
            Form::Board => format!("the name of a board, or {:?}", super::NO_BOARD),
            Form::Clock => format!("the name of a clock of the board, or {:?}", super::DEFAULT_CLOCK),
            Form::Station => "two printable ASCII characters, the first not below '0'".to_owned(),
            Form::Mac => "a MAC address such as \"02:00:00:00:00:80\"".to_owned(),
            Form::Ipv4 => "an IPv4 address such as \"192.168.1.128\"".to_owned(),
        }
    }
}

/// `"a", "b" or "c"`.
pub(super) fn one_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut quoted: Vec<String> = words.into_iter().map(|word| format!("{word:?}")).collect();
    let last = quoted.pop().unwrap_or_default();
    if quoted.is_empty() { last } else { format!("{} or {last}", quoted.join(", ")) }
}

/// One field of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The table it stands in, such as `network`; empty for the top of the file.
    pub table: &'static str,
    /// Its key in that table.
    pub key: &'static str,
    /// How it reaches the gateware.
    pub kind: Kind,
    /// What its value must look like.
    pub form: Form,
    /// The value taken where the file says nothing, as written in TOML.
    pub default: &'static str,
    /// The same for the designs with 1 GbE, where it differs.
    pub gigabit_default: Option<&'static str>,
    /// Registers whose reset value it sets.
    pub registers: &'static [&'static str],
    /// Meaning and unit.
    pub doc: &'static str,
}

impl Field {
    /// Table and key together, such as `network.mac`.
    pub fn path(&self) -> String {
        if self.table.is_empty() { self.key.to_owned() } else { format!("{}.{}", self.table, self.key) }
    }
    /// Whether this design has it.
    pub fn belongs_to(&self, top: Top) -> bool {
        table(self.table).belongs_to(top)
    }
    /// Whether it means nothing without a board.
    pub fn needs_board(&self) -> bool {
        self.form == Form::Clock
    }
    /// Its default in this design.
    pub fn default_in(&self, top: Top) -> &'static str {
        self.gigabit_default.filter(|_| top.is_gigabit()).unwrap_or(self.default)
    }
}

/// One table of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Name, with the tables it is in, such as `sampler.tone`.
    pub name: &'static str,
    /// The designs that have it.
    pub designs: &'static [Top],
    /// What its fields have in common.
    pub doc: &'static str,
}

impl Table {
    /// Whether this design has it.
    pub fn belongs_to(&self, top: Top) -> bool {
        self.designs.contains(&top)
    }
}

/// Every table, in the order of a written configuration.
pub const TABLES: &[Table] = &[
    Table { name: "", designs: Top::ALL, doc: "What to build." },
    Table { name: "network", designs: Top::ALL, doc: "The card's own place in the network." },
    Table { name: "udp", designs: &[Top::UdpCore], doc: "UDP packets received." },
    Table { name: "stream", designs: Top::ALL, doc: "Where UDP packets are sent." },
    Table { name: "sampler", designs: Top::WITH_SAMPLER, doc: "Where samples come from, and how fast." },
    Table { name: "sampler.tone", designs: Top::WITH_SAMPLER, doc: "The tone of the built-in test source." },
    Table {
        name: "vdif",
        designs: Top::WITH_SAMPLER,
        doc: "How samples are packed and labelled (VDIF 1.1.1).",
    },
];

/// The table of this name; the names in [`FIELDS`] all have one.
pub fn table(name: &str) -> &'static Table {
    TABLES
        .iter()
        .find(|table| table.name == name)
        .expect("every field's table is listed, and a test holds it")
}

/// The path of a field, checked against [`FIELDS`] by a test.
pub(super) fn field(path: &str) -> Option<&'static Field> {
    let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
    FIELDS.iter().find(|field| field.table == table && field.key == key)
}

/// Largest MTU: the largest frame less Ethernet header and FCS.
pub const MAX_MTU: u64 = (ethernet::MAX_FRAME_OCTETS - ethernet::HEADER_OCTETS - ethernet::FCS_OCTETS) as u64;
/// Smallest MTU: what every IPv4 host must be able to take (RFC 791).
pub const MIN_MTU: u64 = 576;
/// Largest data array of a VDIF frame in octets, by the width of the register that holds it.
pub const MAX_DATA_OCTETS: u64 = 8 * nicforge_layout::registers::vdif_layout::DATA_WORDS.max() as u64;

macro_rules! fields {
    ($($table:literal $key:literal $kind:ident $form:expr, $default:literal $(or $gigabit:literal)?
       [$($register:literal),*] $doc:literal;)*) => {
        /// Every field, in the order of a written configuration.
        pub const FIELDS: &[Field] = &[$(Field {
            table: $table, key: $key, kind: Kind::$kind, form: $form, default: $default,
            gigabit_default: fields!(@ $($gigabit)?), registers: &[$($register),*], doc: $doc,
        }),*];
    };
    (@) => { None };
    (@ $gigabit:literal) => { Some($gigabit) };
}

fields! {
    "" "board" Choice Form::Board, r#""none""# []
        "The board that the gateware is for; \"none\" for an own design.";
    "" "top" Choice Form::Word(super::TOP_NAMES), r#""udp_core""# []
        "The design: \"udp_core\" (UDP both ways), \"ibob\" (sampler stream on 10 GbE) or \"stream_1g\" (the same on 1 GbE). Where a board is named, its own design is the default.";
    "" "clock" Choice Form::Clock, r#""default""# []
        "The clock of the board that the gateware runs from; \"default\" for the one that the board's file names.";

    "network" "mac" Register Form::Mac, r#""02:00:00:00:00:80""# ["mac_high", "mac_low"]
        "Own MAC address, a unicast address.";
    "network" "ip" Register Form::Ipv4, r#""192.168.1.128""# ["ip"]
        "Own IPv4 address.";
    "network" "netmask" Register Form::Ipv4, r#""255.255.255.0""# ["netmask"]
        "Mask of the own subnet, 1 to 30 leading ones.";
    "network" "mtu" Register Form::Integer(MIN_MTU, MAX_MTU), "9000" or "1500" ["rx_control", "udp_tx_limit"]
        "Largest IPv4 packet on the link in octets; longer frames are refused both ways.";

    "udp" "rx_port" Register Form::Integer(0, 65535), "10000" ["udp_rx"]
        "UDP port that is delivered; 0 delivers none.";

    "stream" "destination_mac" Register Form::Mac, r#""02:00:00:00:00:01""# ["udp_tx_mac_high", "udp_tx_mac_low"]
        "MAC address of the receiver, or of the router towards it.";
    "stream" "destination_ip" Register Form::Ipv4, r#""192.168.1.1""# ["udp_tx_ip"]
        "IPv4 address of the receiver; a group address needs the group's MAC address (RFC 1112).";
    "stream" "destination_port" Register Form::Integer(1, 65535), "50000" ["udp_tx_ports"]
        "UDP port of the receiver.";
    "stream" "source_port" Register Form::Integer(1, 65535), "10000" ["udp_tx_ports"]
        "UDP port that packets come from.";
    "stream" "ttl" Register Form::Integer(1, 255), "64" ["udp_tx_control"]
        "Time to live of packets sent, in routers passed.";
    "stream" "dscp" Register Form::Integer(0, 63), "0" ["udp_tx_control"]
        "Differentiated services code point of packets sent.";
    "stream" "checksum" Register Form::Boolean, "true" ["udp_tx_control"]
        "Whether the UDP checksum is computed; otherwise it is sent as 0, which means none.";

    "sampler" "enable" Register Form::Boolean, "false" or "true" ["sampler_control"]
        "Whether samples flow right after reset, without a register write.";
    "sampler" "source" Register Form::Word(super::SOURCE_NAMES), r#""tone""# ["sampler_control"]
        "What the samples are: \"counter\" (0, 1, 2 ... modulo 256) or \"tone\".";
    "sampler" "sample_rate" Register Form::Integer(1, super::MAX_SAMPLE_RATE), "1_000_000_000" or "100_000_000" ["sampler_pace", "vdif_rate"]
        "Samples a second, 8 bits each. A second must hold a whole number of VDIF frames.";
    "sampler" "pace" Register Form::Word(super::PACE_NAMES), r#""sample_rate""# ["sampler_pace"]
        "How fast samples are taken: \"sample_rate\", or \"link\" for as fast as the link takes them.";
    "sampler" "packets" Register Form::Integer(0, u32::MAX as u64), "0" ["sampler_packets"]
        "Packets after which the sampler stops; 0 for no limit.";

    "sampler.tone" "frequency" Register Form::Integer(0, super::MAX_SAMPLE_RATE / 2), "3_906_250" ["tone_step"]
        "Frequency in Hz, below half the sample rate.";
    "sampler.tone" "amplitude" Register Form::Integer(0, 127), "100" ["tone_amplitude"]
        "Peak value in steps of the 8-bit sample.";

    "vdif" "station" Register Form::Station, r#""Ib""# ["vdif_station"]
        "Station identifier.";
    "vdif" "thread" Register Form::Integer(0, 1023), "0" ["vdif_station"]
        "Thread identifier.";
    "vdif" "data_octets" Register Form::Integer(8, MAX_DATA_OCTETS), "8000" or "1280" ["vdif_layout", "vdif_rate"]
        "Octets of samples in a frame, a multiple of 8. With the headers a frame must fit the MTU.";
    "vdif" "epoch" Register Form::Integer(0, 63), "53" ["vdif_frame"]
        "Reference epoch in half years from January 2000.";
    "vdif" "seconds" Register Form::Integer(0, (1 << 30) - 1), "0" ["vdif_seconds"]
        "Seconds from the reference epoch to the first sample.";
    "vdif" "frame" Register Form::Integer(0, (1 << 24) - 1), "0" ["vdif_frame"]
        "Number of the first frame within its second.";
}
