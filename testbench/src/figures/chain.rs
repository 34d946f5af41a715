//! How fast the chain of 32 stages simulates: written by hand, as our back end prints it, and as
//! rust-hdl prints it.
use super::{Better, Error, Figure, median};
use crate::chain::Chain;
use nicforge_hdl::verilog::{self, Options, with_large_stack};
use nicforge_sim::model::{self, BuildOptions, VerilogSource};
use rust_hdl::prelude::generate_verilog;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const EMITTED: &str = "sim.emitted_vs_handwritten";
pub const STOCK: &str = "sim.stock_vs_handwritten";

const TARGET: f64 = 1.15;
const ROUNDS: usize = 9;
const CYCLES: &str = "500000";
const BY_HAND: &str = include_str!("../../peers/chain.v");
/// The name that rust-hdl gives to the outermost module of every design.
const STOCK_TOP: &str = "top";

/// Processor time a cycle over that of the hand-written chain. All three run in one test bench, and
/// what they put out must be the same.
pub fn ratios() -> Result<Vec<Figure>, Error> {
    let programs = sources()?.iter().map(program).collect::<Result<Vec<_>, _>>()?;
    let mut seconds = vec![Vec::new(); programs.len()];
    for _ in 0..ROUNDS {
        let runs = programs.iter().map(|program| run(program)).collect::<Result<Vec<_>, _>>()?;
        for (run, all) in runs.iter().zip(&mut seconds) {
            same(&runs[0].digest, &run.digest)?;
            all.push(run.seconds);
        }
    }
    let medians: Vec<f64> = seconds.into_iter().map(median).collect();
    let figure = |key, index: usize| {
        let work = format!("median of {ROUNDS} alternating runs of {CYCLES} cycles, processor time");
        let figure = Figure::new(key, medians[index] / medians[0], "ratio", Better::Lower);
        figure.peer("hand-written Verilog", 1.0).running(&work)
    };
    Ok(vec![figure(EMITTED, 1).target(TARGET), figure(STOCK, 2)])
}

/// The chain by hand, from our back end, and from rust-hdl's; the ports are the same.
fn sources() -> Result<[VerilogSource; 3], Error> {
    let (emitted, stock) = with_large_stack(|| -> Result<_, verilog::Error> {
        let mut chain = Chain::default();
        let emitted = verilog::emit_block(&mut chain, &Options { top: "chain", header: "" })?;
        Ok((VerilogSource::from(&emitted), generate_verilog(&chain)))
    })?;
    let ports = emitted.ports.clone();
    let by_hand = VerilogSource { text: BY_HAND.into(), top: emitted.top.clone(), ports: ports.clone() };
    Ok([by_hand, emitted, VerilogSource { text: stock, top: STOCK_TOP.into(), ports }])
}

/// The chain with its test bench; all are compiled with the same flags.
fn program(source: &VerilogSource) -> Result<PathBuf, Error> {
    let main = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/harness/chain.cpp");
    Ok(model::program(source, &main, &BuildOptions::default())?)
}

/// What one run gave.
struct Run {
    /// Digest of all outputs in all cycles.
    digest: String,
    /// Seconds of processor time.
    seconds: f64,
}

fn run(program: &Path) -> Result<Run, Error> {
    let printed = model::run_tool(Command::new(program).arg(CYCLES))?;
    let mut words = printed.split_whitespace();
    let run = words.next().map(str::to_owned).zip(words.next().and_then(|text| text.parse().ok()));
    let (digest, seconds) = run.ok_or_else(|| Error::Output {
        program: "the chain's test bench",
        wanted: "a digest and seconds",
        found: printed.clone(),
    })?;
    Ok(Run { digest, seconds })
}

fn same(wanted: &str, found: &str) -> Result<(), Error> {
    if wanted == found {
        return Ok(());
    }
    let (wanted, found) = (wanted.to_owned(), found.to_owned());
    Err(Error::Differs { what: "what two chains put out", wanted, found })
}
