//! Scripts that run a board's tool flow from the generated folder. A design that does not reach the board's pins (no
//! shell) is placed and timed, and gets no bitstream.

mod ise;
mod makefile;
mod vivado;

use std::collections::BTreeMap;

use super::flow::Ecp5;
use crate::config::{Board, Config, Flow};
use crate::verilog::Emitted;

/// Folder of what the tools make, within the generated folder; `generate` leaves it alone.
pub const BUILD: &str = "build";

/// The scripts for the flow of a board, by path.
pub(super) fn scripts(
    config: &Config,
    board: &Board,
    design: &Emitted,
    header: &str,
) -> BTreeMap<String, String> {
    let header = super::commented("# ", header);
    let whole = super::is_whole(config, board, design);
    match board.tool.flow {
        Flow::NextpnrEcp5 => makefile::files(&header, config, board, design),
        Flow::Vivado => vivado::files(&header, board, design, whole),
        Flow::Ise => ise::files(&header, board, design, whole),
    }
}

/// Path of a design's constraints in the form that a flow takes.
pub(super) fn constraints_path(flow: Flow, top: &str) -> String {
    let ending = match flow {
        Flow::NextpnrEcp5 => "lpf",
        Flow::Vivado => "xdc",
        Flow::Ise => "ucf",
    };
    format!("constraints/{top}.{ending}")
}

/// The part as the steps of the open flow are told of it.
pub fn ecp5(board: &Board) -> Ecp5 {
    let part = &board.part;
    Ecp5 { device: part.device.clone(), package: part.package.clone(), speed: part.speed.clone() }
}
