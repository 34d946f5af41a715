//! Any valid configuration: what is generated from it lints clean, and on the wire it does what its file
//! says, from the address that answers a ping to the rate of the stream.
mod bench;
mod stream;
mod udp;

use bench::Bench;
use nicforge_hdl::config::{Config, Top};
use nicforge_sim::link::{Gmii, Line, Xgmii};
use nicforge_testbench::lint::Generated;
use nicforge_testbench::random_config;

/// Tests that share the seeds, so that they may run side by side.
const TESTS: u64 = 4;

/// How many configurations there are for each test.
fn rounds() -> u64 {
    if std::env::var("NICFORGE_DEPTH").is_ok_and(|depth| depth == "full") { 10 } else { 2 }
}

/// Takes the configurations of every fourth seed, from this one on, through everything.
fn exercise_from(first: u64) {
    for seed in (0..rounds()).map(|round| first + TESTS * round) {
        let text = random_config::valid(seed);
        let context = format!("seed {seed}");
        // Shown if what follows fails.
        eprintln!("{text}");
        let config =
            Config::parse(&text, &context).unwrap_or_else(|faults| panic!("{context} is refused: {faults}"));
        let generated = Generated::new(&config, &context);
        generated.verilator();
        generated.icarus();
        match config.top {
            Top::UdpCore => udp::exercise(Bench::<Xgmii>::new(&config, context)),
            Top::Ibob => stream::exercise(Bench::<Xgmii>::new(&config, context)),
            Top::Stream1g => stream::exercise(Bench::<Gmii>::new(&config, context)),
        }
    }
}

/// What every card does, whatever else it does.
fn is_what_its_file_says<L: Line>(bench: &mut Bench<L>) {
    bench.has_the_digest();
    bench.answers_arp_and_ping();
}

#[test]
fn a_random_configuration_does_on_the_wire_what_its_file_says() {
    exercise_from(0);
}

#[test]
fn another_random_configuration_does_on_the_wire_what_its_file_says() {
    exercise_from(1);
}

#[test]
fn a_third_random_configuration_does_on_the_wire_what_its_file_says() {
    exercise_from(2);
}

#[test]
fn a_fourth_random_configuration_does_on_the_wire_what_its_file_says() {
    exercise_from(3);
}
