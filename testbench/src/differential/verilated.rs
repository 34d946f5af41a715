//! The block in Verilator.
use super::{Error, KEPT, Mismatch, Run, hexadecimal};
use nicforge_hdl::verilog::{Direction, Emitted, Port};
use nicforge_sim::model::{BuildOptions, Model, PortInfo, VerilogSource, build};

/// Runs all vectors and returns the first differences.
pub(super) fn run(run: &Run, emitted: &Emitted, verilog: &str) -> Result<Vec<Mismatch>, Error> {
    let port = |port: &Port| match port.direction {
        Direction::Output => PortInfo::output(&port.name, port.width),
        Direction::Input | Direction::InOut => PortInfo::input(&port.name, port.width),
    };
    let ports = emitted.ports.iter().map(port).collect();
    let source = VerilogSource { text: verilog.into(), top: emitted.top.clone(), ports };
    let mut model = build(&source, &BuildOptions::default())?.instance()?;
    let inputs = run.inputs.iter().map(|p| model.input(&p.name)).collect::<Result<Vec<_>, _>>()?;
    let outputs = run.outputs.iter().map(|p| model.output(&p.name)).collect::<Result<Vec<_>, _>>()?;
    let clock = if run.clocked { Some(model.input("clk")?) } else { None };
    let mut mismatches = Vec::new();
    for (vector, wanted) in run.wanted.iter().enumerate() {
        let mut words = run.stimulus.row(vector);
        for (pin, input) in run.inputs.iter().zip(&inputs) {
            let (value, rest) = words.split_at(pin.words());
            model.set_wide(*input, &halves(value));
            words = rest;
        }
        if let Some(clock) = clock {
            model.set(clock, 0);
        }
        model.eval();
        let mut wanted = &wanted[..];
        for (number, output) in outputs.iter().enumerate() {
            let (value, rest) = wanted.split_at(run.outputs[number].words());
            let found = read(&model, *output, value.len());
            if found != value && mismatches.len() < KEPT {
                let found = hexadecimal(&found, run.outputs[number].width);
                mismatches.push(run.mismatch("verilator", vector, number, found));
            }
            wanted = rest;
        }
        if let Some(clock) = clock {
            model.set(clock, 1);
            model.eval();
        }
    }
    Ok(mismatches)
}

fn halves(words: &[u64]) -> Vec<u32> {
    words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect()
}

fn read(model: &Model, output: nicforge_sim::model::Output, words: usize) -> Vec<u64> {
    let mut halves = vec![0; words * 2];
    model.get_wide(output, &mut halves);
    halves.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect()
}
