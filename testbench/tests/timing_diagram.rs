//! The timing diagrams show what the design does: each is played on the verilated design, clock by clock.

use nicforge_hdl::config::Config;
use nicforge_hdl::outputs::timing::{Lane, Panel, panels};
use nicforge_hdl::top;
use nicforge_sim::link::gmii::add_clocks;
use nicforge_sim::{Actor, Board, Clock, Pins};
use nicforge_testbench::bench::Design;

/// Clocks within which a stream must begin to send.
const LIMIT: usize = 20_000;

fn configuration(name: &str, more: &str) -> Config {
    Config::parse(&format!("top = \"{name}\"\n{more}"), "test.toml").unwrap()
}

fn board_of(config: &Config) -> Board {
    Design::of(config.top.name(), top::emit_core(config).unwrap()).unwrap().board().unwrap()
}

/// Drives the inputs of a panel and compares its outputs, from the first clock on.
struct Player<'a> {
    panel: &'a Panel,
    clock: usize,
}

impl Player<'_> {
    /// The clock that the picture shows now, if it is not one of those left out.
    fn shown(&self) -> Option<usize> {
        let Some(gap) = self.panel.gap else { return Some(self.clock) };
        match self.clock {
            clock if clock <= gap.behind => Some(clock),
            clock if clock <= gap.behind + gap.clocks => None,
            clock => Some(clock - gap.clocks),
        }
    }
    fn value(&self, lane: &Lane) -> Option<u64> {
        lane.values.get(self.shown()?).copied().flatten()
    }
}

impl Actor for Player<'_> {
    fn drive(&mut self, pins: &mut Pins) {
        for lane in &self.panel.lanes {
            if let Ok(input) = pins.model().input(lane.port) {
                pins.set(input, self.value(lane).unwrap_or(0));
            }
        }
    }
    fn sample(&mut self, pins: &Pins) {
        for lane in &self.panel.lanes {
            if let (Ok(output), Some(wanted)) = (pins.model().output(lane.port), self.value(lane)) {
                let found = pins.get(output);
                assert!(
                    found == wanted,
                    "{}, clock {}: {} is {found:#x}, drawn as {wanted:#x}",
                    self.panel.title,
                    self.clock,
                    lane.port
                );
            }
        }
        self.clock += 1;
    }
}

fn clocks_of(panel: &Panel) -> usize {
    panel.lanes[0].values.len() + panel.gap.map_or(0, |gap| gap.clocks)
}

/// Plays a panel whose inputs make its outputs move.
fn play(board: &mut Board, panel: &Panel) {
    // Nothing moves for a while, so that memories are cleared.
    for _ in 0..200 {
        board.step(&mut []);
    }
    let mut player = Player { panel, clock: 0 };
    for _ in 0..clocks_of(panel) {
        board.step(&mut [&mut player]);
    }
    assert!(player.clock == clocks_of(panel));
}

#[test]
fn a_packet_takes_the_clocks_that_the_diagram_shows() {
    let config = configuration("udp_core", "");
    let panels = panels(&config);
    assert!(panels[0].lanes.iter().any(|lane| lane.port == "xgmii_txd"));
    play(&mut board_of(&config), &panels[0]);
}

#[test]
fn a_register_read_takes_the_clocks_that_the_diagram_shows() {
    for name in ["udp_core", "ibob"] {
        let config = configuration(name, "");
        let panels = panels(&config);
        let panel = panels.last().unwrap();
        assert_eq!(panel.lanes[0].port, "s_axil_arvalid");
        play(&mut board_of(&config), panel);
    }
}

/// What two ports show from the first clock on in which the second is not idle.
struct Watch {
    clock: Clock,
    ports: [&'static str; 2],
    idle: u64,
    words: Vec<(u64, u64)>,
}

impl Actor for Watch {
    fn drive(&mut self, _: &mut Pins) {}
    fn sample(&mut self, pins: &Pins) {
        let [data, control] = self.ports.map(|name| pins.get(pins.model().output(name).unwrap()));
        if !self.words.is_empty() || control != self.idle {
            self.words.push((data, control));
        }
    }
    fn clock(&self) -> Clock {
        self.clock
    }
}

/// Lets a stream begin, and compares what two ports say with the first panel, behind its idle clock.
fn a_stream_begins_as_drawn(name: &str, clock: &str, ports: [&'static str; 2], idle: u64) {
    let config = configuration(name, "[sampler]\nenable = true\n");
    let panel = &panels(&config)[0];
    assert_eq!(panel.clock, clock);
    let [data, control] =
        ports.map(|port| &panel.lanes.iter().find(|lane| lane.port == port).unwrap().values[1..]);
    let wanted: Vec<(u64, u64)> =
        data.iter().zip(control).map(|(data, control)| (data.unwrap(), control.unwrap())).collect();
    let mut board = board_of(&config);
    add_clocks(&mut board, "gmii").unwrap();
    let clock = board.clock(clock).unwrap_or(Clock::CORE);
    let mut watch = Watch { clock, ports, idle, words: Vec::new() };
    for _ in 0..LIMIT {
        board.step(&mut [&mut watch]);
        if watch.words.len() >= wanted.len() {
            break;
        }
    }
    watch.words.truncate(wanted.len());
    assert_eq!(watch.words, wanted);
}

#[test]
fn a_stream_begins_with_the_words_that_the_diagram_shows() {
    a_stream_begins_as_drawn("ibob", "clk", ["xgmii_txd", "xgmii_txc"], 0xff);
}

#[test]
fn a_stream_on_1_gbe_begins_with_the_octets_that_the_diagram_shows() {
    a_stream_begins_as_drawn("stream_1g", "gmii_tx_clk", ["gmii_txd", "gmii_tx_en"], 0);
}
