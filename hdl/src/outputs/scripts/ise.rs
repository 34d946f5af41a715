//! ISE's part: a shell script, and what its synthesis reads.

use std::collections::BTreeMap;

use super::{BUILD, constraints_path};
use crate::config::{Board, Flow};
use crate::outputs::module_path;
use crate::verilog::Emitted;

const SCRIPT: &str = "scripts/ise.sh";
const OPTIONS: &str = "scripts/xst.scr";
const SOURCES: &str = "scripts/xst.prj";

pub(super) fn files(header: &str, board: &Board, design: &Emitted, whole: bool) -> BTreeMap<String, String> {
    let sources = design.modules.iter();
    let sources = sources.map(|module| format!("verilog work \"{}\"\n", module_path(&module.name)));
    BTreeMap::from([
        (SCRIPT.to_owned(), script(header, board, design, whole)),
        (OPTIONS.to_owned(), options(board, design, whole)),
        (SOURCES.to_owned(), sources.collect()),
    ])
}

/// The part in the way of ISE, such as `xc2vp50ff1152-7`.
fn part(board: &Board) -> String {
    let part = &board.part;
    format!("{}{}-{}", part.device, part.package, part.speed).to_lowercase()
}

/// The commands in a row, from the generated folder.
fn script(header: &str, board: &Board, design: &Emitted, whole: bool) -> String {
    let (top, part) = (&design.top, part(board));
    let ucf = constraints_path(Flow::Ise, top);
    // Where nothing is connected outside, nothing may be trimmed for want of a connection.
    let keep = if whole { "" } else { " -u" };
    let end = if whole {
        format!("# Bitstream\nbitgen -w {BUILD}/{top}.ncd {BUILD}/{top}.bit {BUILD}/{top}.pcf\n")
    } else {
        "# The module ends inside the FPGA: it is placed and timed by itself, without pins. The bitstream is that of\n\
         # the design around it.\n"
            .to_owned()
    };
    format!(
        "#!/bin/sh\n{header}#\n# sh scripts/ise.sh     from any folder, with the tools of ISE 10.1 on PATH\n\
         set -eu\ncd \"$(dirname \"$0\")/..\"\nmkdir -p {BUILD}/xst\n\n\
         # Synthesis\nxst -ifn {OPTIONS} -ofn {BUILD}/{top}.xst.log\n\n\
         # Netlist and constraints together\n\
         ngdbuild -p {part} -dd {BUILD} -uc {ucf} {BUILD}/{top}.ngc {BUILD}/{top}.ngd\n\n\
         # The part's cells\n\
         map -p {part} -pr b{keep} -o {BUILD}/{top}_map.ncd {BUILD}/{top}.ngd {BUILD}/{top}.pcf\n\n\
         # Places and wires\npar -w -ol high {BUILD}/{top}_map.ncd {BUILD}/{top}.ncd {BUILD}/{top}.pcf\n\n\
         # Timing\ntrce -v 10 {BUILD}/{top}.ncd -o {BUILD}/{top}.twr {BUILD}/{top}.pcf\n\n{end}"
    )
}

/// Options of the synthesis. The file takes no comments.
fn options(board: &Board, design: &Emitted, whole: bool) -> String {
    let (top, part) = (&design.top, part(board));
    let buffers = if whole { "YES" } else { "NO" };
    format!(
        "set -tmpdir {BUILD}/xst\nset -xsthdpdir {BUILD}/xst\nrun\n-ifn {SOURCES}\n-ifmt mixed\n-top {top}\n\
         -ofn {BUILD}/{top}.ngc\n-ofmt NGC\n-p {part}\n-opt_mode Speed\n-opt_level 1\n-iobuf {buffers}\n"
    )
}
