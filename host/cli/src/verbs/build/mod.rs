//! `build`: a bitstream from open tools.
mod cache;
mod error;
mod job;
mod make;
mod phase;
mod picture;
mod place;
mod report;
mod tools;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nicforge_hdl::config::{Boards, Config, Flow};
use nicforge_hdl::outputs::flow::{Ecp5, Plan, Ports, Step, steps};
use nicforge_hdl::outputs::{Outputs, sha256};
use nicforge_hdl::top;
use nicforge_hdl::verilog::Emitted;
use serde::Serialize;

use crate::boards::BoardFolders;
use crate::error::Error as CommandError;
use crate::progress;
use crate::report::{Outcome, Report};
pub use error::Error;
use error::file;
use make::{Made, Maker};
use report::{Bitstream, Built};
use tools::Tool;
pub use tools::find as find_program;

/// The programs of the flow.
pub const PROGRAMS: [&str; 3] = ["yosys", "nextpnr-ecp5", "ecppack"];
/// The generated files in the folder of the result, and what the tools write. The programs run in the former and
/// reach the latter by `../work`: those for WASM take a path such as `work/x` for `/work/x` where the root has such a folder.
const GATEWARE: &str = "gateware";
const WORK: &str = "work";
/// The part that stands for "an ECP5" where there is no board, in any package.
const DEVICE: &str = "85k";
const PACKAGE: &str = "CABGA381";
const SPEED: &str = "8";

/// Make a bitstream with yosys, nextpnr-ecp5 and ecppack, and report cells and clock rates.
///
/// For boards with a Lattice ECP5. The programs are looked for on PATH, first as they are, then as
/// yowasp-*; `nicforge doctor` tells what is missing. Unchanged input is not built again.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: nicforge build configs/ecpix5.toml -o out\n\n\
    Exit status: 0 built, all clocks meet timing; 1 one does not, or a program failed; \
    2 bad usage or configuration, or a board without an open flow.")]
pub struct Build {
    /// The configuration.
    file: PathBuf,
    /// Folder for the result: a new or empty one, or one that an earlier build made.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Start of the placer's random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u32,
    /// Try these seeds, and keep the best.
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', conflicts_with_all = ["seed", "tries"])]
    seeds: Vec<u32>,
    /// Try so many seeds, from 1 on, and keep the best.
    #[arg(long, value_name = "N", conflicts_with = "seed", value_parser = clap::value_parser!(u32).range(1..=100))]
    tries: Option<u32>,
    /// Place the design without board and pins, for its clock rate; there is no bitstream.
    #[arg(long)]
    out_of_context: bool,
    /// With --out-of-context: the device, as nextpnr-ecp5 calls it [default: that of the board, else 85k].
    #[arg(long, requires = "out_of_context")]
    device: Option<String>,
    /// With --out-of-context: the speed grade [default: that of the board, else 8].
    #[arg(long, requires = "out_of_context", value_parser = ["6", "7", "8"])]
    speed: Option<String>,
    /// Print the commands, and run none.
    #[arg(long)]
    dry_run: bool,
    /// Build again what is unchanged.
    #[arg(long)]
    force: bool,
    /// Minutes that each program may take.
    #[arg(long, value_name = "MINUTES", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=1440))]
    limit: u64,
    #[command(flatten)]
    boards: BoardFolders,
}

/// The commands of a build, to be run in the folder of the generated files.
#[derive(Serialize, Debug)]
struct Commands {
    folder: PathBuf,
    commands: Vec<String>,
}

impl Report for Commands {
    fn text(&self) -> String {
        let folder = format!("cd {}\nmkdir -p ../{WORK}\n", self.folder.display());
        folder + &self.commands.iter().map(|command| command.clone() + "\n").collect::<String>()
    }
}

/// A design, its part, and the seeds to try.
struct Task {
    config: Config,
    design: Emitted,
    plan: Plan,
    seeds: Vec<u32>,
}

impl Task {
    /// The steps for every seed, in the order in which they run.
    fn steps(&self) -> Vec<Step> {
        let mut all = Vec::new();
        for &seed in &self.seeds {
            for step in steps(&Plan { seed, ..self.plan.clone() }) {
                if !all.contains(&step) {
                    all.push(step);
                }
            }
        }
        all.sort_by_key(|step| PROGRAMS.iter().position(|program| *program == step.program));
        all
    }
}

impl Build {
    /// Builds, or tells what would be run; `quiet` leaves out what is only said on the way.
    ///
    /// # Errors
    /// Faults of the configuration, a board without an open flow, a program that is missing or fails.
    pub fn run(self, quiet: bool) -> Result<Outcome, CommandError> {
        let task = self.task()?;
        if self.dry_run {
            let commands = task.steps().iter().map(Step::command).collect();
            return Ok(Outcome::of(&Commands { folder: self.output.join(GATEWARE), commands }));
        }
        self.refuse_foreign()?;
        let interrupted = Arc::new(AtomicBool::new(false));
        let raised = interrupted.clone();
        ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed))
            .map_err(|cause| CommandError::Interrupt { cause: cause.to_string() })?;
        Ok(Outcome::of(&self.build(&task, &interrupted, quiet)?))
    }

    fn task(&self) -> Result<Task, CommandError> {
        let config = self.boards.load(&self.file)?;
        let design = if self.out_of_context { top::emit_core(&config)? } else { top::emit(&config)? };
        let seeds = match self.tries {
            Some(tries) => (1..=tries).collect(),
            None if self.seeds.is_empty() => vec![self.seed],
            None => self.seeds.clone(),
        };
        let board = config.board.as_deref();
        let own = board.filter(|board| board.tool.flow == Flow::NextpnrEcp5);
        if !self.out_of_context && (own.is_none() || !config.has_shell()) {
            return Err(no_flow(&config).into());
        }
        let part = own.map_or_else(any_ecp5, |board| Ecp5 {
            device: board.part.device.clone(),
            package: board.part.package.clone(),
            speed: board.part.speed.clone(),
        });
        let options = own.map_or(&[][..], |board| &board.tool.options);
        let mut plan = Plan::new(&design, part, options, &format!("../{WORK}"), seeds[0]);
        if self.out_of_context {
            self.leave_context(&mut plan, &config)?;
        }
        Ok(Task { config, design, plan, seeds })
    }

    fn leave_context(&self, plan: &mut Plan, config: &Config) -> Result<(), Error> {
        plan.ports = Ports::OutOfContext { megahertz: config.core_clock_hertz() as f64 / 1e6 };
        if let Some(option) = &self.device {
            let device = Ecp5::device_of(option).ok_or_else(|| Error::Device { found: option.clone() })?;
            plan.part = Ecp5 { device: device.to_owned(), ..any_ecp5() };
        }
        if let Some(speed) = &self.speed {
            plan.part.speed.clone_from(speed);
        }
        Ok(())
    }

    fn build(&self, task: &Task, interrupted: &AtomicBool, quiet: bool) -> Result<Built, CommandError> {
        let outputs = Outputs::new(&task.config, &task.design)?;
        let logs = self.output.join("log");
        std::fs::create_dir_all(&logs).map_err(file("create", &logs))?;
        let bar = progress::percent(quiet);
        bar.set_message("looking for the programs");
        let steps = task.steps();
        let mut tools: Vec<Tool> = Vec::new();
        for step in &steps {
            if tools.iter().all(|tool| tool.program != step.program) {
                tools.push(Tool::find(step.program, &logs.join("version.log"), interrupted)?);
            }
        }
        let inputs = cache::inputs(&outputs, &steps, &tools);
        if let Some(built) = cache::find(&self.output, &inputs).filter(|_| !self.force) {
            bar.finish_and_clear();
            return Ok(built);
        }
        let gateware = self.output.join(GATEWARE);
        outputs.write(&gateware)?;
        renew(&self.output.join(WORK))?;
        let maker = Maker {
            plan: &task.plan,
            seeds: &task.seeds,
            gateware: &gateware,
            logs: &logs,
            tools: &tools,
            limit: Duration::from_secs(60 * self.limit),
            interrupted,
        };
        let made = maker.make(&mut |phase| progress::show(&bar, phase.done, phase.what))?;
        bar.finish_and_clear();
        Ok(self.store(task, tools, inputs, made)?)
    }

    /// Puts the result into the folder; until then an earlier one is as it was.
    fn store(&self, task: &Task, tools: Vec<Tool>, inputs: String, made: Made) -> Result<Built, Error> {
        let name = format!("{}.bit", task.plan.top);
        let target = self.output.join(&name);
        // A bitstream and the report of another must never lie side by side.
        for stale in [&target, &self.output.join(cache::REPORT)] {
            make::remove(stale)?;
        }
        let bitstream = match &made.bitstream {
            None => None,
            Some(path) => {
                let octets = std::fs::read(path).map_err(file("read", path))?;
                std::fs::rename(path, &target).map_err(file("rename", path))?;
                Some(Bitstream { file: name, octets: octets.len() as u64, sha256: sha256(&octets) })
            }
        };
        let clocks = made.placed.clocks();
        let part = &task.plan.part;
        let built = Built {
            folder: self.output.clone(),
            board: task.config.board_name().to_owned(),
            top: task.plan.top.clone(),
            part: format!("{}-{}-{}", part.device, part.speed, part.package),
            out_of_context: self.out_of_context,
            configuration: task.config.digest_hex(),
            inputs,
            cached: false,
            tools,
            seconds: made.seconds,
            utilisation: made.placed.utilisation(),
            crossings: made.placed.crossings(),
            seed: made.seed,
            tries: made.tries,
            met: clocks.iter().all(|clock| clock.met),
            clocks,
            bitstream,
        };
        let json = serde_json::to_string_pretty(&built).expect("text and numbers always have a JSON form");
        for (name, text) in
            [("report.txt", built.text()), ("report.svg", picture::svg(&built)), (cache::REPORT, json + "\n")]
        {
            write_whole(&self.output.join(name), &text)?;
        }
        Ok(built)
    }

    /// A folder is used if it is new, empty, or has a part of an earlier build.
    fn refuse_foreign(&self) -> Result<(), Error> {
        let folder = &self.output;
        let entries = match std::fs::read_dir(folder) {
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(file("list", folder))?,
        };
        let mut names: Vec<String> = Vec::new();
        for entry in entries {
            let entry = entry.map_err(file("list", folder))?;
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        let ours = ["log", cache::REPORT].iter().any(|own| names.iter().any(|name| name == own));
        match names.first() {
            Some(first) if !ours => Err(Error::Foreign { folder: folder.clone(), found: first.clone() }),
            _ => Ok(()),
        }
    }
}

fn any_ecp5() -> Ecp5 {
    let device = Ecp5::device_of(DEVICE).expect("the default is one of the devices");
    Ecp5 { device: device.to_owned(), package: PACKAGE.to_owned(), speed: SPEED.to_owned() }
}

fn no_flow(config: &Config) -> Error {
    let boards = Boards::built_in().sound().filter(|board| board.tool.flow == Flow::NextpnrEcp5);
    let open: Vec<&str> = boards.map(|board| board.name.as_str()).collect();
    Error::NoFlow {
        board: config.board_name().to_owned(),
        open: open.join(", "),
        flow: config.board.as_deref().map_or("none", |board| board.tool.flow.name()).to_owned(),
    }
}

/// Makes a folder empty.
fn renew(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => Err(file("remove", folder)(cause)),
        _ => std::fs::create_dir_all(folder).map_err(file("create", folder)),
    }
}

/// Writes a file beside its place first, so that half of one is never seen.
fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    let part = path.with_extension("part");
    std::fs::write(&part, text).map_err(file("write", &part))?;
    std::fs::rename(&part, path).map_err(file("rename", &part))
}
