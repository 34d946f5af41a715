//! Formal proofs: what shall hold of a block in every state that it can reach, whatever is at its inputs.
//!
//! The properties stand in `hdl/formal`, and the back end puts a hook for them into the module. yosys
//! makes a circuit of block and properties that has an output for every property, high where the property
//! is broken; its `abc` proves that none ever rises (property directed reachability), without a bound on
//! the number of cycles. A block that could do nothing would keep every promise, so each file of
//! properties also holds one that must be broken, under `REACH`: the fullest state is reached.

use nicforge_hdl::stream::{Fifo, Slice};
use nicforge_hdl::verilog::{self, Emitted, Options, emit_block};
use rust_hdl::prelude::Block;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// A block and how large it is for the proof: order does not depend on the width of the data, so it is small.
#[derive(Clone, Copy, Debug)]
pub struct Proof {
    /// Name of the module, and of its file of properties.
    pub name: &'static str,
    /// What is proven, as a sentence.
    pub promise: &'static str,
    /// Whether it takes seconds only, so that it belongs to the tests.
    pub quick: bool,
    design: fn(&'static str) -> Result<Emitted, verilog::Error>,
}

/// Every proof.
pub const PROOFS: &[Proof] = &[
    Proof {
        name: "slice",
        promise: "a register slice loses, invents and reorders nothing, and holds what is not taken",
        quick: true,
        design: |name| print(name, Slice::<2, 1>::default()),
    },
    Proof {
        name: "fifo",
        promise: "a FIFO loses, invents and reorders nothing, and every word comes out within three cycles",
        quick: false,
        design: |name| print(name, Fifo::<2, 1, 2, 3>::default()),
    },
];

fn print<B: Block>(top: &str, mut block: B) -> Result<Emitted, verilog::Error> {
    emit_block(&mut block, &Options { top, header: "" })
}

/// How a proof ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No property can be broken.
    Holds,
    /// One can be.
    Broken {
        /// Cycles after power-up.
        cycle: u64,
    },
}

/// What is asked of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether the properties hold.
    Promise,
    /// Whether the fullest state can be reached, that is, whether the property under `REACH` is broken.
    Reach,
}

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The block does not print.
    #[error(transparent)]
    Print(#[from] verilog::Error),
    /// A program cannot be used.
    #[error("cannot {action} {what}")]
    Use {
        /// What was tried.
        action: &'static str,
        /// With what.
        what: String,
        /// Why it failed.
        #[source]
        cause: std::io::Error,
    },
    /// A program says something else than a verdict.
    #[error("{program} on {name}: wanted a verdict within {LIMIT} s, found:\n{said}")]
    Tool {
        /// The program.
        program: &'static str,
        /// The proof.
        name: String,
        /// What it said.
        said: String,
    },
}

/// Seconds after which a solver is given up.
const LIMIT: u32 = 1_200;

impl Proof {
    /// The design with the hook.
    ///
    /// # Errors
    /// The back end's.
    pub fn design(&self) -> Result<Emitted, Error> {
        Ok((self.design)(self.name)?)
    }
}

/// Asks a question about a printed design.
///
/// # Errors
/// If the tools are missing, or give no verdict in time.
pub fn ask(design: &Emitted, question: Question) -> Result<Verdict, Error> {
    let place = tempfile::tempdir().map_err(unusable("create", "a temporary folder"))?;
    circuit(design, question, place.path())?;
    let solve = match question {
        Question::Promise => "pdr",
        Question::Reach => "bmc3 -F 100",
    };
    let script = format!("read_aiger circuit.aig; fold; strash; {solve}");
    let said = run("yosys-abc", &["-c", &script], place.path())?;
    verdict(&said).ok_or_else(|| Error::Tool { program: "yosys-abc", name: design.top.clone(), said })
}

fn verdict(said: &str) -> Option<Verdict> {
    if said.contains("Property proved.") || said.contains("No output asserted in") {
        return Some(Verdict::Holds);
    }
    let (_, rest) = said.split_once("was asserted in frame ")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some(Verdict::Broken { cycle: digits.parse().ok()? })
}

/// Writes the circuit of a design and its properties.
fn circuit(design: &Emitted, question: Question, place: &Path) -> Result<(), Error> {
    write(&place.join("design.v"), &design.verilog())?;
    for properties in &design.properties {
        write(&place.join(format!("formal/{}.sv", properties.name)), properties.text)?;
    }
    let mut script = String::new();
    if question == Question::Reach {
        script.push_str("read -define REACH\n");
    }
    write!(script, "read -formal design.v\nhierarchy -check -top {}\n", design.top)
        .expect("writing to a string cannot fail");
    // Ports would count as properties; registers must be plain ones before they are written.
    script.push_str(
        "proc\nflatten\nmemory_map\nopt -full\nasync2sync\nsetattr -unset keep\ndelete -output\nopt\n\
         setundef -undriven -anyseq\nsimplemap\ntechmap\nopt -fast\ndffunmap\nabc -g AND -fast\nopt_clean\n\
         write_aiger -B -zinit circuit.aig\n",
    );
    write(&place.join("circuit.ys"), &script)?;
    let said = run("yosys", &["-q", "-s", "circuit.ys"], place)?;
    if place.join("circuit.aig").is_file() {
        return Ok(());
    }
    Err(Error::Tool { program: "yosys", name: design.top.clone(), said })
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    let folder = file.parent().expect("every file lies in a folder");
    std::fs::create_dir_all(folder).map_err(unusable("create", folder.display().to_string()))?;
    std::fs::write(file, text).map_err(unusable("write", file.display().to_string()))
}

/// All that a program says; how it ended is seen from what it left.
fn run(program: &'static str, arguments: &[&str], place: &Path) -> Result<String, Error> {
    let mut command = Command::new("timeout");
    command.arg(LIMIT.to_string()).arg(program).args(arguments).current_dir(place);
    let output = command.output().map_err(unusable("start", program))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

fn unusable(action: &'static str, what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
    let what = what.into();
    move |cause| Error::Use { action, what, cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(name: &str) -> &'static Proof {
        PROOFS.iter().find(|proof| proof.name == name).unwrap()
    }

    #[test]
    fn the_quick_promises_hold() {
        for proof in PROOFS.iter().filter(|proof| proof.quick) {
            let design = proof.design().unwrap();
            assert_eq!(ask(&design, Question::Promise).unwrap(), Verdict::Holds, "{}", proof.name);
        }
    }

    #[test]
    fn every_proof_has_properties_and_is_about_a_block_that_does_something() {
        for proof in PROOFS {
            let design = proof.design().unwrap();
            assert!(
                design.properties.iter().any(|properties| properties.name == proof.name),
                "{}",
                proof.name
            );
            let reached = ask(&design, Question::Reach).unwrap();
            assert!(matches!(reached, Verdict::Broken { .. }), "{}: {reached:?}", proof.name);
        }
    }

    /// One line of each block changed in a way that a test with a few words would not see.
    #[test]
    fn a_broken_block_is_found_out() {
        for (name, from, to) in [
            ("slice", "spare_valid <= sink_valid | spare_valid;", "spare_valid <= sink_valid;"),
            ("slice", "if (!spare_valid) begin", "if (1'b1) begin"),
            ("fifo", "full <= count == almost_full;", "full <= 1'b0;"),
            ("fifo", "some <= count != 3'd1;", "some <= 1'b0;"),
        ] {
            let mut design = proof(name).design().unwrap();
            let module = design.modules.iter_mut().find(|module| module.name == name).unwrap();
            assert_eq!(module.text.matches(from).count(), 1, "{name}: {from}");
            module.text = module.text.replace(from, to);
            let verdict = ask(&design, Question::Promise).unwrap();
            assert!(matches!(verdict, Verdict::Broken { .. }), "{name}: {to}: {verdict:?}");
        }
    }
}
