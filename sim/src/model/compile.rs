//! From Verilog text to one C++ file: what the run-time path and the build script share.
//!
//! Verilator writes a class; the shim written here puts one constant table of functions in front of it,
//! so that a model linked statically and one loaded from a shared object look the same to Rust.
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// One design to turn into C++.
pub struct Unit<'a> {
    /// The Verilog text with every module.
    pub verilog: &'a str,
    /// The module to elaborate.
    pub top: &'a str,
    /// The name in the C++ class and in the exported symbol, `[a-z0-9_]+`.
    pub name: &'a str,
    /// The ports of the top, in the order of the table that the shim fills.
    pub ports: &'a [&'a str],
    /// Whether the model can write VCD files.
    pub trace: bool,
}

/// What can go wrong while a tool runs.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The program is not on PATH.
    #[error("{tool} is not on PATH; install it ({install}), then try again")]
    Missing {
        /// The program.
        tool: String,
        /// How to get it.
        install: &'static str,
    },
    /// The program reported a failure.
    #[error("{tool} failed:\n{output}")]
    Failed {
        /// The program.
        tool: String,
        /// The first lines of what it said.
        output: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {path}")]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        cause: io::Error,
    },
}

const VERILATOR_INSTALL: &str =
    "Debian: `apt install verilator`; version 5.006 or newer, with its include directory";
const OUTPUT_LINES: usize = 20;
/// Above this many octets of generated C++ one unit would need too much compiler memory.
const UNITY_LIMIT: u64 = 3_000_000;
/// Below this many octets of slow code a second unit costs more than it saves.
const SPLIT_LIMIT: u64 = 60_000;

/// The Verilator to call: `VERILATOR_BIN`, else `verilator`.
fn verilator_program() -> String {
    env::var("VERILATOR_BIN").unwrap_or_else(|_| "verilator".into())
}

/// The directory that holds Verilator's `include`.
pub fn verilator_root() -> Result<PathBuf, ToolError> {
    if let Some(root) = env::var_os("VERILATOR_ROOT") {
        return Ok(root.into());
    }
    let mut command = Command::new(verilator_program());
    command.args(["--getenv", "VERILATOR_ROOT"]);
    Ok(PathBuf::from(run(&mut command, VERILATOR_INSTALL)?.trim()))
}

/// Runs a program to its end and returns its standard output.
pub fn run(command: &mut Command, install: &'static str) -> Result<String, ToolError> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => ToolError::Missing { tool: tool.clone(), install },
        _ => ToolError::File { action: "run", path: tool.clone().into(), cause },
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = [&output.stderr[..], &output.stdout[..]].map(String::from_utf8_lossy).concat();
    let first: Vec<&str> = said.lines().take(OUTPUT_LINES).collect();
    Err(ToolError::Failed { tool, output: format!("{}\n({})", first.join("\n"), output.status) })
}

/// The arguments of Verilator that shape the model, for the call and for the key of the cache.
fn verilator_arguments(unit: &Unit) -> Vec<String> {
    // Undefined values are constants, so that every run of a design gives the same result.
    let mut arguments: Vec<String> = [
        "--cc",
        "-O3",
        "--x-assign",
        "fast",
        "--x-initial",
        "fast",
        "-Wno-fatal",
        "-Wno-lint",
        "--top-module",
    ]
    .map(String::from)
    .into();
    arguments.extend([unit.top.into(), "--prefix".into(), class(unit.name)]);
    if unit.trace {
        arguments.push("--trace".into());
    }
    arguments
}

/// The C++ of one model, to be compiled at two levels of optimisation.
pub struct Sources {
    /// What runs every cycle.
    pub fast: Vec<PathBuf>,
    /// What runs once, at power-up; optimising it would take most of the time and gain nothing.
    pub slow: Vec<PathBuf>,
}

/// Verilates into an empty directory and writes the shim.
///
/// Files of a kind come as one: each generated file costs about a second for Verilator's headers
/// alone. Little slow code goes with the fast.
pub fn verilate(unit: &Unit, directory: &Path) -> Result<Sources, ToolError> {
    let source = directory.join(format!("{}.v", unit.name));
    write(&source, unit.verilog)?;
    let mut command = Command::new(verilator_program());
    command.args(verilator_arguments(unit)).arg("-Mdir").arg(directory).arg(&source);
    run(&mut command, VERILATOR_INSTALL)?;
    write(&directory.join("shim.cpp"), &shim(unit))?;
    let is_slow = |file: &PathBuf| file.to_string_lossy().ends_with("Slow.cpp");
    let (slow, mut fast): (Vec<_>, Vec<_>) = generated_files(directory)?.into_iter().partition(is_slow);
    if octets(&slow) < SPLIT_LIMIT {
        fast.extend(slow);
        return Ok(Sources { fast: unity(fast, directory, "fast.cc")?, slow: Vec::new() });
    }
    Ok(Sources { fast: unity(fast, directory, "fast.cc")?, slow: unity(slow, directory, "slow.cc")? })
}

fn octets(files: &[PathBuf]) -> u64 {
    files.iter().filter_map(|file| fs::metadata(file).ok()).map(|data| data.len()).sum()
}

/// One file that includes the others, unless that would be too much for the compiler's memory.
fn unity(files: Vec<PathBuf>, directory: &Path, name: &str) -> Result<Vec<PathBuf>, ToolError> {
    if octets(&files) > UNITY_LIMIT {
        return Ok(files);
    }
    let names = files.iter().filter_map(|file| file.file_name());
    let text: String = names.map(|name| format!("#include \"{}\"\n", name.to_string_lossy())).collect();
    let unity = directory.join(name);
    write(&unity, &text)?;
    Ok(vec![unity])
}

/// Everything that decides what a model computes, as text: equal recipes give equal models.
pub fn recipe(unit: &Unit, root: &Path) -> Result<String, ToolError> {
    let identity = read(&root.join("include/verilated_config.h"))?;
    let arguments = verilator_arguments(unit).join(" ");
    Ok([&identity, &arguments, &shim(unit), unit.verilog].map(|part| format!("{part}\n")).concat())
}

/// The C++ class that Verilator writes for a unit of this name.
fn class(name: &str) -> String {
    format!("V{name}")
}

/// The C++ that puts a table of functions in front of the model, one context per instance.
fn shim(unit: &Unit) -> String {
    let (name, class) = (unit.name, class(unit.name));
    let mut ports = String::new();
    for (index, port) in unit.ports.iter().enumerate() {
        let _ = writeln!(ports, "    out[{index}] = &top.{};", member(port));
    }
    let (header, functions) =
        if unit.trace { (TRACE_HEADER, TRACE_FUNCTIONS) } else { ("", NO_TRACE_FUNCTIONS) };
    SHIM.replace("@HEADER@", header)
        .replace("@TRACE@", functions)
        .replace("@PORTS@", &ports)
        .replace("@COUNT@", &unit.ports.len().to_string())
        .replace("@CLASS@", &class)
        .replace("@NAME@", name)
}

/// The C++ member of a port: Verilator keeps `__` for itself and writes a second underscore as its code.
fn member(port: &str) -> String {
    port.replace("__", "___05F")
}

const TRACE_HEADER: &str = "#include \"verilated_vcd_c.h\"\n";

const SHIM: &str = r#"// Written by nicforge: one table of functions in front of a verilated model.
#include "@CLASS@.h"
#include "verilated.h"
@HEADER@
namespace {
struct Instance {
    VerilatedContext context;
    @CLASS@ top;
@TRACE@};
Instance* at(void* instance) { return static_cast<Instance*>(instance); }
void* create() { return new Instance; }
void destroy(void* instance) {
    at(instance)->close();
    at(instance)->top.final();
    delete at(instance);
}
void eval(void* instance) { at(instance)->top.eval(); }
void ports(void* instance, void** out) {
    @CLASS@& top = at(instance)->top;
@PORTS@}
int open(void* instance, const char* path) { return at(instance)->open(path); }
void dump(void* instance, unsigned long long time) { at(instance)->dump(time); }
}

struct NicforgeFunctions {
    unsigned long long port_count;
    void* (*create)();
    void (*destroy)(void*);
    void (*eval)(void*);
    void (*ports)(void*, void**);
    int (*trace_open)(void*, const char*);
    void (*trace_dump)(void*, unsigned long long);
};
extern "C" __attribute__((visibility("default"))) const NicforgeFunctions nicforge_model_@NAME@;
const NicforgeFunctions nicforge_model_@NAME@ = {@COUNT@, create, destroy, eval, ports, open, dump};
"#;

const TRACE_FUNCTIONS: &str = r#"    VerilatedVcdC* file = nullptr;
    Instance() : top{&context, "top"} { context.traceEverOn(true); }
    int open(const char* path) {
        close();
        file = new VerilatedVcdC;
        top.trace(file, 99);
        file->open(path);
        return file->isOpen();
    }
    void dump(unsigned long long time) { if (file) file->dump(static_cast<uint64_t>(time)); }
    void close() {
        if (file) file->close();
        delete file;
        file = nullptr;
    }
"#;

const NO_TRACE_FUNCTIONS: &str = r#"    Instance() : top{&context, "top"} {}
    int open(const char*) { return 0; }
    void dump(unsigned long long) {}
    void close() {}
"#;

fn generated_files(directory: &Path) -> Result<Vec<PathBuf>, ToolError> {
    let entries = fs::read_dir(directory).map_err(failed("list", directory))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    files.sort();
    Ok(files)
}

/// Reads a text file.
pub fn read(path: &Path) -> Result<String, ToolError> {
    fs::read_to_string(path).map_err(failed("read", path))
}

/// Writes a text file.
pub fn write(path: &Path, text: &str) -> Result<(), ToolError> {
    fs::write(path, text).map_err(failed("write", path))
}

/// Wraps an input or output error with what was tried on which path.
pub fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ToolError {
    let path = path.to_path_buf();
    move |cause| ToolError::File { action, path, cause }
}
