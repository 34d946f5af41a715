//! A board on a TAP device of this machine.
use std::time::Duration;

use nicforge_hdl::config::Config;
use nicforge_host::Card as Registers;
use nicforge_sim::card::{Card, Connections};
use nicforge_sim::net::Tap;

use super::{Sim, Simulated};
use crate::counters::Moved;
use crate::error::Error;
use crate::progress;
use crate::simulated::{SimulatedBar, board_of, check_digest, host_plan};

/// How often the bar moves.
const STEP: Duration = Duration::from_secs(1);

/// Runs the board on the TAP device `name` for the time that `sim` allows.
pub fn run(sim: &Sim, name: &str, config: &Config, quiet: bool) -> Result<Simulated, Error> {
    let plan = host_plan(config);
    let wire = Box::new(Tap::named(name, &plan)?);
    let board = progress::spinner("preparing the board's model", quiet, || board_of(config, false))?;
    let connections =
        Connections { wire, capture: sim.output.clone(), credit: None, stream_octets: usize::MAX };
    let card = Card::start(board, connections)?;
    let mut registers = Registers::open(SimulatedBar(&card))?;
    check_digest(&mut registers, config)?;
    if !quiet {
        println!("{} answers on {name}; the host is {}. Interrupt to end.", config.network.ip, plan.address);
    }
    let bar = progress::bar("running", sim.seconds, quiet);
    for _ in 0..sim.seconds {
        std::thread::sleep(STEP);
        bar.inc(1);
        // Asks the card something, so that one that failed ends the wait.
        card.figures()?;
    }
    bar.finish_and_clear();
    let counters = Moved::of(&mut registers)?;
    let figures = card.stop()?;
    Ok(Simulated {
        config_digest: config.digest_hex(),
        line: figures.line,
        frames_in: figures.frames_received,
        frames_out: figures.frames_sent,
        violations: figures.violations,
        cycles: figures.cycles,
        counters,
    })
}
