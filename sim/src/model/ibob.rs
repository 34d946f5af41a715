//! The built-in model of the `ibob` top, as `configs/ibob.toml` describes it.
use super::{Direction, Functions, Input, Model, Output, PortInfo};
use crate::Error;

// The objects of Verilator's run-time library come with this crate.
extern crate verilated;

include!(concat!(env!("OUT_DIR"), "/ibob/ports.rs"));

unsafe extern "C" {
    /// Defined by the shim that the build script compiled.
    static nicforge_model_ibob: Functions;
}

/// Makes an instance, at power-up.
pub fn model() -> Result<Model, Error> {
    let describe = |(name, width, direction): &(&str, usize, Direction)| PortInfo {
        name: (*name).into(),
        width: *width,
        direction: *direction,
    };
    // SAFETY: the shim defines a constant of this layout, and code linked into the program stays.
    let functions = unsafe { &nicforge_model_ibob };
    Model::new(functions, TABLE.iter().map(describe).collect(), true, None)
}
