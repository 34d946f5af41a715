//! What the parts of a board file must be together.

use std::ops::Range;

use super::board::{Board, Direction, PinGroup};
use super::board_file::{Reader, designs, direction_name};
use super::fields::one_of;
use super::pll::{GMII_CLOCK_HERTZ, Pll};
use super::standards::Family;
use super::{CORE_CLOCK_HERTZ, Top};

/// A port that the RGMII shell has, and the board's file must give pins for.
struct Wanted {
    port: &'static str,
    width: usize,
    direction: Direction,
    optional: bool,
}

const fn wanted(port: &'static str, width: usize, direction: Direction) -> Wanted {
    Wanted { port, width, direction, optional: false }
}

/// The ports of the RGMII shell apart from the clock and the LEDs.
const SHELL: &[Wanted] = &[
    wanted("rgmii_txc", 1, Direction::Out),
    wanted("rgmii_tx_ctl", 1, Direction::Out),
    wanted("rgmii_txd", 4, Direction::Out),
    wanted("rgmii_rxc", 1, Direction::In),
    wanted("rgmii_rx_ctl", 1, Direction::In),
    wanted("rgmii_rxd", 4, Direction::In),
    wanted("phy_rst_n", 1, Direction::Out),
    wanted("mdc", 1, Direction::Out),
    wanted("mdio", 1, Direction::Inout),
    Wanted { port: "rst_n", width: 1, direction: Direction::In, optional: true },
];

/// LEDs that a shell can have.
const LEDS: std::ops::RangeInclusive<usize> = 1..=8;

impl Board {
    /// Whether this clock can give the core clock of this design, through the shell's clock
    /// generator or as it is.
    pub fn serves(&self, clock: &super::Clock, top: Top) -> bool {
        match self.has_shell(top) {
            true => Pll::find(clock.hertz, self.core.hertz).is_some(),
            false => top == Top::Stream1g || clock.hertz == CORE_CLOCK_HERTZ,
        }
    }

    /// What a clock for this design must be, as it ends a sentence "wanted ...".
    pub(super) fn wanted_clock(&self, top: Top) -> String {
        match self.has_shell(top) {
            true => format!(
                "a clock that the clock generator makes {GMII_CLOCK_HERTZ} Hz and {} Hz from",
                self.core.hertz
            ),
            false => format!("a clock of {CORE_CLOCK_HERTZ} Hz for design {:?}", top.name()),
        }
    }

    /// The names of its clocks, as they end a sentence "wanted ...".
    pub(super) fn clock_names(&self) -> String {
        one_of(self.clocks.iter().map(|clock| clock.name.as_str()))
    }
}

/// Adds the faults of a board whose parts are sound.
pub(super) fn check(board: &Board, reader: &mut Reader) {
    let mut check = Check { board, reader };
    check.designs();
    check.clocks();
    check.groups();
    if board.tops.contains(&Top::Stream1g) {
        check.shell();
    }
}

struct Check<'a> {
    board: &'a Board,
    reader: &'a mut Reader,
}

impl Check<'_> {
    fn add(&mut self, at: &'static str, path: &str, wanted: impl Into<String>, found: impl Into<String>) {
        let span: Range<usize> = self.reader.spans.get(at).cloned().unwrap_or(0..0);
        self.reader.faults.add(Some(span), path, wanted, found);
    }

    fn designs(&mut self) {
        let board = self.board;
        let taken = Top::by_name(&board.name).is_some() && board.tops.iter().any(|top| board.has_shell(*top));
        if taken {
            self.add("name", "name", "a name that no design has", format!("{:?}", board.name));
        }
    }

    fn clocks(&mut self) {
        let board = self.board;
        if board.clocks.is_empty() {
            self.add("clock", "clock", "at least one table [[clock]]", "none");
            return;
        }
        let speed = self.reader.spans.contains_key("core.hertz");
        let Some(clock) = board.clock(&board.core.clock) else {
            self.add("core.clock", "core.clock", board.clock_names(), format!("{:?}", board.core.clock));
            return;
        };
        if let Some(top) = board.tops.iter().find(|top| !board.serves(clock, **top)) {
            let found = format!("{:?} of {} Hz", clock.name, clock.hertz);
            let at = if speed { "core.hertz" } else { "core.clock" };
            self.add(at, at, board.wanted_clock(*top), found);
        }
        if speed && !board.tops.contains(&Top::Stream1g) {
            let wanted = format!("no hertz: {} run at {CORE_CLOCK_HERTZ} Hz", designs(&board.tops));
            self.add("core.hertz", "core.hertz", wanted, board.core.hertz.to_string());
        }
    }

    /// Groups of the names that a shell's ports have must look like these.
    fn groups(&mut self) {
        let board = self.board;
        for wanted in SHELL {
            let Some(group) = board.port(wanted.port) else { continue };
            if !fits(group, wanted) {
                let text =
                    format!("{} with direction {:?}", width(wanted.width), direction_name(wanted.direction));
                let found = format!("{} pins, {:?}", group.pins.len(), direction_name(group.direction));
                self.add("tops", &format!("pins.{}", wanted.port), text, found);
            }
        }
    }

    fn shell(&mut self) {
        let board = self.board;
        let top = Top::Stream1g.name();
        if board.part.family != Family::Ecp5 {
            let wanted =
                format!("a part of family \"ecp5\" for design {top:?}, the only one with an RGMII shell");
            self.add("tops", "tops", wanted, format!("family {:?}", board.part.family.name()));
            return;
        }
        if board.rgmii.is_none() {
            self.add(
                "tops",
                "rgmii",
                format!("a table [rgmii] for design {top:?}"),
                "nothing: it is missing",
            );
        }
        for wanted in SHELL.iter().filter(|wanted| !wanted.optional && board.port(wanted.port).is_none()) {
            let path = format!("pins.{}", wanted.port);
            let text = format!("a table [{path}] with {} for design {top:?}", width(wanted.width));
            self.add("tops", &path, text, "nothing: it is missing");
        }
        if !LEDS.contains(&board.leds.len()) {
            let wanted = format!("{} to {} tables [[led]] for design {top:?}", LEDS.start(), LEDS.end());
            self.add("tops", "led", wanted, board.leds.len().to_string());
        }
    }
}

fn fits(group: &PinGroup, wanted: &Wanted) -> bool {
    group.pins.len() == wanted.width
        && group.direction == wanted.direction
        && group.vector == (wanted.width > 1)
}

/// `pin = "..."` or so many pins.
fn width(width: usize) -> String {
    match width {
        1 => "one pin = \"...\"".to_owned(),
        _ => format!("{width} pins = [...]"),
    }
}
