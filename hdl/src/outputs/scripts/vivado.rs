//! Vivado's part: one Tcl script.

use std::collections::BTreeMap;

use super::{BUILD, constraints_path};
use crate::config::{Board, Flow};
use crate::outputs::module_path;
use crate::verilog::Emitted;

const PATH: &str = "scripts/vivado.tcl";

pub(super) fn files(header: &str, board: &Board, design: &Emitted, whole: bool) -> BTreeMap<String, String> {
    BTreeMap::from([(PATH.to_owned(), header.to_owned() + &script(board, design, whole))])
}

fn script(board: &Board, design: &Emitted, whole: bool) -> String {
    let (top, part) = (&design.top, board.part.name());
    let sources: String =
        design.modules.iter().map(|module| format!("    {}\n", module_path(&module.name))).collect();
    let constraints = constraints_path(Flow::Vivado, top);
    let (mode, end) = if whole {
        ("", format!("write_bitstream -force {BUILD}/{top}.bit\n"))
    } else {
        (" -mode out_of_context", out_of_context(top))
    };
    format!(
        "#\n# vivado -mode batch -source scripts/vivado.tcl      from any folder\n\n\
         cd [file join [file dirname [file normalize [info script]]] ..]\nfile mkdir {BUILD}\n\n\
         read_verilog {{\n{sources}}}\nread_xdc {constraints}\n\n\
         synth_design -top {top} -part {part}{mode}\nopt_design\nplace_design\nphys_opt_design\nroute_design\n\n\
         report_utilization -file {BUILD}/{top}_utilization.txt\n\
         report_timing_summary -file {BUILD}/{top}_timing.txt\n\
         report_cdc -file {BUILD}/{top}_crossings.txt\n\n\
         # A design that misses its clocks is not written.\n\
         if {{[get_property SLACK [get_timing_paths]] < 0}} {{\n    \
         error \"timing is not met: see {BUILD}/{top}_timing.txt\"\n}}\n{end}"
    )
}

fn out_of_context(top: &str) -> String {
    format!(
        "# The module ends inside the FPGA: it is placed and timed by itself, without pins and without a bitstream.\n\
         write_checkpoint -force {BUILD}/{top}.dcp\n"
    )
}
