//! Designs with a sampler: the stream.
use crate::bench::{Bench, assert_frames};
use crate::is_what_its_file_says;
use nicforge_hdl::config::Pace;
use nicforge_layout::registers::{Field, Register, sampler_control};
use nicforge_sim::link::Line;
use nicforge_testbench::cases::stream::Plan;

/// Cycles over which a rate is measured, at least.
const MEASURED: u64 = 20_000;

/// Registers, answers, and the first packets of the stream octet for octet at their rate.
pub fn exercise<L: Line>(mut bench: Bench<L>) {
    is_what_its_file_says(&mut bench);
    if !bench.config.sampler.enable {
        bench.run(MEASURED / 4);
        assert!(bench.datagrams.is_empty(), "{}: packets before the start", bench.context);
        start(&mut bench);
    }
    let spacing = spacing(&bench);
    let period = 1_000_000_000_000 / bench.config.core_clock_hertz();
    let enough = MEASURED * period / spacing + 3;
    let limit = u64::from(bench.config.sampler.packets);
    let packets = if limit == 0 { enough } else { enough.min(limit) };
    let cycles = (packets + 3) * spacing / period * 2 + MEASURED;
    bench.run_until("the stream", cycles, |bench| bench.datagrams.len() as u64 >= packets);
    if packets == limit {
        bench.run(3 * spacing / period);
        assert_eq!(bench.datagrams.len() as u64, limit, "{}: packets behind the limit", bench.context);
    }
    // A look takes longer than a short packet.
    bench.datagrams.truncate(packets as usize);
    let wanted = Plan::of(&bench.config, packets as u32).frames(&bench.config);
    assert_frames(&bench.datagrams, &wanted, &bench.context);
    bench.took("the stream", (packets - 1) * spacing);
}

/// Sets the bit that lets samples flow, and leaves the others as the file says.
fn start<L: Line>(bench: &mut Bench<L>) {
    let (register, field): (&Register, &Field) = (&sampler_control::REG, &sampler_control::ENABLE);
    let word = bench.bus.read(&mut bench.board, &mut bench.ends, register.offset).unwrap();
    bench.bus.write(&mut bench.board, &mut bench.ends, register.offset, field.put(word, 1)).unwrap();
}

/// Picoseconds from packet to packet.
fn spacing<L: Line>(bench: &Bench<L>) -> u64 {
    let config = &bench.config;
    match config.sampler.pace {
        Pace::SampleRate => {
            let picoseconds = u128::from(config.vdif.data_octets) * 1_000_000_000_000;
            (picoseconds / u128::from(config.sampler.sample_rate)) as u64
        }
        Pace::Link => bench.slot(&Plan::of(config, 1).frames(config)[0]),
    }
}
