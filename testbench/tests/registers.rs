//! The register blocks on their bus.
use nicforge_hdl::control::{CoreRegisters, SamplerRegisters};
use nicforge_layout::registers::{Access, Field, Group, MAP, Register, SPACE};
use nicforge_sim::{Actor, Board, Pins};
use nicforge_testbench::bench::Design;
use nicforge_testbench::register_bus::{Outcome, RegisterBus};
use std::collections::BTreeMap;
use std::sync::LazyLock;

type Words = BTreeMap<&'static str, u32>;

/// Words that differ from the map's in every bit of every field.
fn other_words() -> Words {
    MAP.iter().map(|register| (register.name, !register.reset())).collect()
}

fn design(group: Group, name: &str, words: &Words) -> Design {
    let design = match group {
        Group::Core => Design::new(&format!("core_{name}"), CoreRegisters::new(words)),
        Group::Sampler => Design::new(&format!("sampler_{name}"), SamplerRegisters::new(words)),
    };
    design.unwrap()
}

static CORE: LazyLock<Design> = LazyLock::new(|| design(Group::Core, "default", &Words::new()));
static SAMPLER: LazyLock<Design> = LazyLock::new(|| design(Group::Sampler, "default", &Words::new()));

fn registers(group: Group) -> Vec<&'static Register> {
    MAP.iter().filter(|register| register.group == group).collect()
}

/// Both groups with a board each.
fn boards() -> Vec<(Group, Board, RegisterBus)> {
    [(Group::Core, &*CORE), (Group::Sampler, &*SAMPLER)].map(|(group, design)| begin(group, design)).into()
}

fn begin(group: Group, design: &Design) -> (Group, Board, RegisterBus) {
    let mut board = design.board().unwrap();
    let bus = RegisterBus::attach(&mut board).unwrap();
    (group, board, bus)
}

fn port(register: &Register, field: &Field) -> String {
    match field.name {
        "value" => register.name.to_string(),
        name => format!("{}_{name}", register.name),
    }
}

/// What a read gives after `word` was written, if the block began with `initial`.
fn after_write(register: &Register, initial: u32, word: u32) -> u32 {
    register.fields.iter().fold(0, |read, field| {
        let value = match field.access {
            Access::Constant => field.get(initial),
            Access::ReadWrite => field.get(word),
            Access::ReadOnly | Access::Pulse => 0,
        };
        field.put(read, value)
    })
}

fn read_all(board: &mut Board, bus: &mut RegisterBus, group: Group) -> Vec<(&'static str, Outcome)> {
    registers(group)
        .into_iter()
        .map(|register| (register.name, bus.read(board, &mut (), register.offset)))
        .collect()
}

fn wanted(group: Group, value: impl Fn(&Register) -> u32) -> Vec<(&'static str, Outcome)> {
    registers(group).into_iter().map(|register| (register.name, Outcome::Hit(value(register)))).collect()
}

#[test]
fn every_register_begins_as_the_map_says() {
    for (group, mut board, mut bus) in boards() {
        let begun = wanted(group, |r| after_write(r, r.reset(), r.reset()));
        assert_eq!(read_all(&mut board, &mut bus, group), begun);
        assert!(bus.violations().is_empty(), "{:?}", bus.violations());
    }
}

#[test]
fn every_register_begins_as_the_configuration_says_and_does_again_after_a_reset() {
    let words = other_words();
    for group in [Group::Core, Group::Sampler] {
        let (_, mut board, mut bus) = begin(group, &design(group, "other", &words));
        let begun = wanted(group, |r| after_write(r, words[r.name], words[r.name]));
        assert_eq!(read_all(&mut board, &mut bus, group), begun);
        for register in registers(group) {
            bus.write(&mut board, &mut (), register.offset, words[register.name] ^ 0x5555_5555);
        }
        assert_ne!(read_all(&mut board, &mut bus, group), begun);
        board.reset();
        assert_eq!(read_all(&mut board, &mut bus, group), begun);
    }
}

#[test]
fn a_write_changes_the_writable_fields_of_its_register_and_no_other() {
    for (group, mut board, mut bus) in boards() {
        let mut words: BTreeMap<_, _> = registers(group).iter().map(|r| (r.name, r.reset())).collect();
        for word in [u32::MAX, 0, 0x5a5a_a5a5, 0xa5a5_5a5a, 0x0102_0408, 0x8040_2010] {
            for register in registers(group) {
                let outcome = bus.write(&mut board, &mut (), register.offset, word);
                assert_eq!(outcome, Outcome::Hit(0), "{}", register.name);
                words.insert(register.name, word);
                let found = read_all(&mut board, &mut bus, group);
                let wanted = wanted(group, |r| after_write(r, r.reset(), words[r.name]));
                assert_eq!(found, wanted, "after {word:#x} was written to {}", register.name);
            }
        }
        assert!(bus.violations().is_empty(), "{:?}", bus.violations());
    }
}

#[test]
fn only_addresses_of_registers_are_hit() {
    for (group, mut board, mut bus) in boards() {
        for address in (0..SPACE).step_by(4) {
            let exists = registers(group).iter().any(|register| register.offset == address);
            let hit = bus.read(&mut board, &mut (), address) != Outcome::NoHit;
            assert_eq!(hit, exists, "read of {address:#x}");
            if !exists {
                let outcome = bus.write(&mut board, &mut (), address, u32::MAX);
                assert_eq!(outcome, Outcome::NoHit, "write of {address:#x}");
            }
        }
        let untouched = wanted(group, |r| after_write(r, r.reset(), r.reset()));
        assert_eq!(read_all(&mut board, &mut bus, group), untouched);
    }
}

#[test]
fn every_writable_field_shows_on_its_own_port() {
    for (group, mut board, mut bus) in boards() {
        for register in registers(group) {
            for field in register.fields.iter().filter(|field| field.access == Access::ReadWrite) {
                let output = board.pins().model().output(&port(register, field)).unwrap();
                assert_eq!(board.pins().model().output_width(output), field.width as usize);
                for bit in 0..field.width {
                    bus.write(&mut board, &mut (), register.offset, 1 << (field.lsb + bit));
                    assert_eq!(board.pins().get(output), 1 << bit, "{} bit {bit}", port(register, field));
                    bus.write(&mut board, &mut (), register.offset, !(1 << (field.lsb + bit)));
                    let others = u64::from(field.max()) & !(1 << bit);
                    assert_eq!(board.pins().get(output), others, "{} bit {bit}", port(register, field));
                }
            }
        }
    }
}

#[test]
fn read_only_fields_follow_their_port_whatever_is_written() {
    for (group, mut board, mut bus) in boards() {
        for register in registers(group) {
            for field in register.fields.iter().filter(|field| field.access == Access::ReadOnly) {
                let input = board.pins().model().input(&port(register, field)).unwrap();
                for value in [field.max(), 1, 0] {
                    board.pins().set(input, value.into());
                    bus.write(&mut board, &mut (), register.offset, !field.put(0, value));
                    let outcome = bus.read(&mut board, &mut (), register.offset);
                    assert_eq!(outcome, Outcome::Hit(field.put(0, value)), "{}", port(register, field));
                }
            }
        }
    }
}

/// Watches one output and keeps its values that are not zero, with their cycles.
struct Watch {
    output: nicforge_sim::model::Output,
    seen: Vec<(u64, u64)>,
}

impl Actor for Watch {
    fn drive(&mut self, _: &mut Pins) {}
    fn sample(&mut self, pins: &Pins) {
        if pins.is_set(self.output) {
            self.seen.push((pins.cycle(), pins.get(self.output)));
        }
    }
}

#[test]
fn a_pulse_field_shows_for_one_cycle_two_cycles_after_the_write_and_reads_as_zero() {
    let mut count = 0;
    for (group, mut board, mut bus) in boards() {
        for register in registers(group) {
            for field in register.fields.iter().filter(|field| field.access == Access::Pulse) {
                let output = board.pins().model().output(&port(register, field)).unwrap();
                let mut watch = Watch { output, seen: Vec::new() };
                board.run(10, &mut watch);
                let written = board.cycle();
                bus.write(&mut board, &mut watch, register.offset, field.put(0, field.max()));
                board.run(10, &mut watch);
                assert_eq!(watch.seen, [(written + 2, field.max().into())], "{}", port(register, field));
                let outcome = bus.read(&mut board, &mut watch, register.offset);
                assert_eq!(outcome, Outcome::Hit(after_write(register, 0, 0)));
                bus.write(&mut board, &mut watch, register.offset, !field.mask());
                assert_eq!(watch.seen.len(), 1, "{} moved by its neighbours", port(register, field));
                count += 1;
            }
        }
    }
    assert_eq!(count, 4, "pulse fields in the map");
}
