//! How fast boards are clocked, beside a plain C++ test bench.
use super::{Better, Error, Figure, median};
use crate::harness::{self, Run, Workload};
use nicforge_hdl::config::Config;
use nicforge_hdl::top;
use nicforge_layout::registers::{sampler_control, sampler_pace};
use nicforge_sim::model::{self, BuildOptions, VerilogSource, ibob};
use std::path::Path;

pub const CYCLES: &str = "sim.ibob_cycles_per_second";
pub const HARNESS: &str = "sim.harness_vs_cpp";

const CYCLES_TARGET: f64 = 400_000.0;
const HARNESS_TARGET: f64 = 0.8;
const ROUNDS: usize = 7;
const WORK: &str = "250,000 cycles of a streaming ibob, tracing off, processor time";

/// The register writes that make the sampler stream as fast as the link takes it.
pub fn full_pace() -> [(u32, u32); 2] {
    let pace = sampler_pace::DENOMINATOR.put(sampler_pace::NUMERATOR.put(0, 1), 1);
    let control = sampler_control::ENABLE.put(sampler_control::REG.reset(), 1);
    [(sampler_pace::REG.offset, pace), (sampler_control::REG.offset, control)]
}

/// Cycles a second of the built-in board in our harness, and how our harness compares with C++
/// around one model that is compiled alike for both.
pub fn speeds() -> Result<Vec<Figure>, Error> {
    let workload = Workload { registers: full_pace().into(), frames: Vec::new(), cycles: 250_000 };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/ibob.toml");
    let source = VerilogSource::from(&top::emit_core(&Config::load(&file)?)?);
    let library = model::build(&source, &BuildOptions::default())?;
    let mut seconds: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        let built_in = harness::ours(ibob::model()?, &workload)?;
        let ours = harness::ours(library.instance()?, &workload)?;
        let cpp = harness::cpp(&source, &workload)?;
        same_frames(&built_in, &ours)?;
        same_frames(&cpp, &ours)?;
        seconds.iter_mut().zip([built_in, ours, cpp]).for_each(|(all, run)| all.push(run.seconds));
    }
    let [built_in, ours, cpp] = seconds.map(median);
    let rate = |seconds| workload.cycles as f64 / seconds;
    let cycles = Figure::new(CYCLES, rate(built_in), "cycles/s", Better::Higher).target(CYCLES_TARGET);
    let harness = Figure::new(HARNESS, cpp / ours, "ratio", Better::Higher).target(HARNESS_TARGET);
    let work = format!("median of {ROUNDS} alternating runs, {WORK}");
    Ok(vec![
        cycles.peer("C++ test bench", rate(cpp)).running(&work),
        harness.peer("C++ test bench", 1.0).running(&work),
    ])
}

fn same_frames(one: &Run, other: &Run) -> Result<(), Error> {
    if one.frames == other.frames && one.frames > 0 {
        return Ok(());
    }
    let (wanted, found) = (one.frames.to_string(), other.frames.to_string());
    Err(Error::Differs { what: "frames that two boards sent", wanted, found })
}
