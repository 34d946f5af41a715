//! Verilog text becomes a model at run time.
use nicforge_sim::Error;
use nicforge_sim::model::{BuildOptions, Library, Model, PortInfo, ToolError, VerilogSource, build};
use std::path::Path;

/// A counter with an odd width, a wide register and a combinational output.
const COUNTER: &str = "
module counter(input clk, input rst, input [6:0] step, input [99:0] d, output reg [6:0] count,
    output reg [99:0] q, output [6:0] next);
  assign next = count + step;
  always @(posedge clk) begin
    count <= rst ? 7'd0 : next;
    q <= d;
  end
endmodule
";

fn counter() -> VerilogSource {
    let ports = vec![
        PortInfo::input("clk", 1),
        PortInfo::input("rst", 1),
        PortInfo::input("step", 7),
        PortInfo::input("d", 100),
        PortInfo::output("count", 7),
        PortInfo::output("q", 100),
        PortInfo::output("next", 7),
    ];
    VerilogSource { text: COUNTER.into(), top: "counter".into(), ports }
}

fn library(trace: bool) -> Library {
    build(&counter(), &BuildOptions { trace, cache: None }).unwrap()
}

fn cycle(model: &mut Model) {
    let clk = model.input("clk").unwrap();
    for level in [0, 1] {
        model.set(clk, level);
        model.eval();
    }
}

fn started(library: &Library, step: u64) -> Model {
    let mut model = library.instance().unwrap();
    let (rst, step_port) = (model.input("rst").unwrap(), model.input("step").unwrap());
    model.set(rst, 1);
    cycle(&mut model);
    model.set(rst, 0);
    model.set(step_port, step);
    model
}

fn count(model: &Model) -> u64 {
    model.get(model.output("count").unwrap())
}

#[test]
fn a_model_counts_as_its_verilog_says() {
    let mut model = started(&library(false), 3);
    for cycles in 1..=100 {
        cycle(&mut model);
        assert_eq!(count(&model), cycles * 3 % 128);
        assert_eq!(model.get(model.output("next").unwrap()), (cycles + 1) * 3 % 128);
    }
}

#[test]
fn wide_ports_pass_words() {
    let mut model = library(false).instance().unwrap();
    let (d, q) = (model.input("d").unwrap(), model.output("q").unwrap());
    model.set_wide(d, &[1, 2, 3, u32::MAX]);
    cycle(&mut model);
    let mut words = [0; 4];
    model.get_wide(q, &mut words);
    assert_eq!(words, [1, 2, 3, 0xf]);
}

#[test]
fn two_interleaved_instances_share_nothing() {
    let library = library(false);
    let (mut one, mut other) = (started(&library, 1), started(&library, 5));
    for cycles in 1..=50 {
        cycle(&mut one);
        cycle(&mut other);
        cycle(&mut other);
        assert_eq!((count(&one), count(&other)), (cycles % 128, cycles * 10 % 128));
    }
}

#[test]
fn threads_make_run_and_drop_instances_at_once() {
    let library = library(false);
    std::thread::scope(|scope| {
        for step in 1..=8 {
            let library = &library;
            scope.spawn(move || {
                for _ in 0..100 {
                    let mut model = started(library, step);
                    (0..50).for_each(|_| cycle(&mut model));
                    assert_eq!(count(&model), 50 * step % 128);
                }
            });
        }
    });
}

#[test]
fn a_model_outlives_its_library_and_moves_between_threads() {
    let mut model = started(&library(false), 2);
    let count = std::thread::spawn(move || {
        (0..10).for_each(|_| cycle(&mut model));
        count(&model)
    });
    assert_eq!(count.join().unwrap(), 20);
}

#[test]
fn waveforms_show_every_port_and_are_refused_without_trace() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("counter.vcd");
    let traced = library(true);
    let run = |path: &Path| {
        let mut model = started(&traced, 1);
        model.trace(path).unwrap();
        for time in 0..20 {
            cycle(&mut model);
            model.dump(time * 6400);
        }
        drop(model);
        std::fs::read_to_string(path).unwrap()
    };
    let text = run(&path);
    for name in ["clk", "count", "next", "step"] {
        assert!(text.contains(&format!(" {name} ")), "no {name} in {text}");
    }
    assert!(text.contains("#121600"), "the last time is missing");
    assert_eq!(run(&directory.path().join("again.vcd")).len(), text.len());

    let mut plain = library(false).instance().unwrap();
    assert!(matches!(plain.trace(&path), Err(Error::TraceNotBuilt)));
    let nowhere = directory.path().join("missing/x.vcd");
    assert!(matches!(traced.instance().unwrap().trace(&nowhere), Err(Error::TraceOpen { .. })));
}

#[test]
fn an_unknown_port_is_answered_with_those_there_are() {
    let model = library(false).instance().unwrap();
    let text = model.input("clock").unwrap_err().to_string();
    assert!(text.contains("no input `clock`") && text.contains("clk, rst, step, d"), "{text}");
    let text = model.output("clk").unwrap_err().to_string();
    assert!(text.contains("no output `clk`") && text.contains("count, q, next"), "{text}");
}

#[test]
fn broken_verilog_is_refused_with_what_the_tool_said() {
    let mut source = counter();
    source.text = source.text.replace("endmodule", "assign nothing = ; endmodule");
    let failure = build(&source, &BuildOptions::default()).unwrap_err();
    let Error::Tool(ToolError::Failed { tool, output }) = failure else { panic!("{failure:?}") };
    assert!(tool.contains("verilator") && output.contains("syntax error"), "{output}");
}

#[test]
fn a_cold_cache_gives_the_same_model_as_a_warm_one() {
    let cache = tempfile::tempdir().unwrap();
    let options = BuildOptions { trace: false, cache: Some(cache.path().into()) };
    let cold = build(&counter(), &options).unwrap();
    let entries = || std::fs::read_dir(cache.path()).unwrap().count();
    let before = entries();
    let warm = build(&counter(), &options).unwrap();
    assert_eq!(entries(), before, "the second build found nothing");
    for library in [cold, warm] {
        let mut model = started(&library, 1);
        cycle(&mut model);
        assert_eq!(count(&model), 1);
    }
}
