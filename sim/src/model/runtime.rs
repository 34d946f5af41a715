//! The run-time path: Verilog text becomes a shared object that is loaded at once and kept for next time.
use super::compile::{self, ToolError, Unit, run};
use super::{Functions, Model, PortInfo, cache};
use crate::Error;
use nicforge_hdl::verilog;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::{env, fs, thread};

/// A design as Verilog text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerilogSource {
    /// Every module.
    pub text: String,
    /// The name of the module to simulate.
    pub top: String,
    /// Its ports.
    pub ports: Vec<PortInfo>,
}

impl From<&verilog::Emitted> for VerilogSource {
    /// What the back end printed; bidirectional ports are left out, for no actor can drive half of one.
    fn from(emitted: &verilog::Emitted) -> Self {
        let info = |port: &verilog::Port| match port.direction {
            verilog::Direction::Input => Some(PortInfo::input(&port.name, port.width)),
            verilog::Direction::Output => Some(PortInfo::output(&port.name, port.width)),
            _ => None,
        };
        let ports = emitted.ports.iter().filter_map(info).collect();
        Self { text: emitted.verilog(), top: emitted.top.clone(), ports }
    }
}

/// How to build a model.
#[derive(Debug, Clone, Default)]
pub struct BuildOptions {
    /// Whether it can write VCD files; costs build time, and little speed while no file is open.
    pub trace: bool,
    /// Where compiled models are kept; by default `NICFORGE_CACHE`, else `target/models`.
    pub cache: Option<PathBuf>,
}

/// A compiled design, of which any number of instances can be made.
#[derive(Debug, Clone)]
pub struct Library {
    code: Arc<libloading::Library>,
    table: *const Functions,
    ports: Arc<[PortInfo]>,
    trace: bool,
}

// SAFETY: the table is constant data inside the code that the library holds.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// The name of every model loaded at run time; symbols of different objects do not meet.
const NAME: &str = "loaded";
const SYMBOL: &[u8] = b"nicforge_model_loaded\0";
const OBJECT: &str = "model";
/// The C++ files of Verilator's run-time library that a model needs beside its own.
const RUNTIME_FILES: [&str; 3] = ["verilated.cpp", "verilated_threads.cpp", "verilated_vcd_c.cpp"];
const COMPILER_INSTALL: &str = "Debian: `apt install g++`";
/// Symbols stay inside their object: many models, each with its own run-time library, share a process.
const COMPILER_FLAGS: [&str; 9] = [
    "-std=c++17",
    "-O2",
    "-fPIC",
    "-pthread",
    "-w",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-fno-gnu-unique",
    "-DVERILATOR=1",
];

/// Verilates and compiles a design, or takes it from the cache, and loads it.
pub fn build(source: &VerilogSource, options: &BuildOptions) -> Result<Library, Error> {
    let object = compiled(source, options, "-shared", None)?;
    load(&object, source, options.trace)
}

/// Compiles a design together with a C++ `main` into a program, with the flags of [`build`].
///
/// The class of the design is `Vloaded`. For comparisons with test benches in C++.
pub fn program(source: &VerilogSource, main: &Path, options: &BuildOptions) -> Result<PathBuf, Error> {
    compiled(source, options, "-pie", Some(main))
}

/// Runs a program to its end and returns what it printed.
pub fn run_tool(command: &mut Command) -> Result<String, Error> {
    Ok(run(command, "it was built by this program")?)
}

/// The compiled design from the cache, as a shared object or, with a `main`, as a program.
fn compiled(
    source: &VerilogSource,
    options: &BuildOptions,
    kind: &'static str,
    main: Option<&Path>,
) -> Result<PathBuf, Error> {
    let names: Vec<&str> = source.ports.iter().map(|port| &port.name[..]).collect();
    let trace = options.trace;
    let unit = Unit { verilog: &source.text, top: &source.top, name: NAME, ports: &names, trace };
    let root = verilator_root()?;
    let cache_root = options.cache.clone().unwrap_or_else(cache::default_directory);
    let main_text = main.map_or(Ok(String::new()), compile::read)?;
    let recipe = compile::recipe(&unit, root)? + &compiler() + kind + &COMPILER_FLAGS.join(" ") + &main_text;
    let entry = cache::entry(&cache_root, &cache::key(&recipe), |directory| {
        let mut inputs = runtime_objects(&cache_root, root)?;
        inputs.extend(main.map(PathBuf::from));
        compile_model(&unit, root, kind, &inputs, directory)
    })?;
    Ok(entry.join(OBJECT))
}

impl Library {
    /// Makes a new instance with its own state, at power-up.
    pub fn instance(&self) -> Result<Model, Error> {
        // SAFETY: the table lives as long as the code, which the model keeps too, and the object
        // came from the cache under a key that contains the shim for these ports.
        let functions: &'static Functions = unsafe { &*self.table };
        Model::new(functions, self.ports.clone(), self.trace, Some(self.code.clone()))
    }

    /// Every port, in the order of the module.
    pub fn ports(&self) -> &[PortInfo] {
        &self.ports
    }
}

fn load(object: &Path, source: &VerilogSource, trace: bool) -> Result<Library, Error> {
    let failed = |cause| Error::Load { path: object.into(), cause };
    // SAFETY: the object holds only the model and Verilator's run-time library, whose static
    // initialisers touch nothing outside it.
    let code = unsafe { libloading::Library::new(object) }.map_err(failed)?;
    // SAFETY: the shim defines this symbol as a constant of this layout.
    let table = unsafe { *code.get::<*const Functions>(SYMBOL).map_err(failed)? };
    Ok(Library { code: Arc::new(code), table, ports: source.ports.clone().into(), trace })
}

/// Compiles one model; of all that arises only the object and its Verilog are kept.
fn compile_model(
    unit: &Unit,
    root: &Path,
    kind: &str,
    inputs: &[PathBuf],
    directory: &Path,
) -> Result<(), ToolError> {
    let work = directory.join("work");
    fs::create_dir(&work).map_err(compile::failed("create", &work))?;
    let files = compile::verilate(unit, &work)?;
    let mut command = compiler_command(root);
    command.args([kind, "-Wl,-Bsymbolic", "-I"]).arg(&work);
    command.arg("-o").arg(directory.join(OBJECT)).args(files).args(inputs);
    run(&mut command, COMPILER_INSTALL)?;
    compile::write(&directory.join("model.v"), unit.verilog)?;
    cache::remove(&work)
}

/// Verilator's run-time library, compiled once for a version of Verilator.
fn runtime_objects(cache_root: &Path, root: &Path) -> Result<Vec<PathBuf>, ToolError> {
    let header = compile::read(&root.join("include/verilated_config.h"))?;
    let key = cache::key(&(header + &compiler() + &COMPILER_FLAGS.join(" ")));
    let object = |file: &&str| format!("{file}.o");
    let entry = cache::entry(cache_root, &format!("runtime-{key}"), |directory| {
        let compile_one = |file: &&str| {
            let mut command = compiler_command(root);
            command
                .arg("-c")
                .arg(root.join("include").join(file))
                .arg("-o")
                .arg(directory.join(object(file)));
            run(&mut command, COMPILER_INSTALL).map(drop)
        };
        thread::scope(|scope| {
            let spawn = |file| scope.spawn(move || compile_one(file));
            let threads: Vec<_> = RUNTIME_FILES.iter().map(spawn).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("the compilation does not panic"))
        })
    })?;
    Ok(RUNTIME_FILES.iter().map(|file| entry.join(object(file))).collect())
}

fn compiler() -> String {
    env::var("CXX").unwrap_or_else(|_| "g++".into())
}

fn compiler_command(root: &Path) -> Command {
    let mut command = Command::new(compiler());
    let include = root.join("include");
    command.args(COMPILER_FLAGS).arg("-I").arg(include.join("vltstd")).arg("-I").arg(include);
    command
}

/// The place of Verilator, asked once a process: the question starts two interpreters.
fn verilator_root() -> Result<&'static Path, ToolError> {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    if let Some(root) = ROOT.get() {
        return Ok(root);
    }
    let found = compile::verilator_root()?;
    Ok(ROOT.get_or_init(|| found))
}
