//! UCF, the language of ISE.

use super::{Constraints, CrossingKind, SPARE, chapter, lines, quoted};
use crate::config::{Assignment, Pad, Pin, Pull, Slew};

pub(super) fn file(constraints: &Constraints) -> String {
    let mut text = constraints.head("# ");
    text += &chapter("# ", "Clocks");
    for clock in &constraints.clocks {
        let (port, period) = (&clock.port, clock.period());
        text += &format!("NET \"{port}\" TNM_NET = \"{port}\" ;\n");
        text += &format!("TIMESPEC \"TS_{port}\" = PERIOD \"{port}\" {period} ns HIGH 50 % ;\n");
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

/// Pointers of FIFOs may take one period of the faster clock, single bits any time.
fn crossings(constraints: &Constraints) -> String {
    if constraints.crossings.is_empty() {
        return String::new();
    }
    let period = constraints.shortest_period();
    let mut text = chapter("# ", "Passages between clocks");
    for (n, crossing) in constraints.crossings.iter().enumerate() {
        let instance = &crossing.instance;
        match crossing.kind {
            CrossingKind::Fifo => {
                for (from, to) in CrossingKind::POINTERS {
                    let group = format!("cross_{n}_{from}");
                    // One or two digits: a star would take in registers with longer names.
                    for digits in ["?", "??"] {
                        text += &format!("INST \"{instance}/{from}_{digits}\" TNM = \"{group}_from\" ;\n");
                        text += &format!("INST \"{instance}/{to}_{digits}\" TNM = \"{group}_to\" ;\n");
                    }
                    text += &format!(
                        "TIMESPEC \"TS_{group}\" = FROM \"{group}_from\" TO \"{group}_to\" {period} ns DATAPATHONLY ;\n"
                    );
                }
            }
            CrossingKind::Bit => {
                let group = format!("cross_{n}");
                text += &format!("INST \"{instance}/{}*\" TNM = \"{group}\" ;\n", CrossingKind::ARRIVAL);
                text += &format!("TIMESPEC \"TS_{group}\" = TO \"{group}\" TIG ;\n");
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
    let index = bit.map_or_else(String::new, |bit| format!("<{bit}>"));
    let line =
        |end: &str, site: &str| format!("NET \"{port}{end}{index}\" LOC = \"{site}\"{} ;", behaviour(pad));
    match &pin.negative {
        Some(negative) => vec![line("_p", &pin.positive), line("_n", negative)],
        None => vec![line("", &pin.positive)],
    }
}

fn behaviour(pad: &Pad) -> String {
    let Some(standard) = pad.io_standard() else { return String::new() };
    let mut text = format!(" | IOSTANDARD = {standard}");
    if let Some(slew) = pad.slew {
        text += match slew {
            Slew::Fast => " | SLEW = FAST",
            Slew::Slow => " | SLEW = SLOW",
        };
    }
    if let Some(drive) = pad.drive {
        text += &format!(" | DRIVE = {drive}");
    }
    if let Some(pull) = pad.pull {
        text += match pull {
            Pull::Up => " | PULLUP",
            Pull::Down => " | PULLDOWN",
            Pull::None => "",
        };
    }
    text
}
