//! Area: emitted blocks against the same blocks written by hand, and a whole card against its part.
use super::process::{failed, measure, workspace};
use super::{Better, Error, Figure};
use nicforge_hdl::config::Config;
use nicforge_hdl::ip::WordSum;
use nicforge_hdl::stream::{Fifo, Slice};
use nicforge_hdl::top;
use nicforge_hdl::verilog::{self, Emitted, Options};
use nicforge_sim::model::{self, BuildOptions, Direction, Model, PortInfo, VerilogSource};
use rust_hdl::prelude::Block;
use std::collections::BTreeMap;
use std::process::Command;

pub const BLOCKS: &str = "gateware.area.emitted_vs_handwritten";
pub const LUT: &str = "gateware.area.ibob.lut";
pub const FLIP_FLOPS: &str = "gateware.area.ibob.ff";
pub const BLOCK_RAM: &str = "gateware.area.ibob.bram";

const BLOCKS_TARGET: f64 = 1.05;
/// What an XC2VP50 has: four-input tables, as many flip-flops, and block RAMs of 18 kbit (Xilinx DS083).
const PART: [f64; 3] = [47_232.0, 47_232.0, 232.0];
/// The share of the part that a card may take, so that it can be placed and routed with ease.
const SHARE: f64 = 0.6;
/// Seconds after which a synthesis is given up.
const LIMIT: u32 = 900;
/// Clock cycles in which two blocks must give the same.
const CYCLES: u32 = 20_000;

/// A block as the back end prints it and as a person writes it.
struct Pair {
    emitted: Emitted,
    by_hand: &'static str,
}

impl Pair {
    fn new<B: Block>(top: &str, mut block: B, by_hand: &'static str) -> Result<Self, Error> {
        Ok(Self { emitted: verilog::emit_block(&mut block, &Options { top, header: "" })?, by_hand })
    }
}

/// The three blocks.
fn pairs() -> Result<[Pair; 3], Error> {
    Ok([
        Pair::new("slice", Slice::<64, 8>::default(), include_str!("../../peers/slice.v"))?,
        Pair::new("fifo", Fifo::<64, 8, 9, 10>::default(), include_str!("../../peers/fifo.v"))?,
        Pair::new("word_sum", WordSum::default(), include_str!("../../peers/word_sum.v"))?,
    ])
}

/// Area of three emitted blocks over that of the same blocks by hand, for ECP5. Both must give the same
/// in every cycle of a random run.
pub fn blocks() -> Result<Vec<Figure>, Error> {
    let (mut emitted, mut by_hand) = (0, 0);
    for Pair { emitted: design, by_hand: text } in pairs()? {
        let ours = VerilogSource::from(&design);
        agree(&ours, &VerilogSource { text: text.into(), ..ours.clone() })?;
        let script = format!("synth_ecp5 -abc9 -top {}", design.top);
        emitted += tables(&cells(&ours.text, &script)?);
        by_hand += tables(&cells(text, &script)?);
    }
    let ratio = Figure::new(BLOCKS, f64::from(emitted) / f64::from(by_hand), "ratio", Better::Lower);
    let work = format!("yosys synth_ecp5 -abc9, LUT4 + 2 x CCU2C of three blocks: {emitted} over {by_hand}");
    Ok(vec![ratio.target(BLOCKS_TARGET).peer("hand-written Verilog", 1.0).running(&work)])
}

/// What `ibob` takes of its part.
pub fn ibob() -> Result<Vec<Figure>, Error> {
    let design = top::emit_core(&Config::load(&workspace().join("configs/ibob.toml"))?)?;
    let script = format!("synth_xilinx -family xc2vp -flatten -top {}", design.top);
    let cells = cells(&design.verilog(), &script)?;
    let used = [xilinx_tables(&cells), count(&cells, |name| name.starts_with("FD")), block_rams(&cells)];
    let keys = [(LUT, "LUT4"), (FLIP_FLOPS, "flip-flops"), (BLOCK_RAM, "block RAMs")];
    let figure = |((key, unit), (used, part)): ((&'static str, &'static str), (u32, f64))| {
        let figure = Figure::new(key, f64::from(used), unit, Better::Lower).target((SHARE * part).floor());
        figure.peer("all of an XC2VP50", part).running("yosys synth_xilinx -family xc2vp -flatten")
    };
    Ok(keys.into_iter().zip(used.into_iter().zip(PART)).map(figure).collect())
}

type Cells = BTreeMap<String, u32>;

/// Synthesises a design; the cells that it becomes, by name.
fn cells(text: &str, script: &str) -> Result<Cells, Error> {
    let place = tempfile::tempdir().map_err(failed("create", "a temporary folder"))?;
    let (design, report) = (place.path().join("design.v"), place.path().join("cells"));
    std::fs::write(&design, text).map_err(failed("write", &design))?;
    let script = format!("read_verilog {}; {script}; tee -q -o {} stat", design.display(), report.display());
    measure(Command::new("yosys").args(["-q", "-p", &script]), LIMIT)?;
    let report = std::fs::read_to_string(&report).map_err(failed("read", &report))?;
    let cells = listed(&report);
    match cells.is_empty() {
        true => Err(Error::Output { program: "yosys stat", wanted: "a list of cells", found: report }),
        false => Ok(cells),
    }
}

/// The cells of a report: lines of a name and a number below the sum of all.
fn listed(report: &str) -> Cells {
    let below = report.lines().skip_while(|line| !line.contains("Number of cells:")).skip(1);
    let cell = |line: &str| {
        let (name, number) = line.trim().split_once(' ')?;
        Some((name.to_owned(), number.trim().parse().ok()?))
    };
    below.map_while(cell).collect()
}

fn count(cells: &Cells, wanted: impl Fn(&str) -> bool) -> u32 {
    cells.iter().filter(|(name, _)| wanted(name)).map(|(_, number)| number).sum()
}

/// Tables of an ECP5: a carry cell takes two.
fn tables(cells: &Cells) -> u32 {
    count(cells, |name| name == "LUT4") + 2 * count(cells, |name| name == "CCU2C")
}

/// Tables of a Virtex-II Pro: logic, inverters that stand alone, shift registers, and memories of 16 bits, of
/// which one with two ports takes two.
fn xilinx_tables(cells: &Cells) -> u32 {
    let logic =
        |name: &str| name == "INV" || name.strip_prefix("LUT").is_some_and(|inputs| inputs.len() == 1);
    let memory = |name: &str| name.starts_with("RAM") && !name.starts_with("RAMB");
    let two_ports = |name: &str| memory(name) && name.ends_with('D');
    let shift = |name: &str| name.starts_with("SRL");
    count(cells, |name| logic(name) || shift(name) || memory(name)) + count(cells, two_ports)
}

/// Block RAMs of 18 kbit.
fn block_rams(cells: &Cells) -> u32 {
    count(cells, |name| name.starts_with("RAMB16") || name.starts_with("RAMB18"))
}

/// A random run of two designs with the same ports; data that is not valid may differ.
fn agree(one: &VerilogSource, other: &VerilogSource) -> Result<(), Error> {
    let options = BuildOptions::default();
    let mut models = [model::build(one, &options)?.instance()?, model::build(other, &options)?.instance()?];
    let [inputs, outputs] = ports(&one.ports);
    let mut random = fastrand::Rng::with_seed(1);
    for cycle in 0..CYCLES {
        for port in inputs.iter().filter(|port| port.name != "clock") {
            // What is taken seldom for a long time fills a FIFO, what is taken often empties it.
            let often = if cycle / 4096 % 2 == 0 { 1 } else { 7 };
            let value = match port.name.as_str() {
                "reset" => u64::from(cycle < 2 || random.u32(..5000) == 0),
                "source_ready" => u64::from(random.u32(..8) < often),
                _ => random.u64(..),
            };
            drive(&mut models, &port.name, value & mask(port.width))?;
        }
        models.iter_mut().for_each(Model::eval);
        compare(&models, &outputs, cycle)?;
        for level in [1, 0] {
            drive(&mut models, "clock", level)?;
            models.iter_mut().for_each(Model::eval);
        }
    }
    Ok(())
}

/// Inputs and outputs.
fn ports(all: &[PortInfo]) -> [Vec<PortInfo>; 2] {
    let (inputs, outputs) =
        all.iter().cloned().partition(|port: &PortInfo| port.direction == Direction::Input);
    [inputs, outputs]
}

fn mask(width: usize) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn drive(models: &mut [Model; 2], name: &str, value: u64) -> Result<(), Error> {
    for model in models {
        let port = model.input(name)?;
        model.set(port, value);
    }
    Ok(())
}

/// The outputs of both models; those of a stream count while it is valid.
fn compare(models: &[Model; 2], outputs: &[PortInfo], cycle: u32) -> Result<(), Error> {
    let read = |model: &Model, name: &str| model.output(name).map(|port| model.get(port));
    for port in outputs {
        let [one, other] = [read(&models[0], &port.name)?, read(&models[1], &port.name)?];
        let stream = port.name.starts_with("source_") && port.name != "source_valid";
        if one != other && !(stream && read(&models[0], "source_valid")? == 0) {
            let said = |value| format!("{}={value:#x} in cycle {cycle}", port.name);
            return Err(Error::Differs { what: "two blocks", wanted: said(other), found: said(one) });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The comparison of areas means something only if both do the same work.
    #[test]
    fn each_block_by_hand_gives_what_the_emitted_one_gives() {
        for Pair { emitted, by_hand } in pairs().unwrap() {
            let ours = VerilogSource::from(&emitted);
            agree(&ours, &VerilogSource { text: by_hand.into(), ..ours.clone() }).unwrap();
        }
    }

    #[test]
    fn a_block_that_does_less_is_told_apart() {
        let [_, fifo, _] = pairs().unwrap();
        let ours = VerilogSource::from(&fifo.emitted);
        let broken = fifo.by_hand.replace("full <= count == 10'd511;", "full <= count == 10'd500;");
        assert_ne!(broken, fifo.by_hand);
        let error = agree(&ours, &VerilogSource { text: broken, ..ours.clone() }).unwrap_err().to_string();
        assert!(error.contains("sink_ready"), "{error}");
    }

    const REPORT: &str = "\n=== top ===\n\n   Number of wires:  3\n   Number of cells:   9\n     CCU2C     2\n     \
                          LUT4      3\n     LUT2  1\n     INV  7\n     RAM16X1D   4\n     RAMB16_S36_S36  2\n     FDRE 5\n\n";

    #[test]
    fn cells_are_counted_as_the_part_has_them() {
        let cells = listed(REPORT);
        assert_eq!(cells.len(), 7);
        assert_eq!(tables(&cells), 3 + 2 * 2);
        assert_eq!(xilinx_tables(&cells), 4 + 7 + 2 * 4);
        assert_eq!(block_rams(&cells), 2);
        assert_eq!(count(&cells, |name| name.starts_with("FD")), 5);
    }
}
