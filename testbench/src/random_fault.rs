//! Faulty configurations: a random valid one with one fault planted in it, and the place where the
//! fault has to be reported.
//!
//! The table of kinds holds every way to be wrong that `check` knows of a field or of two together.
//! Seeds in a row go through all kinds.
use crate::random_config;
use fastrand::Rng;

/// A configuration with one fault.
#[derive(Debug)]
pub struct Planted {
    /// The kind of fault.
    pub kind: &'static str,
    /// The configuration.
    pub text: String,
    /// Line, from 1, at which the fault has to be reported.
    pub line: usize,
    /// The field that has to be named.
    pub field: &'static str,
    /// Whether the schema of configurations has to refuse it as well: it does not compare fields.
    pub breaks_schema: bool,
}

/// How a fault gets into a configuration; the line where it is to be reported.
enum Plant {
    /// The field gets one of these values, as TOML.
    Set(&'static [&'static str]),
    /// This is done.
    By(fn(&mut Lines) -> usize),
}

struct Kind {
    name: &'static str,
    /// The field that the fault is reported at.
    field: &'static str,
    plant: Plant,
    /// What the configuration must be like before, so that the fault is the only one.
    fits: fn(&Lines) -> bool,
    breaks_schema: bool,
}

/// A configuration line by line.
struct Lines(Vec<String>);

impl Lines {
    /// Index of the line with this field.
    fn find(&self, path: &str) -> Option<usize> {
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        let header = format!("[{table}]");
        let start = if table.is_empty() { 0 } else { self.0.iter().position(|line| *line == header)? + 1 };
        let inside = self.0[start..].iter().take_while(|line| !line.starts_with('['));
        let key = format!("{key} = ");
        inside.enumerate().find(|(_, line)| line.starts_with(&key)).map(|(at, _)| start + at)
    }
    fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }
    /// The value of a field as TOML; empty where it is missing.
    fn value(&self, path: &str) -> &str {
        self.find(path).and_then(|at| self.0[at].split_once(" = ")).map_or("", |(_, value)| value)
    }
    fn number(&self, path: &str) -> u64 {
        self.value(path).parse().unwrap_or_else(|_| panic!("{path} is no number in {:?}", self.0))
    }
    /// Gives a field another value; its line from 1.
    fn set(&mut self, path: &str, value: &str) -> usize {
        let at = self.find(path).unwrap_or_else(|| panic!("no {path} in {:?}", self.0));
        let key = path.rsplit('.').next().unwrap_or(path);
        self.0[at] = format!("{key} = {value}");
        at + 1
    }
    /// Puts a line below the first, which is a comment; its line from 1.
    fn insert(&mut self, line: &str) -> usize {
        self.0.insert(1, line.to_owned());
        2
    }
    /// Puts lines at the end; the line of the last.
    fn append(&mut self, lines: &[&str]) -> usize {
        self.0.extend(lines.iter().map(|line| (*line).to_owned()));
        self.0.len()
    }
}

fn any(_: &Lines) -> bool {
    true
}

fn has_sampler(lines: &Lines) -> bool {
    lines.has("sampler.source")
}

fn has_no_sampler(lines: &Lines) -> bool {
    !has_sampler(lines)
}

fn has_no_board(lines: &Lines) -> bool {
    !lines.has("board")
}

/// Sends to one host, so that address and MAC address do not depend on each other.
fn sends_to_a_host(lines: &Lines) -> bool {
    let mac = lines.value("stream.destination_mac");
    !mac.starts_with("\"01:00:5e") && !mac.starts_with("\"ff:ff")
}

/// A rate one above divides into no frames, and only the link sets the pace.
fn rate_can_grow(lines: &Lines) -> bool {
    has_sampler(lines)
        && lines.value("sampler.pace") == "\"link\""
        && lines.number("sampler.sample_rate") < 400_000_000
}

/// Frames so long that the smallest MTU is too small.
fn has_long_frames(lines: &Lines) -> bool {
    has_sampler(lines) && lines.number("vdif.data_octets") > 576
}

/// Frames that fill the link at their rate more than once.
fn is_too_fast_for_the_link(lines: &Lines) -> bool {
    let gigabit = !lines.value("top").contains("ibob") && !lines.value("board").contains("ibob");
    let link = if gigabit { 1_000_000_000 } else { 10_000_000_000 };
    has_sampler(lines) && lines.number("sampler.sample_rate") * 8 > link
}

fn runs_from_the_user_clock(lines: &Lines) -> bool {
    lines.value("clock") == "\"user_156\""
}

const fn set(name: &'static str, field: &'static str, values: &'static [&'static str]) -> Kind {
    Kind { name, field, plant: Plant::Set(values), fits: any, breaks_schema: true }
}

const fn sampler(name: &'static str, field: &'static str, values: &'static [&'static str]) -> Kind {
    Kind { name, field, plant: Plant::Set(values), fits: has_sampler, breaks_schema: true }
}

/// A fault that only shows between fields.
const fn between(
    name: &'static str,
    field: &'static str,
    fits: fn(&Lines) -> bool,
    plant: fn(&mut Lines) -> usize,
) -> Kind {
    Kind { name, field, plant: Plant::By(plant), fits, breaks_schema: false }
}

const fn breaking(kind: Kind) -> Kind {
    Kind { breaks_schema: true, ..kind }
}

const fn checked_alone(kind: Kind) -> Kind {
    Kind { breaks_schema: false, ..kind }
}

/// Every kind of fault.
const KINDS: &[Kind] = &[
    breaking(between("unknown board", "board", has_no_board, |lines| {
        lines.insert("board = \"no_such_board\"")
    })),
    breaking(between("unknown design", "top", has_no_sampler, |lines| {
        lines.0.retain(|line| {
            !line.starts_with("board") && !line.starts_with("clock") && !line.starts_with("top")
        });
        lines.insert("top = \"udp_cores\"")
    })),
    breaking(between("design of another board", "top", runs_from_the_user_clock, |lines| {
        lines.0.retain(|line| !line.starts_with("clock"));
        let udp = lines.find("udp.rx_port").expect("this design has the field");
        lines.0.drain(udp - 1..=udp);
        lines.set("network.mtu", "9000");
        lines.insert("top = \"ibob\"")
    })),
    breaking(between("clock that the board has not", "clock", runs_from_the_user_clock, |lines| {
        lines.set("clock", "\"user_157\"")
    })),
    between("clock of another frequency", "clock", runs_from_the_user_clock, |lines| {
        lines.set("clock", "\"clk_200\"")
    }),
    breaking(between("clock without a board", "clock", has_no_board, |lines| {
        lines.insert("clock = \"clk_100\"")
    })),
    breaking(between("unknown key", "network.colour", any, |lines| {
        let at = lines.find("network.mac").expect("every configuration has the field");
        lines.0.insert(at, "colour = \"red\"".to_owned());
        at + 1
    })),
    breaking(between("unknown table", "colours", any, |lines| lines.append(&["[colours]"]))),
    breaking(between("sampler in a design without", "vdif.thread", has_no_sampler, |lines| {
        lines.append(&["[vdif]", "thread = 3"])
    })),
    breaking(between("port in a design without", "udp.rx_port", has_sampler, |lines| {
        lines.append(&["[udp]", "rx_port = 7"])
    })),
    checked_alone(set(
        "own MAC address of a group",
        "network.mac",
        &["\"01:00:5e:00:00:01\"", "\"03:00:00:00:00:80\""],
    )),
    checked_alone(set("own MAC address of nobody", "network.mac", &["\"00:00:00:00:00:00\""])),
    set("MAC address of another form", "network.mac", &["\"2:0:0:0:0:80\"", "\"02-00-00-00-00-80\"", "3"]),
    checked_alone(set(
        "own address that no host has",
        "network.ip",
        &["\"127.0.0.1\"", "\"0.1.2.3\"", "\"239.0.0.1\""],
    )),
    set("address of another form", "network.ip", &["\"192.168.1.300\"", "\"192.168.1\"", "true"]),
    between("own address of the whole subnet", "network.ip", any, |lines| {
        lines.set("network.netmask", "\"255.255.255.0\"");
        lines.set("network.ip", "\"10.1.2.255\"")
    }),
    checked_alone(set(
        "mask with holes",
        "network.netmask",
        &["\"255.0.255.0\"", "\"0.0.0.0\"", "\"255.255.255.255\""],
    )),
    set("MTU out of range", "network.mtu", &["575", "16_367", "-1", "9000.5"]),
    Kind {
        fits: sends_to_a_host,
        ..checked_alone(set(
            "destination that is none",
            "stream.destination_ip",
            &["\"0.0.0.0\"", "\"127.1.1.1\""],
        ))
    },
    between("destination of oneself", "stream.destination_ip", sends_to_a_host, |lines| {
        let own = lines.value("network.ip").to_owned();
        lines.set("stream.destination_ip", &own)
    }),
    between("MAC address of oneself", "stream.destination_mac", sends_to_a_host, |lines| {
        let own = lines.value("network.mac").to_owned();
        lines.set("stream.destination_mac", &own)
    }),
    between("group without its MAC address", "stream.destination_mac", sends_to_a_host, |lines| {
        lines.set("stream.destination_ip", "\"239.1.2.3\"");
        lines.find("stream.destination_mac").map_or(0, |at| at + 1)
    }),
    set("port out of range", "stream.destination_port", &["0", "65_536", "\"http\""]),
    set("source port out of range", "stream.source_port", &["0", "65_536"]),
    set("time to live out of range", "stream.ttl", &["0", "256"]),
    set("code point out of range", "stream.dscp", &["64"]),
    set("number for a truth value", "stream.checksum", &["1", "\"yes\"", "[]"]),
    sampler("source that is none", "sampler.source", &["\"noise\"", "0"]),
    sampler("pace that is none", "sampler.pace", &["\"slow\""]),
    sampler("rate out of range", "sampler.sample_rate", &["0", "1_250_000_001", "\"fast\""]),
    between("rate without whole frames", "vdif.data_octets", rate_can_grow, |lines| {
        let rate = lines.number("sampler.sample_rate") + 1;
        lines.set("sampler.sample_rate", &rate.to_string());
        lines.find("vdif.data_octets").map_or(0, |at| at + 1)
    }),
    between("rate that the link cannot carry", "sampler.sample_rate", is_too_fast_for_the_link, |lines| {
        lines.set("sampler.pace", "\"sample_rate\"");
        lines.find("sampler.sample_rate").map_or(0, |at| at + 1)
    }),
    sampler("too many packets", "sampler.packets", &["4_294_967_296"]),
    between("tone above half the rate", "sampler.tone.frequency", has_sampler, |lines| {
        let rate = lines.number("sampler.sample_rate");
        lines.set("sampler.tone.frequency", &rate.to_string())
    }),
    sampler("amplitude out of range", "sampler.tone.amplitude", &["128", "-1"]),
    sampler("station of another form", "vdif.station", &["\"I\"", "\"!b\"", "\"Ibo\"", "12"]),
    sampler("thread out of range", "vdif.thread", &["1024"]),
    sampler("frame length out of range", "vdif.data_octets", &["0", "32_768"]),
    between("frames above the MTU", "vdif.data_octets", has_long_frames, |lines| {
        lines.set("network.mtu", "576");
        lines.find("vdif.data_octets").map_or(0, |at| at + 1)
    }),
    between("frame number behind its second", "vdif.frame", has_sampler, |lines| {
        let frames = lines.number("sampler.sample_rate") / lines.number("vdif.data_octets");
        lines.set("vdif.frame", &frames.to_string())
    }),
];

/// How many kinds of fault there are.
pub const fn kinds() -> usize {
    KINDS.len()
}

/// A configuration with one fault; seeds in a row have all kinds.
///
/// # Panics
/// If no valid configuration suits the kind: a fault of the table.
pub fn faulty(seed: u64) -> Planted {
    let kind = &KINDS[seed as usize % KINDS.len()];
    let mut random = Rng::with_seed(seed);
    let mut lines = (0..1000)
        .map(|_| Lines(random_config::valid(random.u64(..)).lines().map(str::to_owned).collect()))
        .find(|lines| (kind.fits)(lines))
        .unwrap_or_else(|| panic!("seed {seed}: no configuration for {:?}", kind.name));
    let line = match kind.plant {
        Plant::Set(values) => lines.set(kind.field, values[random.usize(..values.len())]),
        Plant::By(plant) => plant(&mut lines),
    };
    let text = lines.0.join("\n") + "\n";
    Planted { kind: kind.name, text, line, field: kind.field, breaks_schema: kind.breaks_schema }
}
