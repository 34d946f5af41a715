//! The two harnesses that `make bench` compares do the same work on the sampler board.
use nicforge_hdl::config::Config;
use nicforge_hdl::top;
use nicforge_layout::registers::{sampler_control, sampler_pace};
use nicforge_sim::model::{BuildOptions, VerilogSource, build};
use nicforge_sim::models::worked;
use nicforge_testbench::harness::{Run, Workload, cpp, ours};

#[test]
fn both_harnesses_see_the_same_frames() {
    let config = Config::parse("board = \"ibob\"", "default").unwrap();
    let source = VerilogSource::from(&top::emit_core(&config).unwrap());
    let library = build(&source, &BuildOptions::default()).unwrap();
    let both = |workload: &Workload| -> (Run, Run) {
        (ours(library.instance().unwrap(), workload).unwrap(), cpp(&source, workload).unwrap())
    };
    let saturated = vec![(sampler_pace::REG.offset, 0x0001_0001), (sampler_control::REG.offset, 0x11)];
    let requests = vec![worked::octets(worked::V01), worked::octets(worked::V08)];
    for (registers, frames, wanted) in [
        (vec![], vec![], 0),
        (saturated.clone(), vec![], 19_000 / 1_013),
        (saturated, requests.clone(), 19_000 / 1_013),
        (vec![], requests, 500),
    ] {
        let workload = Workload { registers, frames, cycles: 20_000 };
        let (mine, plain) = both(&workload);
        assert_eq!(mine.frames, plain.frames, "{workload:x?}");
        assert!((mine.frames == 0) == (wanted == 0) && mine.frames >= wanted, "{} frames", mine.frames);
        println!(
            "{} frames: ours {:.0} ns a cycle, C++ {:.0}",
            mine.frames,
            mine.seconds * 5e4,
            plain.seconds * 5e4
        );
    }
}
