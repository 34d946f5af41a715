//! The Verilog back end against Rust: the same random inputs go through a block's `update` as Rust
//! runs it, through the verilated module and through the module in Icarus Verilog.
//!
//! A block under comparison is written with [`subject!`](crate::subject), which also tells the harness its
//! ports. Two simulators take part because they fail differently: Icarus is event driven and knows
//! X, Verilator does neither.
mod icarus;
mod values;
mod verilated;

use nicforge_hdl::verilog::{Direction, Emitted, Options, emit_block, with_large_stack};
use rust_hdl::prelude::{Block, simulate};
use std::fmt;

pub use values::{Value, Vectors};

/// A data port of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Name in the Verilog, which is the field's unless that is a keyword there.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// Values stay below this, if it is not 0: for indices, on which Rust panics past the end.
    pub below: u64,
    /// The type is signed; its most negative value is left out, for rust-hdl recurses on it for ever.
    pub signed: bool,
}

impl Pin {
    /// 64-bit words that a value takes.
    #[must_use]
    pub fn words(&self) -> usize {
        self.width.div_ceil(64)
    }
}

/// A block that the harness can drive.
pub trait Subject: Block + Default {
    /// Its name in reports.
    const NAME: &'static str;
    /// Whether it has a clock, in the port `clk`.
    const CLOCKED: bool;
    /// Inputs but for the clock.
    fn inputs() -> Vec<Pin>;
    /// Outputs.
    fn outputs() -> Vec<Pin>;
    /// Sets the inputs from 64-bit words, least significant first.
    fn set(&mut self, words: &mut dyn Iterator<Item = u64>);
    /// Lets a block that only has expressions follow its inputs; `false` from all others, which the
    /// simulator must settle. One pass instead of three, and passes are what these tests wait for.
    fn evaluate(&mut self) -> bool;
    /// Sets the clock.
    fn set_clock(&mut self, high: bool);
    /// Appends the outputs.
    fn get(&self, words: &mut Vec<u64>);
}

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Random input vectors, or clock cycles.
    pub vectors: usize,
    /// Where they come from.
    pub seed: u64,
}

/// One output that differs from Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// `verilator` or `icarus`.
    pub simulator: &'static str,
    /// The vector's number.
    pub vector: usize,
    /// The output.
    pub output: String,
    /// Rust's value in hexadecimal.
    pub wanted: String,
    /// The simulator's value in hexadecimal; Icarus may say `x`.
    pub found: String,
    /// The inputs at that time.
    pub inputs: String,
}

/// What a comparison found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Name of the block.
    pub block: &'static str,
    /// Seed of the vectors.
    pub seed: u64,
    /// Outputs compared for each vector.
    pub outputs: usize,
    /// The first mismatches of each simulator.
    pub mismatches: Vec<Mismatch>,
    /// The Verilog that was run.
    pub verilog: String,
}

/// Why a comparison could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The back end refused the block.
    #[error(transparent)]
    Emit(#[from] nicforge_hdl::verilog::Error),
    /// Verilator or the model.
    #[error(transparent)]
    Model(#[from] nicforge_sim::Error),
    /// The Rust simulator found no stable state.
    #[error("{block}: Rust did not settle at vector {vector}")]
    Unsettled {
        /// Name of the block.
        block: &'static str,
        /// The vector's number.
        vector: usize,
    },
    /// Icarus could not be run.
    #[error("cannot run {tool} (Debian: `apt install iverilog`)")]
    Tool {
        /// The program.
        tool: &'static str,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// Icarus refused the Verilog or ended early.
    #[error("{tool} failed: {message}")]
    Failed {
        /// The program.
        tool: &'static str,
        /// What it printed.
        message: String,
    },
    /// A file of the comparison.
    #[error("cannot write the vectors")]
    Files(#[from] std::io::Error),
}

/// Mismatches that are kept for each simulator.
const KEPT: usize = 8;

/// Inputs and Rust's outputs of every vector.
struct Run<'a> {
    inputs: Vec<Pin>,
    outputs: Vec<Pin>,
    stimulus: &'a Vectors,
    /// Rust's outputs, one row of words a vector.
    wanted: Vec<Vec<u64>>,
    clocked: bool,
}

/// Compares a block, with its Verilog as emitted.
///
/// # Errors
/// If the block cannot be emitted or a simulator not be run; differences are in the report.
pub fn compare<S: Subject>(plan: Plan) -> Result<Report, Error> {
    compare_altered::<S>(plan, |text| text)
}

/// Compares a block after `alter` has changed its Verilog: to see that a fault is found.
///
/// # Errors
/// As [`compare`].
pub fn compare_altered<S: Subject>(
    plan: Plan,
    alter: impl FnOnce(String) -> String + Send,
) -> Result<Report, Error> {
    with_large_stack(|| {
        let mut subject = S::default();
        let emitted = emit_block(&mut subject, &Options { top: "subject", header: "" })?;
        let verilog = alter(emitted.verilog());
        let stimulus = Vectors::random(&S::inputs(), plan.vectors, plan.seed);
        let wanted = run_rust(&mut subject, &stimulus)?;
        let inputs = named(S::inputs(), &emitted, Direction::Input);
        let outputs = named(S::outputs(), &emitted, Direction::Output);
        let run = Run { inputs, outputs, stimulus: &stimulus, wanted, clocked: S::CLOCKED };
        let mut mismatches = verilated::run(&run, &emitted, &verilog)?;
        mismatches.extend(icarus::run(&run, &verilog)?);
        Ok(Report { block: S::NAME, seed: plan.seed, outputs: run.outputs.len(), mismatches, verilog })
    })
}

/// The pins with the names of their ports, which are in the same order.
fn named(pins: Vec<Pin>, emitted: &Emitted, direction: Direction) -> Vec<Pin> {
    let ports = emitted.ports.iter().filter(|p| p.direction == direction && p.name != "clk");
    pins.into_iter().zip(ports).map(|(pin, port)| Pin { name: port.name.clone(), ..pin }).collect()
}

fn run_rust<S: Subject>(subject: &mut S, stimulus: &Vectors) -> Result<Vec<Vec<u64>>, Error> {
    const PASSES: usize = 40;
    let settle = |subject: &mut S, vector| match subject.evaluate() || simulate(subject, PASSES) {
        true => Ok(()),
        false => Err(Error::Unsettled { block: S::NAME, vector }),
    };
    let mut rows = Vec::with_capacity(stimulus.len());
    for vector in 0..stimulus.len() {
        subject.set(&mut stimulus.row(vector).iter().copied());
        subject.set_clock(false);
        settle(subject, vector)?;
        let mut row = Vec::new();
        subject.get(&mut row);
        rows.push(row);
        if S::CLOCKED {
            subject.set_clock(true);
            settle(subject, vector)?;
        }
    }
    Ok(rows)
}

impl Run<'_> {
    /// A mismatch at the output with this number.
    fn mismatch(&self, simulator: &'static str, vector: usize, output: usize, found: String) -> Mismatch {
        let start: usize = self.outputs[..output].iter().map(Pin::words).sum();
        let pin = &self.outputs[output];
        let wanted = hexadecimal(&self.wanted[vector][start..start + pin.words()], pin.width);
        let mut inputs = Vec::new();
        let mut words = self.stimulus.row(vector);
        for pin in &self.inputs {
            let (value, rest) = words.split_at(pin.words());
            inputs.push(format!("{}={}", pin.name, hexadecimal(value, pin.width)));
            words = rest;
        }
        Mismatch { simulator, vector, output: pin.name.clone(), wanted, found, inputs: inputs.join(" ") }
    }
}

/// Words as hexadecimal digits, as many as the width needs.
fn hexadecimal(words: &[u64], width: usize) -> String {
    let digits: String = words.iter().rev().map(|w| format!("{w:016x}")).collect();
    digits[digits.len() - width.div_ceil(4)..].into()
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { simulator, vector, output, wanted, found, inputs } = self;
        write!(f, "{simulator}, vector {vector}: {output} is {found}, Rust says {wanted}; {inputs}")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} outputs, seed {:#x}", self.block, self.outputs, self.seed)?;
        for mismatch in &self.mismatches {
            writeln!(f, "  {mismatch}")?;
            let assigns = |line: &&str| {
                line.split_whitespace().take(2).any(|word| word.trim_end_matches(';') == mismatch.output)
            };
            for line in self.verilog.lines().filter(assigns) {
                writeln!(f, "      {}", line.trim())?;
            }
        }
        Ok(())
    }
}

/// Writes a block together with its [`Subject`] implementation.
///
/// ```ignore
/// subject! {
///     Sum {
///         in { a: Bits<8>; b: Bits<8>; k: Bits<3>, below 5 }
///         out { sum: Bits<8> }
///         with { carry: Signal<Local, Bit>, }
///     }
///     #[hdl_gen]
///     fn update(&mut self) {
///         self.sum.next = self.a.val() + self.b.val();
///     }
/// }
/// ```
///
/// `clocked` before the name adds the clock `clk`. The function is written in full because its
/// attribute and its `self` must come from one place, or the generated code does not find `self`.
#[macro_export]
macro_rules! subject {
    (clocked $name:ident $($rest:tt)*) => {
        $crate::subject! { @block $name true [clk: Signal<In, Clock>,] $($rest)* }
    };
    ($name:ident $($rest:tt)*) => {
        $crate::subject! { @block $name false [] $($rest)* }
    };
    (@block $name:ident $clocked:tt [$($clock:tt)*] {
        in { $($in:ident: $in_type:ty $(, below $below:tt)?);* $(;)? }
        out { $($out:ident: $out_type:ty);* $(;)? }
        with { $($with:tt)* }
    } $($update:tt)*) => {
        #[derive(rust_hdl::prelude::LogicBlock, Default)]
        pub(crate) struct $name {
            $($clock)*
            $($in: Signal<In, $in_type>,)*
            $($out: Signal<Out, $out_type>,)*
            $($with)*
        }

        impl Logic for $name {
            $($update)*
        }

        impl $crate::differential::Subject for $name {
            const NAME: &'static str = stringify!($name);
            const CLOCKED: bool = $clocked;
            fn inputs() -> Vec<$crate::differential::Pin> {
                vec![$($crate::differential::pin::<$in_type>(stringify!($in), 0 $(+ $below)?)),*]
            }
            fn outputs() -> Vec<$crate::differential::Pin> {
                vec![$($crate::differential::pin::<$out_type>(stringify!($out), 0)),*]
            }
            fn set(&mut self, words: &mut dyn Iterator<Item = u64>) {
                $(self.$in.next = $crate::differential::Value::take(words);)*
            }
            $crate::subject! { @set_clock $clocked }
            $crate::subject! { @evaluate [$($clock)* $($with)*] $($in)* }
            fn get(&self, words: &mut Vec<u64>) {
                $($crate::differential::Value::put(self.$out.val(), words);)*
            }
        }
    };
    (@evaluate [] $($in:ident)*) => {
        fn evaluate(&mut self) -> bool {
            $(self.$in.update_all();)*
            self.update();
            true
        }
    };
    (@evaluate [$($with:tt)+] $($in:ident)*) => {
        fn evaluate(&mut self) -> bool {
            false
        }
    };
    (@set_clock true) => {
        fn set_clock(&mut self, high: bool) {
            self.clk.next = high.into();
        }
    };
    (@set_clock false) => {
        fn set_clock(&mut self, _: bool) {}
    };
}

/// The pin that a port of this type makes.
#[must_use]
pub fn pin<T: Value>(name: &'static str, below: u64) -> Pin {
    use rust_hdl::prelude::TypeKind;
    let signed = matches!(T::descriptor().kind, TypeKind::Signed(_));
    Pin { name: name.into(), width: T::BITS, below, signed }
}
