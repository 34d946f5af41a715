//! XDC, the language of Vivado.

use super::{Constraints, CrossingKind, SPARE, chapter, false_paths, lines, quoted};
use crate::config::{Assignment, Pad, Pin, Pull, Slew};

pub(super) fn file(constraints: &Constraints) -> String {
    let mut text = constraints.head("# ");
    text += &chapter("# ", "Clocks");
    for clock in &constraints.clocks {
        let (port, period) = (&clock.port, clock.period());
        text += &lines(&[format!("create_clock -name {port} -period {period} [get_ports {{{port}}}]")]);
        if let Some(source) = clock.source {
            text += &lines(&pads(port, None, &source.pin, &source.pad));
        }
    }
    if !constraints.pins.is_empty() {
        text += &chapter("# ", "Pins");
    }
    for pin in &constraints.pins {
        text += &lines(&assignment(pin));
    }
    text += &false_paths(constraints);
    text += &crossings(constraints);
    if !constraints.spare_pins.is_empty() || !constraints.spare_clocks.is_empty() {
        text += &chapter("# ", SPARE);
    }
    for clock in &constraints.spare_clocks {
        text += &quoted("# ", &pads(&clock.name, None, &clock.pin, &clock.pad));
    }
    for pin in &constraints.spare_pins {
        text += &quoted("# ", &assignment(pin));
    }
    text
}

/// Pointers of FIFOs may take one period and differ by less than one; single bits may take any time.
fn crossings(constraints: &Constraints) -> String {
    if constraints.crossings.is_empty() {
        return String::new();
    }
    let period = constraints.shortest_period();
    let mut text = chapter("# ", "Passages between clocks");
    for crossing in &constraints.crossings {
        let instance = &crossing.instance;
        let bits = |register: &str| format!("[get_cells {{{instance}/{register}_reg[*]}}]");
        match crossing.kind {
            CrossingKind::Fifo => {
                for (from, to) in CrossingKind::POINTERS {
                    let ends = format!("-from {} -to {}", bits(from), bits(to));
                    text += &format!("set_max_delay -datapath_only {ends} {period}\n");
                    text += &format!("set_bus_skew {ends} {period}\n");
                }
            }
            CrossingKind::Bit => {
                let arrival = CrossingKind::ARRIVAL;
                text += &format!("set_false_path -to [get_cells {{{instance}/{arrival}_reg*}}]\n");
            }
        }
    }
    text
}

fn assignment(pin: &Assignment) -> Vec<String> {
    pads(pin.port, pin.bit, pin.pin, pin.pad)
}

/// Place and behaviour of a port; the ports of a pair end in `_p` and `_n`.
fn pads(port: &str, bit: Option<usize>, pin: &Pin, pad: &Pad) -> Vec<String> {
    let index = bit.map_or_else(String::new, |bit| format!("[{bit}]"));
    let line = |end: &str, site: &str| {
        format!(
            "set_property -dict {{PACKAGE_PIN {site}{}}} [get_ports {{{port}{end}{index}}}]",
            behaviour(pad)
        )
    };
    match &pin.negative {
        Some(negative) => vec![line("_p", &pin.positive), line("_n", negative)],
        None => vec![line("", &pin.positive)],
    }
}

fn behaviour(pad: &Pad) -> String {
    let Some(standard) = pad.io_standard() else { return String::new() };
    let mut text = format!(" IOSTANDARD {standard}");
    if let Some(slew) = pad.slew {
        text += match slew {
            Slew::Fast => " SLEW FAST",
            Slew::Slow => " SLEW SLOW",
        };
    }
    if let Some(drive) = pad.drive {
        text += &format!(" DRIVE {drive}");
    }
    if let Some(pull) = pad.pull {
        text += match pull {
            Pull::Up => " PULLTYPE PULLUP",
            Pull::Down => " PULLTYPE PULLDOWN",
            Pull::None => " PULLTYPE NONE",
        };
    }
    if pad.termination {
        text += " DIFF_TERM TRUE";
    }
    text
}
