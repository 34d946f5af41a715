//! Links the built-in models into the crate: Verilog from the gateware crate, C++ from Verilator.
//!
//! A stamp of everything that decides a model lies beside it, so that an edit which changes no
//! Verilog compiles no C++. Without the feature nothing is done and no tool is needed.
#[cfg(feature = "ibob")]
#[path = "build/builtin.rs"]
mod builtin;
#[cfg(feature = "ibob")]
#[path = "src/model/compile.rs"]
mod compile;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "ibob")]
    if let Err(failure) = models() {
        eprintln!("cannot build the built-in model: {failure}");
        let causes = std::iter::successors(failure.source(), |cause| cause.source());
        causes.for_each(|cause| eprintln!("because: {cause}"));
        eprintln!("(`--no-default-features` builds without it)");
        std::process::exit(1);
    }
}

#[cfg(feature = "ibob")]
fn models() -> Result<(), Box<dyn std::error::Error>> {
    use nicforge_hdl::stream::Slice;
    use nicforge_hdl::verilog::{Options, emit_block};
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=src/model/compile.rs");
    let emitted = emit_block(&mut Slice::<64, 8>::default(), &Options { top: "slice", header: "" })?;
    builtin::link("slice", &emitted, "")
}
