//! Runs the steps of a plan: synthesis once, placing and routing for each seed, packing for the best.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nicforge_hdl::outputs::flow::{Plan, Stage, Step, steps};

use super::error::{Error, file};
use super::job::Job;
use super::phase::{Phase, Watch};
use super::place::Placed;
use super::report::{Clock, Seconds, Try};
use super::tools::Tool;

/// Share of the whole time that synthesis takes, and that packing takes.
const SYNTHESIS_SHARE: f64 = 0.2;
const PACK_SHARE: f64 = 0.03;

/// What is to be made, where, and with what.
pub struct Maker<'a> {
    /// The design and its part; the seed in it is not looked at.
    pub plan: &'a Plan,
    /// Seeds to try, at least one.
    pub seeds: &'a [u32],
    /// Folder of the generated files.
    pub gateware: &'a Path,
    /// Folder for logs.
    pub logs: &'a Path,
    /// The programs of the plan's steps.
    pub tools: &'a [Tool],
    /// How long each program may take.
    pub limit: Duration,
    /// Raised when the user wants an end.
    pub interrupted: &'a AtomicBool,
}

/// What came out.
#[derive(Debug)]
pub struct Made {
    /// How long the steps took.
    pub seconds: Seconds,
    /// The seed of the result.
    pub seed: u32,
    /// What it gave.
    pub placed: Placed,
    /// Every seed tried.
    pub tries: Vec<Try>,
    /// The bitstream, unless timing failed or there are no pins.
    pub bitstream: Option<PathBuf>,
}

impl Maker<'_> {
    /// Runs everything; `show` is told how far it is.
    ///
    /// # Errors
    /// When a program fails otherwise than by a clock that is too slow.
    pub fn make(&self, show: &mut dyn FnMut(Phase)) -> Result<Made, Error> {
        let mut seconds = Seconds::default();
        let mut begin = 0.0;
        let synthesis = self.step(self.plan.seed, Stage::Synthesis).expect("every plan has a synthesis");
        self.run(&synthesis, &mut shifted(show, begin, SYNTHESIS_SHARE), &mut seconds.synthesis)?;
        begin += SYNTHESIS_SHARE;
        let share = (1.0 - begin - PACK_SHARE) / self.seeds.len() as f64;
        let mut tries = Vec::new();
        let mut best: Option<(f64, u32, Placed)> = None;
        for &seed in self.seeds {
            let mut shifted = shifted(show, begin, share);
            let placed = self.place(seed, &mut shifted, &mut seconds.place_and_route)?;
            begin += share;
            let clocks = placed.clocks();
            tries.push(attempt(seed, &clocks));
            let margin = clocks.iter().map(Clock::margin).fold(f64::INFINITY, f64::min);
            if best.as_ref().is_none_or(|(other, ..)| margin > *other) {
                self.keep(seed)?;
                best = Some((margin, seed, placed));
            }
        }
        let (_, seed, placed) = best.expect("there is at least one seed");
        let met = placed.clocks().iter().all(|clock| clock.met);
        let bitstream = match self.step(seed, Stage::Pack).filter(|_| met) {
            Some(pack) => Some(self.pack(&pack, &mut shifted(show, begin, PACK_SHARE), &mut seconds.pack)?),
            None => None,
        };
        Ok(Made { seconds, seed, placed, tries, bitstream })
    }

    fn step(&self, seed: u32, stage: Stage) -> Option<Step> {
        let plan = Plan { seed, ..self.plan.clone() };
        steps(&plan).into_iter().find(|step| step.stage == stage)
    }

    /// Places and routes with one seed. A clock below its target makes the program fail behind its work: that is a result.
    fn place(&self, seed: u32, show: &mut dyn FnMut(Phase), seconds: &mut f64) -> Result<Placed, Error> {
        let step = self.step(seed, Stage::PlaceAndRoute).expect("every plan has a placement");
        let report = self.gateware.join(self.plan.report());
        for stale in [&report, &self.gateware.join(&step.output)] {
            remove(stale)?;
        }
        let failure = match self.run(&step, show, seconds) {
            Ok(()) => None,
            Err(failure @ Error::Failed { .. }) => Some(failure),
            Err(other) => return Err(other),
        };
        let Some(failure) = failure else { return Placed::read(&report) };
        let finished = report.exists() && self.gateware.join(&step.output).exists();
        match Placed::read(&report) {
            Ok(placed) if finished && placed.clocks().iter().any(|clock| !clock.met) => Ok(placed),
            _ => Err(failure),
        }
    }

    fn pack(&self, step: &Step, show: &mut dyn FnMut(Phase), seconds: &mut f64) -> Result<PathBuf, Error> {
        let (configuration, output) = (self.gateware.join(&step.inputs[0]), self.gateware.join(&step.output));
        remove(&output)?;
        let kept = kept(&configuration);
        std::fs::rename(&kept, &configuration).map_err(file("rename", &kept))?;
        self.run(step, show, seconds)?;
        Ok(output)
    }

    /// Puts what a seed gave where the next seed does not overwrite it.
    fn keep(&self, seed: u32) -> Result<(), Error> {
        let Some(pack) = self.step(seed, Stage::Pack) else { return Ok(()) };
        let configuration = self.gateware.join(&pack.inputs[0]);
        std::fs::rename(&configuration, kept(&configuration)).map_err(file("rename", &configuration))
    }

    fn run(&self, step: &Step, show: &mut dyn FnMut(Phase), seconds: &mut f64) -> Result<(), Error> {
        let tool = self.tools.iter().find(|tool| tool.program == step.program);
        let tool = tool.expect("the programs of all steps were found before");
        let job = Job {
            program: step.program,
            path: &tool.path,
            arguments: &step.arguments,
            folder: self.gateware,
            log: &self.logs.join(format!("{}.log", step.program)),
            limit: self.limit,
            interrupted: self.interrupted,
        };
        let mut watch = Watch::new(step.stage, self.plan.verilog.len());
        let begin = Instant::now();
        let status = job.run(&mut |line| {
            if let Some(phase) = watch.line(line) {
                show(phase);
            }
        });
        *seconds += begin.elapsed().as_secs_f64();
        match status? {
            status if status.success() => Ok(()),
            status => Err(job.failed(status)),
        }
    }
}

fn attempt(seed: u32, clocks: &[Clock]) -> Try {
    Try {
        seed,
        met: clocks.iter().all(|clock| clock.met),
        clocks: clocks.iter().map(|clock| (clock.name.clone(), clock.achieved_mhz)).collect(),
    }
}

/// Where the configuration of the best seed so far waits.
fn kept(configuration: &Path) -> PathBuf {
    configuration.with_extension("best.config")
}

/// Removes a file, if there is one.
pub fn remove(path: &Path) -> Result<(), Error> {
    match std::fs::remove_file(path) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => Err(file("remove", path)(cause)),
        _ => Ok(()),
    }
}

/// A phase of a part as one of the whole.
fn shifted<'a>(show: &'a mut dyn FnMut(Phase), begin: f64, share: f64) -> impl FnMut(Phase) + 'a {
    move |phase| show(Phase { done: begin + share * phase.done, ..phase })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nicforge_hdl::outputs::flow::{Ecp5, Ports};

    use super::*;

    const VERILOG: &str = "module blinker(input clk_in, output led);\n  reg [23:0] count = 0;\n  \
        always @(posedge clk_in) count <= count + 1;\n  assign led = count[23];\nendmodule\n";
    const PINS: &str = "FREQUENCY PORT \"clk_in\" 25.0 MHz;\n\
        LOCATE COMP \"clk_in\" SITE \"P3\";\nIOBUF PORT \"clk_in\" IO_TYPE=LVCMOS33;\n\
        LOCATE COMP \"led\" SITE \"U16\";\nIOBUF PORT \"led\" IO_TYPE=LVCMOS33;\n";

    fn plan() -> Plan {
        Plan {
            top: "blinker".to_owned(),
            verilog: vec!["rtl/blinker.v".to_owned()],
            part: Ecp5 {
                device: "LFE5U-25F".to_owned(),
                package: "CABGA381".to_owned(),
                speed: "6".to_owned(),
            },
            ports: Ports::Pins { lpf: "blinker.lpf".to_owned() },
            options: Vec::new(),
            products: "../work".to_owned(),
            seed: 1,
        }
    }

    fn make(pins: &str, check: impl FnOnce(&Path, Result<Made, Error>, Vec<Phase>)) {
        make_with(plan(), pins, check);
    }

    fn make_with(plan: Plan, pins: &str, check: impl FnOnce(&Path, Result<Made, Error>, Vec<Phase>)) {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let gateware = place.join("gateware");
        for name in ["gateware/rtl", "work"] {
            fs::create_dir_all(place.join(name)).unwrap();
        }
        fs::write(gateware.join("rtl/blinker.v"), VERILOG).unwrap();
        fs::write(gateware.join("blinker.lpf"), pins).unwrap();
        let interrupted = AtomicBool::new(false);
        let find = |program| Tool::find(program, &place.join("version.log"), &interrupted);
        let tools: Result<Vec<Tool>, Error> = super::super::PROGRAMS.into_iter().map(find).collect();
        let tools = tools.expect("`tools/setup test` installs the programs");
        let limit = Duration::from_secs(300);
        let seeds = &[1, 2];
        let maker = Maker {
            plan: &plan,
            seeds,
            gateware: &gateware,
            logs: place,
            tools: &tools,
            limit,
            interrupted: &interrupted,
        };
        let mut phases = Vec::new();
        let made = maker.make(&mut |phase| phases.push(phase));
        check(place, made, phases);
    }

    #[test]
    fn the_real_tools_make_a_bitstream_of_a_small_design() {
        make(PINS, |_, made, phases| {
            let made = made.unwrap();
            let bitstream = fs::read(made.bitstream.unwrap()).unwrap();
            // Preamble of an ECP5 bitstream (Lattice FPGA-TN-02039).
            assert!(bitstream.windows(4).any(|four| four == [0xFF, 0xFF, 0xBD, 0xB3]));
            let clocks = made.placed.clocks();
            assert_eq!((clocks.len(), clocks[0].name.as_str(), clocks[0].met), (1, "clk_in", true));
            assert_eq!(made.tries.len(), 2);
            assert!(phases.windows(2).all(|pair| pair[0].done <= pair[1].done), "{phases:?}");
        });
    }

    #[test]
    fn the_real_tools_place_a_small_design_without_pins() {
        let plan = Plan { ports: Ports::OutOfContext { megahertz: 25.0 }, ..plan() };
        make_with(plan, "", |_, made, _| {
            let made = made.unwrap();
            assert!(made.bitstream.is_none() && made.placed.clocks()[0].met);
            assert_eq!(made.tries.len(), 2);
        });
    }

    #[test]
    fn the_real_tools_tell_a_clock_that_is_too_slow_from_a_failure() {
        make(&PINS.replace("25.0 MHz", "900.0 MHz"), |_, made, _| {
            let made = made.unwrap();
            assert!(made.bitstream.is_none() && !made.placed.clocks()[0].met);
        });
        make(&PINS.replace("P3", "NOWHERE"), |place, made, _| {
            let error = made.unwrap_err().to_string();
            assert!(error.contains("nextpnr-ecp5") && error.contains(place.to_str().unwrap()), "{error}");
        });
    }
}
