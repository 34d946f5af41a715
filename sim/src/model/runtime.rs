//! The run-time path: Verilog text becomes a shared object that is loaded at once and kept for next time.
use super::compile::{self, ToolError, Unit, run};
use super::{Functions, Model, PortInfo, cache, compiler};
use crate::Error;
use nicforge_hdl::verilog;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

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
    let recipe = compile::recipe(&unit, root)? + &compiler::recipe() + kind + &main_text;
    let entry = cache::entry(&cache_root, &cache::key(&recipe), |directory| {
        let runtime = compiler::runtime(&cache_root, root)?;
        compiler::compile_model(&unit, &runtime, main, kind, &directory.join(OBJECT))
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

/// The place of Verilator, asked once a process: the question starts two interpreters.
fn verilator_root() -> Result<&'static Path, ToolError> {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    if let Some(root) = ROOT.get() {
        return Ok(root);
    }
    let found = compile::verilator_root()?;
    Ok(ROOT.get_or_init(|| found))
}
