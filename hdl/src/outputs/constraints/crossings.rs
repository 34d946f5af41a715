//! Where signals pass from one clock to another: found in the printed design by the names of the
//! two blocks through which alone they may.

use crate::outputs::hierarchy::instances;
use crate::verilog::Emitted;

/// Module names of the block that passes words, `crate::stream::AsyncFifo`, begin so.
const FIFO: &str = "async_fifo";
/// Module names of the block that passes one bit, `crate::stream::Synchronizer`, begin so.
const BIT: &str = "synchronizer";

/// A passage between two clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Instances from the top module down to the block, with `/` between.
    pub instance: String,
    /// What passes.
    pub kind: CrossingKind,
}

/// What passes between two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossingKind {
    /// Pointers in Gray code, both ways: their bits must arrive within one period of each other.
    Fifo,
    /// One bit.
    Bit,
}

impl CrossingKind {
    /// The registers between which the pointers of a FIFO pass: the last of one clock, the first of the other.
    pub const POINTERS: [(&'static str, &'static str); 2] =
        [("write_gray", "write_gray_meta"), ("read_gray", "read_gray_meta")];
    /// The register in which a bit arrives.
    pub const ARRIVAL: &'static str = "meta";
}

/// Every passage of a design, in the order of its hierarchy.
pub fn crossings(design: &Emitted) -> Vec<Crossing> {
    let mut found = Vec::new();
    walk(design, &design.top, "", &mut found);
    found
}

fn walk(design: &Emitted, module: &str, path: &str, found: &mut Vec<Crossing>) {
    let Some(module) = design.modules.iter().find(|other| other.name == module) else { return };
    for (name, instance) in instances(&module.text, design) {
        let instance = if path.is_empty() { instance.to_owned() } else { format!("{path}/{instance}") };
        let kind = match name {
            _ if name.starts_with(FIFO) => Some(CrossingKind::Fifo),
            _ if name.starts_with(BIT) => Some(CrossingKind::Bit),
            _ => None,
        };
        match kind {
            Some(kind) => found.push(Crossing { instance, kind }),
            None => walk(design, name, &instance, found),
        }
    }
}
