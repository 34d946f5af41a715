//! LPF, the part of Lattice's language that nextpnr-ecp5 reads.

use super::{Constraints, SPARE, chapter, lines, quoted};
use crate::config::{Assignment, Pad, Pin, Pull, Slew};

pub(super) fn file(constraints: &Constraints) -> String {
    let mut text = constraints.head("# ");
    text += &chapter("# ", "Clocks");
    for clock in &constraints.clocks {
        text += &lines(&[format!("FREQUENCY PORT \"{}\" {} MHz;", clock.port, clock.megahertz())]);
        if let Some(source) = clock.source {
            text += &lines(&pad(&clock.port, &source.pin, &source.pad));
        }
    }
    text += &chapter("# ", "Pins");
    for pin in &constraints.pins {
        text += &lines(&pad(&name(pin), pin.pin, pin.pad));
    }
    if !constraints.spare_pins.is_empty() || !constraints.spare_clocks.is_empty() {
        text += &chapter("# ", SPARE);
    }
    for clock in &constraints.spare_clocks {
        text += &quoted("# ", &pad(&clock.name, &clock.pin, &clock.pad));
    }
    for pin in &constraints.spare_pins {
        text += &quoted("# ", &pad(&name(pin), pin.pin, pin.pad));
    }
    if !constraints.crossings.is_empty() {
        text += &chapter(
            "# ",
            "Passages between clocks: LPF has no words for them, and nextpnr does not time paths",
        );
        text +=
            "# from one clock to another. They are safe by their design: Gray code and two registers each.\n";
        for crossing in &constraints.crossings {
            text += &format!("#   {}\n", crossing.instance);
        }
    }
    text
}

fn name(pin: &Assignment) -> String {
    match pin.bit {
        Some(bit) => format!("{}[{bit}]", pin.port),
        None => pin.port.to_owned(),
    }
}

/// Place and behaviour of a port. Of a pair only the positive pin is named, the other one follows.
fn pad(port: &str, pin: &Pin, pad: &Pad) -> Vec<String> {
    let mut list = vec![format!("LOCATE COMP \"{port}\" SITE \"{}\";", pin.positive)];
    let Some(standard) = pad.io_standard() else { return list };
    let mut line = format!("IOBUF PORT \"{port}\" IO_TYPE={standard}");
    if let Some(slew) = pad.slew {
        line += match slew {
            Slew::Fast => " SLEWRATE=FAST",
            Slew::Slow => " SLEWRATE=SLOW",
        };
    }
    if let Some(drive) = pad.drive {
        line += &format!(" DRIVE={drive}");
    }
    if let Some(pull) = pad.pull {
        line += match pull {
            Pull::Up => " PULLMODE=UP",
            Pull::Down => " PULLMODE=DOWN",
            Pull::None => " PULLMODE=NONE",
        };
    }
    if pad.termination {
        line += " DIFFRESISTOR=100";
    }
    list.push(line + ";");
    list
}
