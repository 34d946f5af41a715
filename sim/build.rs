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
        eprintln!(
            "(`cargo build -p nicforge --no-default-features` builds the command without it; `nicforge doctor` says what is missing)"
        );
        std::process::exit(1);
    }
}

/// The configuration of the built-in model; the same file is where a user starts.
#[cfg(feature = "ibob")]
const IBOB: &str = "../configs/ibob.toml";

#[cfg(feature = "ibob")]
fn models() -> Result<(), Box<dyn std::error::Error>> {
    use nicforge_hdl::{config::Config, top};
    for path in ["build", "src/model/compile.rs", IBOB] {
        println!("cargo:rerun-if-changed={path}");
    }
    let config = Config::load(std::path::Path::new(IBOB))?;
    let digest = format!(
        "/// The digest of the configuration that the model was built from.\n\
         pub const CONFIG_DIGEST: [u8; 32] = {:?};\n",
        config.digest()
    );
    builtin::link("ibob", &top::emit_core(&config)?, &digest)
}
