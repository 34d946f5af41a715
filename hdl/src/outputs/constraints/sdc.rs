//! SDC: clocks and passages between them in the language that most tools share.

use super::{Constraints, CrossingKind, chapter, false_paths};

pub(super) fn file(constraints: &Constraints) -> String {
    let mut text = constraints.head("# ");
    text += &chapter("# ", "Clocks that come in; what a PLL makes of them is for the tool to derive.");
    for clock in &constraints.clocks {
        let (port, period) = (&clock.port, clock.period());
        text += &format!("create_clock -name {port} -period {period} [get_ports {{{port}}}]\n");
    }
    text += &false_paths(constraints);
    if constraints.crossings.is_empty() {
        text += &chapter("# ", "All of the design runs on one clock.");
        return text;
    }
    let period = constraints.shortest_period();
    text += &chapter(
        "# ",
        "Passages between clocks, by registers (most tools add _reg to the name in the Verilog).",
    );
    for crossing in &constraints.crossings {
        let cells = |register: &str, bits: &str| {
            format!("[get_cells {{{}/{register}_reg{bits}}}]", crossing.instance)
        };
        match crossing.kind {
            CrossingKind::Fifo => {
                for (from, to) in CrossingKind::POINTERS {
                    let ends = format!("-from {} -to {}", cells(from, "[*]"), cells(to, "[*]"));
                    text += &format!("set_max_delay {period} {ends}\nset_false_path -hold {ends}\n");
                }
            }
            CrossingKind::Bit => {
                text += &format!("set_false_path -to {}\n", cells(CrossingKind::ARRIVAL, "*"));
            }
        }
    }
    text
}
