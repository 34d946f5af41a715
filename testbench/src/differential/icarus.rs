//! The block in Icarus Verilog: one test bench module, vectors and Rust's answers in files.
use super::{Error, KEPT, Mismatch, Pin, Run, hexadecimal};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs all vectors and returns the first differences.
pub(super) fn run(run: &Run, verilog: &str) -> Result<Vec<Mismatch>, Error> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    fs::write(file("subject.v"), verilog)?;
    fs::write(file("bench.v"), bench(run, folder.path()))?;
    let rows = (0..run.stimulus.len()).map(|v| run.stimulus.row(v));
    fs::write(file("stimulus.hex"), lines(&run.inputs, rows))?;
    fs::write(file("wanted.hex"), lines(&run.outputs, run.wanted.iter().map(Vec::as_slice)))?;
    let mut compile = Command::new("iverilog");
    compile.args(["-g2005", "-s", "bench", "-o"]).arg(file("bench.vvp"));
    call("iverilog", compile.arg(file("bench.v")).arg(file("subject.v")))?;
    let output = call("vvp", Command::new("vvp").arg("-n").arg(file("bench.vvp")))?;
    answers(run, &String::from_utf8_lossy(&output.stdout))
}

fn call(tool: &'static str, command: &mut Command) -> Result<Output, Error> {
    let output = command.output().map_err(|cause| Error::Tool { tool, cause })?;
    match output.status.success() {
        true => Ok(output),
        false => Err(Error::Failed { tool, message: String::from_utf8_lossy(&output.stderr).into() }),
    }
}

/// Rows for `$readmemh`: all values of a vector side by side, the first pin highest, each in a whole
/// number of digits.
fn lines<'a>(pins: &[Pin], rows: impl Iterator<Item = &'a [u64]>) -> String {
    let mut text = String::new();
    for mut words in rows {
        for pin in pins {
            let (value, rest) = words.split_at(pin.words());
            text += &hexadecimal(value, pin.width);
            words = rest;
        }
        text.push('\n');
    }
    text
}

/// Bits of a pin in a row, whole digits.
fn room(pin: &Pin) -> usize {
    pin.width.div_ceil(4) * 4
}

/// A net of its own for each port: Icarus rebuilds a whole vector whenever a part of it changes, and
/// with all ports in one vector that is most of its time.
fn bench(run: &Run, folder: &Path) -> String {
    let mut text = String::from("module bench;\n");
    let (mut ports, mut inputs, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
    if run.clocked {
        ports.push(".clk(clk)".into());
    }
    for (kind, pins, parts) in [("reg", &run.inputs, &mut inputs), ("wire", &run.outputs, &mut outputs)] {
        for (number, pin) in pins.iter().enumerate() {
            let net = format!("{kind}_{number}");
            let _ = writeln!(text, "{kind} [{}:0] {net};", pin.width - 1);
            ports.push(format!(".{}({net})", pin.name));
            // The bits that fill a digit up are zero in the file.
            if room(pin) > pin.width {
                let _ = writeln!(text, "reg [{}:0] {net}_fill = 0;", room(pin) - pin.width - 1);
                parts.push(format!("{net}_fill"));
            }
            parts.push(net);
        }
    }
    let total = |pins: &[Pin]| pins.iter().map(room).sum::<usize>() - 1;
    let (count, folder) = (run.stimulus.len(), folder.display());
    let (inputs, outputs) = (inputs.join(", "), outputs.join(", "));
    let _ = write!(
        text,
        "reg [{}:0] stimulus [0:{last}];\nreg [{}:0] wanted [0:{last}];\n\
         reg clk = 0;\ninteger i;\ninteger wrong = 0;\n\
         subject dut ({});\n\
         initial begin\n\
         $readmemh(\"{folder}/stimulus.hex\", stimulus);\n$readmemh(\"{folder}/wanted.hex\", wanted);\n\
         for (i = 0; i < {count}; i = i + 1) begin\n\
         clk = 0; {{{inputs}}} = stimulus[i]; #1;\n\
         if ({{{outputs}}} !== wanted[i]) begin\n\
         wrong = wrong + 1; if (wrong <= {KEPT}) $display(\"%0d %h\", i, {{{outputs}}});\n\
         end\nclk = 1; #1;\nend\n\
         $display(\"done %0d\", wrong);\nend\nendmodule\n",
        total(&run.inputs),
        total(&run.outputs),
        ports.join(", "),
        last = count - 1,
    );
    text
}

/// Reads the rows that differ, and makes sure that the run came to its end.
fn answers(run: &Run, text: &str) -> Result<Vec<Mismatch>, Error> {
    let mut mismatches = Vec::new();
    for line in text.lines() {
        let Some((number, row)) = line.split_once(' ') else { continue };
        if number == "done" {
            return Ok(mismatches);
        }
        let Ok(vector) = number.parse::<usize>() else { continue };
        let mut start = 0;
        let mut words = &run.wanted[vector][..];
        for (output, pin) in run.outputs.iter().enumerate() {
            let found = &row[start..start + room(pin) / 4];
            let (value, rest) = words.split_at(pin.words());
            if found != hexadecimal(value, pin.width) {
                mismatches.push(run.mismatch("icarus", vector, output, found.into()));
            }
            start += found.len();
            words = rest;
        }
    }
    Err(Error::Failed { tool: "vvp", message: format!("it ended early: {text}") })
}
