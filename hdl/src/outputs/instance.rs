//! A template for an instance of the design in somebody's own module: a wire for each port, the
//! instance, and what each port is for.

use crate::config::Config;
use crate::verilog::{Direction, Emitted, Port};

/// The port of a shell that takes the board's clock.
const CLOCK_PORT: &str = "clk_in";

/// Verilog to be copied, or included, into a module. Wires are named as the ports.
pub(super) fn template(config: &Config, design: &Emitted, header: &str) -> String {
    let top = &design.top;
    let widest = design.ports.iter().map(|port| port.name.len()).max().unwrap_or(0);
    let mut text = super::commented("// ", header);
    text +=
        &format!("//\n// An instance of {top}: copy it into a module of your own, or include it there.\n");
    let mut group = String::new();
    let mut instance = String::new();
    for (number, port) in design.ports.iter().enumerate() {
        let heading = heading(config, &port.name);
        if heading != group {
            text += &format!("\n// {heading}\n");
            instance += &format!("    // {heading}\n");
            group = heading;
        }
        let width = match port.width {
            1 => String::new(),
            width => format!("[{}:0]", width - 1),
        };
        let wire = format!("wire {width:>7} {};", port.name);
        let way = direction(port.direction);
        let column = widest + 14;
        let line = format!("{wire:<column$} // {way}: {}", meaning(config, port));
        text += line.trim_end_matches([':', ' ']);
        text.push('\n');
        let comma = if number + 1 < design.ports.len() { "," } else { "" };
        instance += &format!("    .{0:<widest$} ({0}){comma}\n", port.name);
    }
    text + &format!("\n{top} {top}_i (\n{instance});\n")
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Input => "in",
        Direction::Output => "out",
        Direction::InOut => "both ways",
    }
}

/// Interfaces by the beginning of their ports' names.
fn heading(config: &Config, port: &str) -> String {
    let core = config.core_clock_hertz() as f64 / 1e6;
    let text = match port {
        _ if port == "clk" || port == "rst" => return format!("Core clock, {core} MHz, and its reset"),
        _ if port.starts_with("clk") || port.starts_with("rst") => "Clock and reset of the board",
        _ if port.starts_with("xgmii_") => {
            "XGMII (IEEE 802.3 clause 46), 64 bits at the core clock, lane 0 in bits 7..0"
        }
        _ if port.starts_with("gmii_rx") => "GMII, receiving (IEEE 802.3 clause 35), at gmii_rx_clk",
        _ if port.starts_with("gmii_") => "GMII, sending (IEEE 802.3 clause 35), at gmii_tx_clk",
        _ if port.starts_with("rgmii_") => "RGMII 2.0",
        _ if port.starts_with("s_axil_") => "AXI4-Lite slave: registers and counters",
        _ if port.starts_with("s_axis_") => "AXI4-Stream slave: UDP payloads to send",
        _ if port.starts_with("m_axis_") => "AXI4-Stream master: UDP payloads received",
        _ => "Further ports",
    };
    text.to_owned()
}

/// What a port carries, as the block's source says, on one line; of a shell, which pins of the board it has.
fn meaning(config: &Config, port: &Port) -> String {
    if !port.doc.is_empty() {
        return port.doc.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let Some(board) = &config.board else { return String::new() };
    let clock = config.clock().filter(|_| port.name == CLOCK_PORT).map(|clock| clock.pin.positive.clone());
    let others = board.assignments().into_iter().filter(|assignment| assignment.port == port.name);
    let pins: Vec<_> = clock.into_iter().chain(others.map(|other| other.pin.positive.clone())).collect();
    match &pins[..] {
        [] => String::new(),
        [pin] => format!("pin {pin} of {}", board.name),
        _ => format!("pins {} of {}, bit 0 first", pins.join(" "), board.name),
    }
}
