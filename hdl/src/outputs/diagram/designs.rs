//! Which blocks a design has, and where they stand.

use super::scene::{Beside, Column, HEIGHT, PITCH, Place, Scene};
use super::texts::{self, Labels};
use crate::config::{Config, Pace, Source, Top};
use crate::outputs::hierarchy::module_at;
use crate::outputs::is_whole;
use crate::outputs::rates::{self, si};
use crate::verilog::Emitted;
use nicforge_layout::counters::PLACES;
use nicforge_layout::registers::{self as map, Group, MAP};
use nicforge_layout::wire::{ethernet, udp};

/// Upper edge of the row of ports.
const PORTS: f64 = 74.0;
/// From a row of ports to the blocks below it.
const BELOW_PORTS: f64 = 84.0;

/// A diagram with its texts.
pub(super) struct Drawing {
    /// Heading.
    pub(super) title: String,
    /// Line below it.
    pub(super) subtitle: String,
    /// The picture between heading and foot.
    pub(super) scene: Scene,
    /// Lower edge of the picture.
    pub(super) bottom: f64,
    /// Three columns of text, each with a heading.
    pub(super) foot: [Vec<String>; 3],
}

impl Drawing {
    /// The diagram of a configuration and what was printed from it.
    pub(super) fn new(config: &Config, design: &Emitted) -> Self {
        let network = if config.top == Top::Stream1g { "core" } else { "core/network" };
        let rates = Labels::new(config);
        let mut layout = Layout { config, design, network, scene: Scene::default(), rates };
        let bottom = match config.top {
            Top::UdpCore | Top::Ibob => layout.xgmii(),
            Top::Stream1g => layout.gmii(),
        };
        let scene = layout.scene;
        let part = config.board.as_ref().map_or("for an own design", |board| board.title.as_str());
        Self {
            title: format!("{}: what this configuration contains", design.top),
            subtitle: format!("{part}, configuration {}", config.digest_hex().get(..16).unwrap_or_default()),
            scene,
            bottom,
            foot: texts::foot(config),
        }
    }
}

/// Places the blocks of one configuration.
struct Layout<'a> {
    config: &'a Config,
    design: &'a Emitted,
    /// Path of the network core within the design.
    network: &'static str,
    scene: Scene,
    rates: Labels,
}

/// Where the network core meets what is around it.
struct Core {
    filter: Place,
    chosen: Place,
    receive: Place,
    buffer: Place,
}

impl Layout<'_> {
    /// A block by its place, its title and the path of its instance within the design.
    fn tile(&mut self, place: (Column, f64), (title, path): (&'static str, &str), facts: &[String]) -> Place {
        let module = module_at(self.design, self.config.top.name(), path).unwrap_or_default();
        self.scene.tile(place, (title, module), facts)
    }

    /// A block of the network core.
    fn of_network(
        &mut self,
        place: (Column, f64),
        title: &'static str,
        name: &str,
        facts: [String; 2],
    ) -> Place {
        let path = format!("{}/{name}", self.network);
        self.tile(place, (title, &path), &facts)
    }

    fn link_rate(&self) -> String {
        si(self.config.link_bits_a_second() as f64, "bit/s")
    }

    fn core_clock(&self) -> String {
        format!("core clock {}", si(self.config.core_clock_hertz() as f64, "Hz"))
    }

    /// Octets of the longest frame.
    fn max_frame(&self) -> u32 {
        self.config.network.mtu + (ethernet::HEADER_OCTETS + ethernet::FCS_OCTETS) as u32
    }

    /// A design that ends at XGMII; gives the lower edge.
    fn xgmii(&mut self) -> f64 {
        let macs = PORTS + BELOW_PORTS;
        let network = macs + PITCH;
        let samples = self.config.top.has_sampler();
        let end = network + 4.0 * PITCH;
        let name = (Beside::Inside, format!("{}, all blocks", self.core_clock()));
        self.scene.area("core", (Column::Receive, Column::Control), (macs - 34.0, end), name);

        let rate = self.link_rate();
        let port = |names: &str| [names.to_owned(), format!("64 + 8 bits, {rate}")];
        let from_wire = self.scene.pins((Column::Receive, PORTS), port("xgmii_rxd, xgmii_rxc"));
        let to_wire = self.scene.pins((Column::Transmit, PORTS), port("xgmii_txd, xgmii_txc"));
        let facts =
            ["checks FCS, lengths, codes".to_owned(), format!("frames to {} octets", self.max_frame())];
        let rx = self.tile((Column::Receive, macs), ("MAC, receiving half", "core/mac_rx"), &facts);
        let facts = ["preamble, padding, FCS, gap".to_owned(), "gap of 12 octets on average".to_owned()];
        let tx = self.tile((Column::Transmit, macs), ("MAC, sending half", "core/mac_tx"), &facts);
        let core = self.network(network);
        self.scene.vertical(from_wire, rx, "");
        self.scene.vertical(rx, core.filter, &self.rates.word);
        self.scene.vertical(core.chosen, tx, &self.rates.word);
        self.scene.vertical(tx, to_wire, if samples { &self.rates.wire } else { "" });
        self.control(PORTS, macs);
        if samples {
            self.sampler(network + 3.0 * PITCH, core.buffer);
            return end;
        }
        self.ports_for_datagrams(network + 2.0 * PITCH, end + 30.0, &core);
        end + 70.0
    }

    /// A design that ends at GMII, or at the RGMII pins of its board; gives the lower edge.
    fn gmii(&mut self) -> f64 {
        let line = PORTS + BELOW_PORTS;
        let fifos = line + PITCH;
        let border = fifos + HEIGHT / 2.0;
        let macs = fifos + PITCH;
        let network = macs + PITCH;
        let end = network + 4.0 * PITCH;
        let clock = |name: &str| format!("{name}, {}", self.port_clock());
        let (rx_clock, tx_clock) = (clock("gmii_rx_clk"), clock("gmii_tx_clk"));
        let core = (Beside::Inside, format!("{}, all other blocks", self.core_clock()));
        self.scene.area("core", (Column::Receive, Column::Control), (border, end), core);
        let only = |column| (column, column);
        let ends = (line - 34.0, border);
        self.scene.area("port-in", only(Column::Receive), ends, (Beside::Right, rx_clock));
        self.scene.area("port-out", only(Column::Transmit), ends, (Beside::Left, tx_clock));

        let [receiving, sending] = self.port_names();
        let from_wire = self.scene.pins((Column::Receive, PORTS), receiving);
        let to_wire = self.scene.pins((Column::Transmit, PORTS), sending);
        let octets = self.tile(
            (Column::Receive, line),
            ("Octets to words", "receiver/octets"),
            &["finds frames, checks FCS".to_owned()],
        );
        let send = self.tile(
            (Column::Transmit, line),
            ("Words to octets", "transmitter/send"),
            &["preamble, padding, FCS, gap".to_owned()],
        );
        let crossing = ["two clocks, Gray pointers".to_owned(), "16 words".to_owned()];
        let received = self.tile((Column::Receive, fifos), ("Asynchronous FIFO", "receiver/fifo"), &crossing);
        let words =
            self.tile((Column::Transmit, fifos), ("Asynchronous FIFO", "transmitter/words"), &crossing);
        let facts = ["one verdict a frame".to_owned(), format!("frames to {} octets", self.max_frame())];
        let rx = self.tile((Column::Receive, macs), ("MAC, receiving half", "receiver"), &facts);
        let tx = self.tile(
            (Column::Transmit, macs),
            ("MAC, sending half", "transmitter"),
            &["frames over, events back".to_owned()],
        );
        let core = self.network(network);
        self.scene.vertical(from_wire, octets, "");
        self.scene.vertical(octets, received, "64 bits");
        self.scene.vertical(received, rx, "64 bits");
        self.scene.vertical(rx, core.filter, &self.rates.word);
        self.scene.vertical(core.chosen, tx, &self.rates.word);
        self.scene.vertical(tx, words, "64 bits");
        self.scene.vertical(words, send, "64 bits");
        self.scene.vertical(send, to_wire, "");
        self.scene.note((Column::Control, PORTS + 24.0), &self.rates.wire);
        self.clocks(line + 20.0, macs);
        self.control(border - 52.0, macs);
        self.sampler(network + 3.0 * PITCH, core.buffer);
        self.lamps(network + 3.0 * PITCH, end + 30.0);
        end + 70.0
    }

    /// Whether the board's shell is around the design.
    fn is_whole(&self) -> bool {
        self.config.board.as_ref().is_some_and(|board| is_whole(self.config, board, self.design))
    }

    /// What tells whether the receive clock runs, at `y`; above it what makes the other clocks, in a shell.
    fn clocks(&mut self, above: f64, y: f64) {
        let facts = ["there is a link while".to_owned(), "gmii_rx_clk runs".to_owned()];
        self.tile((Column::Answers, y), ("Clock watch", "watch"), &facts);
        let Some(source) = self.config.clock().filter(|_| self.is_whole()) else { return };
        let core = si(self.config.core_clock_hertz() as f64, "Hz");
        let facts = [
            format!("{} of the board", si(source.hertz as f64, "Hz")),
            format!("to {core} and {}", self.port_clock()),
        ];
        let module = module_at(self.design, &self.design.top, "clocks").unwrap_or_default();
        self.scene.tile((Column::Answers, above), ("Clock generator", module), &facts);
    }

    fn port_clock(&self) -> String {
        si(self.config.link_bits_a_second() as f64 / 8.0, "Hz")
    }

    /// Ports towards the wire, receiving and sending.
    fn port_names(&self) -> [[String; 2]; 2] {
        let rate = self.link_rate();
        let pins = self.is_whole();
        let port = |names: &str, bits: &str| [names.to_owned(), format!("{bits}, {rate}")];
        if pins {
            let bits = "RGMII, 4 bits twice a clock";
            [
                ["rgmii_rxd, rgmii_rx_ctl".to_owned(), bits.to_owned()],
                ["rgmii_txd, rgmii_tx_ctl".to_owned(), bits.to_owned()],
            ]
        } else {
            [port("gmii_rxd, gmii_rx_dv", "8 bits"), port("gmii_txd, gmii_tx_en", "8 bits")]
        }
    }

    /// What every design has between its MACs and its payloads.
    fn network(&mut self, y: f64) -> Core {
        let network = &self.config.network;
        let to = &self.config.stream;
        let prefix = u32::from(network.netmask).count_ones();
        let row = |n: u8| y + f64::from(n) * PITCH;
        let port = match (self.config.top, self.config.udp.rx_port) {
            (Top::UdpCore, port) if port != 0 => format!("delivers UDP port {port}"),
            _ => "delivers no UDP port".to_owned(),
        };
        let limit = network.mtu - (udp::ALL_HEADERS_OCTETS - ethernet::HEADER_OCTETS) as u32;
        let text = |text: &str| text.to_owned();
        let filter = self.of_network(
            (Column::Receive, row(0)),
            "Address filter",
            "filter",
            [text("broadcast and own address"), network.mac.to_string()],
        );
        let receive = self.of_network(
            (Column::Receive, row(1)),
            "ARP, IPv4, ICMP, UDP",
            "receive",
            [format!("{}/{prefix}", network.ip), port],
        );
        let echo = self.of_network(
            (Column::Answers, row(0)),
            "Echo reply",
            "echo",
            [text("answers ping"), text("frames to 2048 octets")],
        );
        let arp = self.of_network(
            (Column::Answers, row(1)),
            "ARP reply",
            "arp",
            [text("answers for"), network.ip.to_string()],
        );
        let chosen = self.of_network(
            (Column::Transmit, row(0)),
            "Register slice",
            "chosen",
            [text("two words,"), text("no path through it")],
        );
        let arbiter = self.of_network(
            (Column::Transmit, row(1)),
            "Arbiter",
            "arbiter",
            [text("one frame at a time,"), text("round robin of 3")],
        );
        let transmit = self.of_network(
            (Column::Transmit, row(2)),
            "UDP transmit",
            "transmit",
            [format!("to {}:{}", to.destination_ip, to.destination_port), to.destination_mac.to_string()],
        );
        let buffer = self.of_network(
            (Column::Transmit, row(3)),
            "Packet buffer",
            "buffer",
            [text("16 KiB; length and sum"), format!("payloads to {limit} octets")],
        );
        self.scene.vertical(filter, receive, &self.rates.word);
        self.scene.across((filter, 0.5), (echo, 0.5));
        self.scene.across((receive, 0.6), (arp, 0.6));
        self.scene.across((echo, 0.5), (arbiter, 0.3));
        self.scene.across((arp, 0.6), (arbiter, 0.6));
        self.scene.vertical(arbiter, chosen, &self.rates.word);
        self.scene.vertical(transmit, arbiter, &self.rates.word);
        self.scene.vertical(buffer, transmit, &self.rates.payload);
        Core { filter, chosen, receive, buffer }
    }

    /// Bus and registers: the port at `ports`, the bus master at `y`, the slaves below.
    fn control(&mut self, ports: f64, y: f64) {
        let row = |n: u8| y + f64::from(n) * PITCH;
        let what = if self.is_whole() { "not connected" } else { "AXI4-Lite, 32 bits" };
        let pins = ["s_axil_*".to_owned(), what.to_owned()];
        let host = self.scene.pins((Column::Control, ports), pins);
        let bridge = self.of_network(
            (Column::Control, row(0)),
            "AXI4-Lite slave",
            "bridge",
            ["answers after 5 clocks".to_owned(), format!("{} byte addresses", map::SPACE)],
        );
        let core =
            self.of_network((Column::Control, row(1)), "Core registers", "registers", window(Group::Core));
        let last = map::COUNTER_WINDOW + 8 * PLACES as u32 - 4;
        let statistics = self.of_network(
            (Column::Control, row(2)),
            "Statistics",
            "statistics",
            ["64-bit counters".to_owned(), format!("{:#05x} to {last:#05x}", map::COUNTER_WINDOW)],
        );
        let mut slaves = vec![core, statistics];
        if self.config.top.has_sampler() {
            let facts = window(Group::Sampler);
            let path = ("Sampler registers", "sampler/registers");
            slaves.push(self.tile((Column::Control, row(3)), path, &facts));
        }
        self.scene.vertical(host, bridge, "");
        self.scene.bus(bridge, &slaves);
        self.scene.note((Column::Control, row(1) - 14.0), "register bus");
    }

    /// The test source and its framer, in front of the packet buffer.
    fn sampler(&mut self, y: f64, buffer: Place) {
        let sampler = &self.config.sampler;
        let rate = match sampler.pace {
            Pace::SampleRate => si(sampler.sample_rate as f64, "samples/s"),
            Pace::Link => "as fast as the link".to_owned(),
        };
        let what = match sampler.source {
            Source::Counter => "counter, 8 bits".to_owned(),
            Source::Tone => format!("tone {}, 8 bits", si(sampler.tone.frequency as f64, "Hz")),
        };
        let source = self.tile((Column::Receive, y), ("Test source", "sampler/test_source"), &[what, rate]);
        let packets = rates::stream(self.config).packets;
        let facts =
            [format!("{} octets of samples", self.config.vdif.data_octets), format!("{packets:.0} frames/s")];
        let framer = self.tile((Column::Answers, y), ("VDIF framer", "sampler/framer"), &facts);
        self.scene.across((source, 0.5), (framer, 0.5));
        self.scene.across((framer, 0.5), (buffer, 0.5));
        self.scene.note((Column::Receive, y - 10.0), &self.rates.samples);
        self.scene.note((Column::Answers, y - 10.0), &self.rates.payload);
    }

    /// What a card shows without being asked.
    fn lamps(&mut self, y: f64, ports: f64) {
        let facts = ["0 core clock, 1 link,".to_owned(), "2 activity, 3 stream".to_owned()];
        let lamps = self.tile((Column::Control, y), ("Lamps", "lamps"), &facts);
        let board = self.config.board.as_ref().filter(|_| self.is_whole());
        let pins = match board {
            Some(board) => ["led".to_owned(), format!("{} lamps", board.leds.len())],
            None => ["status".to_owned(), "4 bits".to_owned()],
        };
        let status = self.scene.pins((Column::Control, ports), pins);
        self.scene.vertical(lamps, status, "");
    }

    /// AXI4-Streams of datagrams both ways, below the blocks; the buffer of those received at `y`.
    fn ports_for_datagrams(&mut self, y: f64, ports: f64, core: &Core) {
        let facts = ["16 KiB".to_owned(), "whole datagrams or nothing".to_owned()];
        let received = self.tile((Column::Receive, y), ("Whole-frame FIFO", "received"), &facts);
        let pins = |name: &str| [name.to_owned(), "AXI4-Stream, 64 bits".to_owned()];
        let out = self.scene.pins((Column::Receive, ports), pins("m_axis_udp_*"));
        let to_send = self.scene.pins((Column::Transmit, ports), pins("s_axis_udp_*"));
        self.scene.vertical(core.receive, received, &self.rates.word);
        self.scene.vertical(received, out, "");
        self.scene.vertical(to_send, core.buffer, "");
    }
}

/// How many registers a group has, and from where to where.
fn window(group: Group) -> [String; 2] {
    let mut offsets = MAP.iter().filter(|register| register.group == group).map(|register| register.offset);
    let count = offsets.clone().count();
    let first = offsets.next().expect("each group has registers");
    let last = offsets.next_back().unwrap_or(first);
    [format!("{count} registers"), format!("{first:#05x} to {last:#05x}")]
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::faults;
    use super::*;
    use crate::top;

    /// Texts with which widths and numbers are as long as they get.
    fn configurations() -> Vec<Config> {
        let long = "[network]\nip = \"100.100.100.102\"\nnetmask = \"255.255.255.252\"\n\
                    [stream]\ndestination_ip = \"100.100.100.101\"\ndestination_port = 65000\n";
        ["top = \"udp_core\"", "top = \"ibob\"", "top = \"stream_1g\"", "board = \"ecpix5\""]
            .into_iter()
            .map(|first| Config::parse(&format!("{first}\n{long}"), "test").unwrap())
            .collect()
    }

    #[test]
    fn nothing_lies_on_anything_else_and_every_text_fits_its_block() {
        for config in configurations() {
            let drawing = Drawing::new(&config, &top::emit(&config).unwrap());
            assert_eq!(faults(&drawing.scene), Vec::<String>::new(), "{}", config.top.name());
        }
    }

    #[test]
    fn every_block_drawn_is_a_module_of_the_design() {
        for config in configurations() {
            let drawing = Drawing::new(&config, &top::emit(&config).unwrap());
            let unnamed: Vec<&str> = drawing.scene.unnamed().collect();
            assert!(unnamed.is_empty(), "{}: no such instance: {unnamed:?}", config.top.name());
        }
    }
}
