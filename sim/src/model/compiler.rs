//! The C++ compiler on the run-time path.
use super::cache;
use super::compile::{self, Sources, ToolError, Unit, failed, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

/// The C++ files of Verilator's run-time library that a model needs beside its own.
const RUNTIME_FILES: [&str; 3] = ["verilated.cpp", "verilated_threads.cpp", "verilated_vcd_c.cpp"];
/// A header that is read once for all models: it is most of the work for a small one.
const HEADER: &str = "model.h";
const INSTALL: &str = "Debian: `apt install g++`";
/// Symbols stay inside their object: many models, each with its own run-time library, share a process.
const FLAGS: [&str; 8] = [
    "-std=c++17",
    "-fPIC",
    "-pthread",
    "-w",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-fno-gnu-unique",
    "-DVERILATOR=1",
];
/// For code that runs every cycle, and for code that runs once.
const FAST: &str = "-O2";
const SLOW: &str = "-O0";

/// Verilator's run-time library, compiled.
pub struct Runtime<'a> {
    /// The directory of Verilator.
    root: &'a Path,
    /// The directory of the objects and of the header.
    directory: PathBuf,
}

/// What decides the result besides the sources.
pub fn recipe() -> String {
    [program(), FLAGS.join(" "), FAST.into(), SLOW.into()].join(" ")
}

/// The run-time library, compiled once for a version of Verilator.
pub fn runtime<'a>(cache_root: &Path, root: &'a Path) -> Result<Runtime<'a>, ToolError> {
    let version = compile::read(&root.join("include/verilated_config.h"))?;
    let key = format!("runtime-{}", cache::key(&(version + &recipe())));
    let directory = cache::entry(cache_root, &key, |directory| {
        let header = directory.join(HEADER);
        compile::write(&header, "#include \"verilated.h\"\n")?;
        let mut jobs: Vec<Command> = RUNTIME_FILES.iter().map(|file| object(root, file, directory)).collect();
        let mut precompiled = command(root, FAST);
        precompiled.args(["-x", "c++-header"]).arg(&header).arg("-o").arg(directory.join("model.h.gch"));
        jobs.push(precompiled);
        run_all(jobs)
    })?;
    Ok(Runtime { root, directory })
}

/// Compiles one model into `result`; of all that arises only that and the Verilog beside it are kept.
///
/// `kind` is how to link: `-shared`, or `-pie` with a `main`.
pub fn compile_model(
    unit: &Unit,
    runtime: &Runtime,
    main: Option<&Path>,
    kind: &str,
    result: &Path,
) -> Result<(), ToolError> {
    let work = result.with_extension("work");
    fs::create_dir(&work).map_err(failed("create", &work))?;
    let Sources { fast, slow } = compile::verilate(unit, &work)?;
    let fast = fast.into_iter().chain(main.map(PathBuf::from)).map(|file| (file, FAST));
    let all: Vec<_> = fast.chain(slow.into_iter().map(|file| (file, SLOW))).collect();
    let target = |index: usize| work.join(format!("{index}.o"));
    let job = |(index, (file, level)): (usize, &(PathBuf, &str))| {
        let mut job = command(runtime.root, level);
        job.arg("-include").arg(runtime.directory.join(HEADER)).arg("-I").arg(&work);
        job.arg("-c").arg(file).arg("-o").arg(target(index));
        job
    };
    run_all(all.iter().enumerate().map(job).collect())?;
    let mut link = command(runtime.root, FAST);
    link.args([kind, "-Wl,-Bsymbolic", "-o"]).arg(result).args((0..all.len()).map(target));
    link.args(RUNTIME_FILES.map(|file| runtime.directory.join(format!("{file}.o"))));
    run(&mut link, INSTALL)?;
    compile::write(&result.with_extension("v"), unit.verilog)?;
    cache::remove(&work)
}

fn object(root: &Path, file: &str, directory: &Path) -> Command {
    let mut job = command(root, FAST);
    job.arg("-c").arg(root.join("include").join(file)).arg("-o").arg(directory.join(format!("{file}.o")));
    job
}

/// Runs compilers side by side; there are never many.
fn run_all(jobs: Vec<Command>) -> Result<(), ToolError> {
    thread::scope(|scope| {
        let start = |mut job: Command| scope.spawn(move || run(&mut job, INSTALL).map(drop));
        let threads: Vec<_> = jobs.into_iter().map(start).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("running a tool does not panic"))
    })
}

fn program() -> String {
    env::var("CXX").unwrap_or_else(|_| "g++".into())
}

fn command(root: &Path, level: &str) -> Command {
    let mut command = Command::new(program());
    let include = root.join("include");
    command.args(FLAGS).arg(level).arg("-I").arg(include.join("vltstd")).arg("-I").arg(include);
    command
}
