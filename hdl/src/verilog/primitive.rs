//! Primitives of a part: cells that its synthesis tools know, and that the design only names.
//!
//! A block that needs one instantiates it in a `Verilog::Wrapper` and gives the [`declaration`] as the
//! wrapper's `cores`. The back end keeps every declaration once, apart from the modules: linters and
//! simulators read them, synthesis tools must not.
//!
//! [`declaration`]: Primitive::declaration

use super::Direction;
use super::scope::range;

/// The attribute that tells a primitive from a module with contents.
const MARK: &str = "(* blackbox *)";
/// What Verilator would say of a module that is all ports.
const WAIVED: [&str; 3] = ["UNDRIVEN", "UNUSEDPARAM", "UNUSEDSIGNAL"];

/// A primitive as its vendor's library declares it.
///
/// ```
/// use nicforge_hdl::verilog::{Direction, Primitive};
///
/// const DELAYG: Primitive = Primitive {
///     name: "DELAYG",
///     parameters: &[("DEL_MODE", "\"USER_DEFINED\""), ("DEL_VALUE", "0")],
///     ports: &[("A", Direction::Input, 1), ("Z", Direction::Output, 1)],
/// };
/// assert!(DELAYG.declaration().contains("module DELAYG #("));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Primitive {
    /// Name of the cell.
    pub name: &'static str,
    /// Its parameters, each with its default as Verilog writes it.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Its ports: name, direction, width in bits. Those that nobody connects may be left out.
    pub ports: &'static [(&'static str, Direction, usize)],
}

impl Primitive {
    /// The declaration without contents.
    #[must_use]
    pub fn declaration(&self) -> String {
        let waive = |word: &str| -> String {
            WAIVED.iter().map(|rule| format!("// verilator {word} {rule}\n")).collect()
        };
        let parameters = match self.parameters {
            [] => String::new(),
            parameters => {
                let lines = parameters.iter().map(|(name, value)| format!("    parameter {name} = {value}"));
                format!("#(\n{}\n) ", lines.collect::<Vec<_>>().join(",\n"))
            }
        };
        let port = |(name, direction, width): &(&str, Direction, usize)| {
            let kind = match direction {
                Direction::Input => "input ",
                Direction::Output => "output",
                Direction::InOut => "inout ",
            };
            format!("    {kind} wire {}{name}", range(*width))
        };
        let ports: Vec<String> = self.ports.iter().map(port).collect();
        format!(
            "// {name}: a primitive of the part, without contents. Synthesis tools bring their own.\n\
             {off}{MARK}\nmodule {name} {parameters}(\n{ports}\n);\nendmodule\n{on}",
            name = self.name,
            off = waive("lint_off"),
            ports = ports.join(",\n"),
            on = waive("lint_on"),
        )
    }
}

/// Whether a declaration is that of a primitive.
pub(super) fn is_primitive(declaration: &str) -> bool {
    declaration.contains(MARK)
}

/// The declarations in a text, one module each, with what stands above it.
pub(super) fn declarations(text: &str) -> Vec<String> {
    let (mut found, mut lines) = (Vec::new(), Vec::new());
    let mut complete = false;
    for line in text.lines().map(str::trim_end) {
        // What follows `endmodule` without a break, such as the end of a waiver, belongs to the module.
        let belongs = line.is_empty() || line.starts_with("// verilator lint_on");
        if complete && !belongs {
            found.push(std::mem::take(&mut lines).join("\n").trim().to_owned() + "\n");
            complete = false;
        }
        complete |= line.split_whitespace().any(|word| word == "endmodule");
        lines.push(line);
    }
    if complete {
        found.push(lines.join("\n").trim().to_owned() + "\n");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFER: Primitive = Primitive {
        name: "BUFG",
        parameters: &[],
        ports: &[("I", Direction::Input, 1), ("O", Direction::Output, 1)],
    };
    const RAM: Primitive = Primitive {
        name: "RAM4",
        parameters: &[("MODE", "\"FAST\""), ("DEPTH", "16")],
        ports: &[("A", Direction::Input, 4), ("PAD", Direction::InOut, 1)],
    };

    #[test]
    fn a_declaration_has_parameters_with_defaults_and_ports_with_widths() {
        let text = RAM.declaration();
        let wanted = "(* blackbox *)\n\
             module RAM4 #(\n    parameter MODE = \"FAST\",\n    parameter DEPTH = 16\n) (\n    \
             input  wire [3:0] A,\n    inout  wire PAD\n);\nendmodule\n";
        assert!(text.contains(wanted), "{text}");
        assert!(BUFFER.declaration().contains("module BUFG (\n    input  wire I,\n"));
    }

    #[test]
    fn declarations_that_stand_together_are_taken_apart() {
        let both = BUFFER.declaration() + &RAM.declaration();
        assert_eq!(declarations(&both), [BUFFER.declaration(), RAM.declaration()]);
        assert_eq!(declarations("module a;\nendmodule\n\nmodule b;\nendmodule").len(), 2);
        assert_eq!(declarations(""), Vec::<String>::new());
        assert_eq!(declarations("  \n"), Vec::<String>::new());
    }

    #[test]
    fn a_helper_with_contents_is_no_primitive() {
        assert!(is_primitive(&RAM.declaration()));
        assert!(!is_primitive("module gate(input i, output o);\n    assign o = i;\nendmodule"));
    }
}
