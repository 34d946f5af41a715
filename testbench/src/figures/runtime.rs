//! How long a configuration takes to become a model that runs.
use super::process::{failed, workspace};
use super::{Better, Error, Figure, median};
use nicforge_hdl::config::Config;
use nicforge_hdl::top;
use nicforge_sim::model::{self, BuildOptions, VerilogSource};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub const CHANGED: &str = "sim.runtime_verilation_seconds";
pub const CACHED: &str = "sim.runtime_cached_seconds";

const CHANGED_TARGET: f64 = 30.0;
const CACHED_TARGET: f64 = 1.0;
const ROUNDS: usize = 3;

/// Seconds from a configuration file to an instance of the model: of a design that was never simulated
/// before, and of the same one the next time. The runtime of Verilator is there in both cases, as it
/// is after the first simulation on a machine.
pub fn seconds() -> Result<Vec<Figure>, Error> {
    let place = tempfile::tempdir().map_err(failed("create", "a temporary folder"))?;
    let (mut changed, mut cached) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let file = configuration(place.path(), round)?;
        let [first, second] = [load(&file, place.path())?, load(&file, place.path())?];
        // The first round also compiles the runtime.
        if round > 0 {
            changed.push(first);
            cached.push(second);
        }
    }
    let figure = |key, seconds, target, what: &str| {
        let work = format!("configuration to model of {what} ibob, median of {ROUNDS}");
        Figure::new(key, median(seconds), "s", Better::Lower).target(target).running(&work)
    };
    Ok(vec![
        figure(CHANGED, changed, CHANGED_TARGET, "a changed"),
        figure(CACHED, cached, CACHED_TARGET, "a known"),
    ])
}

/// The configuration of `ibob` with an address of its own.
fn configuration(place: &Path, round: usize) -> Result<PathBuf, Error> {
    let shipped = workspace().join("configs/ibob.toml");
    let text = std::fs::read_to_string(&shipped).map_err(failed("read", &shipped))?;
    let changed = text.replace("02:00:00:00:00:80", &format!("02:00:00:00:01:{round:02x}"));
    if changed == text {
        let found = "the address is not there".to_owned();
        return Err(Error::Output { program: "configs/ibob.toml", wanted: "02:00:00:00:00:80", found });
    }
    let file = place.join(format!("{round}.toml"));
    std::fs::write(&file, changed).map_err(failed("write", &file))?;
    Ok(file)
}

fn load(file: &Path, cache: &Path) -> Result<f64, Error> {
    let options = BuildOptions { cache: Some(cache.join("models")), ..BuildOptions::default() };
    let begin = Instant::now();
    let source = VerilogSource::from(&top::emit_core(&Config::load(file)?)?);
    let instance = model::build(&source, &options)?.instance()?;
    let seconds = begin.elapsed().as_secs_f64();
    drop(instance);
    Ok(seconds)
}
