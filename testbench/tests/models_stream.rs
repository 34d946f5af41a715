//! What the board `ibob` streams is what the reference models make, octet for octet.
use nicforge_hdl::config::Config;
use nicforge_layout::wire::udp::ALL_HEADERS_OCTETS;
use nicforge_sim::models::worked;
use nicforge_testbench::bench::Design;
use nicforge_testbench::cases;
use nicforge_testbench::cases::stream::{Plan, Signal};
use std::collections::BTreeMap;

const TONE: Signal = Signal::Tone { step: 0x0123_4567, amplitude: 100 };

fn design(config: &Config) -> Design {
    Design::of("ibob", nicforge_hdl::top::emit_core(config).unwrap()).unwrap()
}

/// Asserts frame by frame, since a whole stream in a message helps nobody.
fn assert_equal(found: &[Vec<u8>], wanted: &[Vec<u8>], context: &str) {
    assert_eq!(found.len(), wanted.len(), "{context}: frames");
    for (number, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert_eq!(found.len(), wanted.len(), "{context}: octets of frame {number}");
        let first = (0..found.len()).find(|at| found[*at] != wanted[*at]);
        if let Some(at) = first {
            let range = at - at % 8..(at + 16).min(found.len());
            let part = if at < ALL_HEADERS_OCTETS { "headers" } else { "payload or FCS" };
            assert_eq!(
                found[range.clone()],
                wanted[range],
                "{context}: frame {number}, octet {at}, in {part}"
            );
        }
    }
}

fn assert_streams(signal: Signal, packets: u32) {
    let config = cases::configuration("ibob").unwrap();
    let plan = Plan::across_borders(&config, packets, signal);
    let played = plan.play_among(&design(&config), &[], None).unwrap();
    assert_equal(&played.stream, &plan.frames(&config), "alone");
    assert_eq!((&played.violations, &played.answers), (&vec![], &vec![]));
    let wanted =
        ["sampler_packets", "tx_good", "udp_tx_good"].map(|name| (name.to_owned(), u64::from(packets)));
    assert_eq!(played.counters, BTreeMap::from(wanted));
}

#[test]
fn the_counter_arrives_across_the_borders_of_second_and_serial_number() {
    assert_streams(Signal::Counter, 8);
}

#[test]
fn the_tone_arrives_across_the_borders_of_second_and_serial_number() {
    assert_streams(TONE, 12);
}

#[test]
fn pings_and_arp_requests_in_between_are_answered_and_change_no_packet() {
    let config = cases::configuration("ibob").unwrap();
    let design = design(&config);
    let packets = 8;
    let plan = Plan::across_borders(&config, packets, Signal::Counter);
    let (asks, echoes) = (worked::octets(worked::V01), worked::octets(worked::V06));
    let (tells, replies) = (worked::octets(worked::V02), worked::octets(worked::V07));
    let requests: Vec<_> = (0..24).map(|n| if n % 3 == 0 { asks.clone() } else { echoes.clone() }).collect();
    for seed in 0..8 {
        let context = format!("seed {seed}");
        let played = plan.play_among(&design, &requests, Some(seed)).unwrap();
        assert_equal(&played.stream, &plan.frames(&config), &context);
        assert_eq!(played.violations, [""; 0], "{context}");
        let count = |name: &str| played.counters.get(name).copied().unwrap_or(0);
        let answers = |frame: &[u8]| played.answers.iter().filter(|answer| *answer == frame).count() as u64;
        // A request that comes while the answer before it waits for the stream is dropped, and counted.
        assert_eq!((count("arp_request"), count("icmp_echo")), (8, 16), "{context}");
        assert_eq!(answers(&tells) + count("arp_busy"), 8, "{context}");
        assert_eq!(answers(&replies) + count("icmp_busy"), 16, "{context}");
        assert!(answers(&tells) > 0 && answers(&replies) > 0, "{context}: {:?}", played.counters);
        let sent = answers(&tells) + answers(&replies) + u64::from(packets);
        assert_eq!(
            (count("tx_good"), played.answers.len() as u64),
            (sent, sent - u64::from(packets)),
            "{context}"
        );
        assert_eq!((count("rx_frames"), count("rx_good")), (24, 24), "{context}");
        assert_eq!(count("sampler_packets"), u64::from(packets), "{context}");
    }
}
