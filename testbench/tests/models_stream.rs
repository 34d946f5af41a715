//! What the board `ibob` streams is what the reference models make, octet for octet.
use nicforge_layout::wire::udp::ALL_HEADERS_OCTETS;
use nicforge_testbench::bench::Design;
use nicforge_testbench::cases;
use nicforge_testbench::cases::stream::{Plan, Signal};

const TONE: Signal = Signal::Tone { step: 0x0123_4567, amplitude: 100 };

/// Asserts frame by frame, since a whole stream in a message helps nobody.
fn assert_streams(signal: Signal, packets: u32) {
    let config = cases::configuration("ibob").unwrap();
    let design = Design::of("ibob", nicforge_hdl::top::emit(&config).unwrap()).unwrap();
    let plan = Plan::across_borders(&config, packets, signal);
    let (found, wanted) = (plan.play(&design).unwrap(), plan.frames(&config));
    assert_eq!(found.len(), wanted.len(), "frames");
    for (number, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        assert_eq!(found.len(), wanted.len(), "octets of frame {number}");
        let first = (0..found.len()).find(|at| found[*at] != wanted[*at]);
        if let Some(at) = first {
            let range = at - at % 8..(at + 16).min(found.len());
            let part = if at < ALL_HEADERS_OCTETS { "headers" } else { "payload or FCS" };
            assert_eq!(found[range.clone()], wanted[range], "frame {number}, octet {at}, in {part}");
        }
    }
}

#[test]
fn the_counter_arrives_across_the_borders_of_second_and_serial_number() {
    assert_streams(Signal::Counter, 8);
}

#[test]
fn the_tone_arrives_across_the_borders_of_second_and_serial_number() {
    assert_streams(TONE, 12);
}
