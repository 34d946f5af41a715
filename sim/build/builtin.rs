//! One built-in model: Verilog, C++, library, and the Rust that names its ports.
use crate::compile::{self, ToolError, Unit};
use nicforge_hdl::verilog::{Direction, Emitted};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Builds a design as the model `name` and links it into the crate; `constants` is Rust that its
/// module shall have beside the ports.
pub fn link(name: &str, emitted: &Emitted, constants: &str) -> Result<(), Box<dyn Error>> {
    for variable in ["VERILATOR_ROOT", "VERILATOR_BIN"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let directory = PathBuf::from(env::var("OUT_DIR")?).join(name);
    fs::create_dir_all(&directory)?;
    compile::write(&directory.join("ports.rs"), &(rust_of_ports(name, emitted)? + constants))?;
    build(name, emitted, &directory)?;
    println!("cargo:rustc-link-search=native={}", directory.display());
    // Whole: the `verilated` crate's objects need the thread pool, and linkers read archives in order.
    println!("cargo:rustc-link-lib=static:+whole-archive={}", library(name));
    println!("cargo:rustc-link-lib=dylib=stdc++");
    Ok(())
}

fn library(name: &str) -> String {
    format!("nicforge_model_{name}")
}

fn build(name: &str, emitted: &Emitted, directory: &Path) -> Result<(), Box<dyn Error>> {
    let root = compile::verilator_root()?;
    let (verilog, top) = (&emitted.verilog(), &emitted.top);
    let ports: Vec<&str> = emitted.ports.iter().map(|port| &port.name[..]).collect();
    let unit = Unit { verilog, top, name, ports: &ports, trace: true };
    let flags = ["CXX", "CXXFLAGS"].map(|name| env::var(name).unwrap_or_default());
    let stamp = compile::recipe(&unit, &root)? + &flags.join(" ");
    let stamp_file = directory.join("stamp");
    if fs::read_to_string(&stamp_file).is_ok_and(|found| found == stamp) {
        return Ok(());
    }
    // File names of Verilator contain hashes: what an older design left would be compiled again.
    let work = directory.join("work");
    remove(&work)?;
    fs::create_dir(&work)?;
    let sources = compile::verilate(&unit, &work)?;
    let include = root.join("include");
    let mut compiler = cc::Build::new();
    compiler.cpp(true).std("c++17").warnings(false).cargo_metadata(false).out_dir(directory);
    compiler.include(&work).include(include.join("vltstd")).include(&include);
    let slow = compiler.clone().opt_level(0).files(sources.slow).try_compile_intermediates()?;
    // The `verilated` crate, written for Verilator 4, leaves the thread pool out.
    compiler.opt_level(2).files(sources.fast).file(include.join("verilated_threads.cpp"));
    compiler.objects(slow).try_compile(&library(name))?;
    Ok(compile::write(&stamp_file, &stamp)?)
}

fn remove(directory: &Path) -> Result<(), ToolError> {
    if directory.exists() {
        fs::remove_dir_all(directory).map_err(compile::failed("remove", directory))?;
    }
    Ok(())
}

/// The typed ports of a model, for the module that includes them.
fn rust_of_ports(name: &str, emitted: &Emitted) -> Result<String, std::fmt::Error> {
    let (mut fields, mut handles, mut table) = (String::new(), String::new(), String::new());
    let mut counts = [0, 0];
    for port in &emitted.ports {
        let kind = usize::from(port.direction != Direction::Input);
        let (ty, index) = (["Input", "Output"][kind], counts[kind]);
        counts[kind] += 1;
        let (port, width) = (&port.name, port.width);
        writeln!(fields, "    /// `{port}`, {width} bits.\n    pub {port}: {ty},")?;
        writeln!(handles, "    {port}: {ty}({index}),")?;
        writeln!(table, "    (\"{port}\", {width}, Direction::{ty}),")?;
    }
    Ok(format!(
        "/// The ports of `{name}`, known when the crate is compiled.\n\
         #[derive(Debug, Clone, Copy)]\npub struct Ports {{\n{fields}}}\n\n\
         /// The ports of every instance of `{name}`.\npub const PORTS: Ports = Ports {{\n{handles}}};\n\n\
         const TABLE: &[(&str, usize, Direction)] = &[\n{table}];\n\n"
    ))
}
