//! The card's registers and counters, by name.

use crate::{Bar, Error};
use nicforge_layout::counters::{self, COUNTERS};
use nicforge_layout::registers::{
    self, Access, COUNTER_WINDOW, Field, Group, MAP, Register, features, mac_high, mac_low, map_digest,
    preset_high, preset_low, statistics, statistics_status, udp_tx_mac_high, udp_tx_mac_low,
};

/// Readings of a status register before the card counts as stuck. A snapshot takes a few hundred
/// clock cycles, the time of a handful of readings on any bus.
const STATUS_READS: u32 = 10_000;

/// A card whose register map is the one this program was built with.
#[derive(Debug)]
pub struct Card<B: Bar> {
    bar: B,
    sampler: bool,
}

/// A register or one of its fields, found by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The register.
    pub register: &'static Register,
    /// The field, unless the whole register is meant.
    pub field: Option<&'static Field>,
}

/// What a register holds; the row of a dump.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RegisterValue {
    /// Name of the register.
    pub name: &'static str,
    /// Byte offset.
    pub offset: u32,
    /// The whole word.
    pub word: u32,
    /// Name and value of each field.
    pub fields: Vec<(&'static str, u32)>,
}

/// What a counter holds in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CounterValue {
    /// Name of the counter.
    pub name: &'static str,
    /// Events, modulo 2^64.
    pub value: u64,
}

/// The two registers that hold a MAC address together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacRegisters {
    /// The card's own address.
    Own,
    /// The address that UDP packets are sent to.
    Destination,
}

impl Named {
    /// Finds `register` or `register.field`; a register alone stands for its field `value`, if it
    /// has one.
    ///
    /// # Errors
    /// [`Error::UnknownName`], which lists the fields where only the field is wrong.
    pub fn find(name: &str) -> Result<Self, Error> {
        let (register, field) = match name.split_once('.') {
            Some((register, field)) => (register, Some(field)),
            None => (name, None),
        };
        let Some(register) = registers::MAP.iter().find(|known| known.name == register) else {
            let hint = near(register);
            return Err(Error::UnknownName { what: "register", name: register.to_owned(), hint });
        };
        let Some(field) = field else {
            return Ok(Self { register, field: register.field("value") });
        };
        let Some(field) = register.field(field) else {
            let names: Vec<_> = register.fields.iter().map(|field| field.name).collect();
            let hint = format!("; {} has {}", register.name, names.join(", "));
            return Err(Error::UnknownName { what: "field", name: name.to_owned(), hint });
        };
        Ok(Self { register, field: Some(field) })
    }
}

/// Registers whose name begins like `name`, for an error message.
fn near(name: &str) -> String {
    let start: String = name.chars().take(3).collect();
    let names: Vec<_> = MAP.iter().map(|register| register.name).filter(|n| n.starts_with(&start)).collect();
    if names.is_empty() { String::new() } else { format!("; there are {}", names.join(", ")) }
}

impl<B: Bar> Card<B> {
    /// Takes over a card, if its register map is the one this program was built with.
    ///
    /// # Errors
    /// [`Error::MapMismatch`] for another map, [`Error::Bus`] when the card does not answer.
    pub fn open(mut bar: B) -> Result<Self, Error> {
        let (wanted, found) = (registers::digest(), bar.read(map_digest::REG.offset)?);
        if found != wanted {
            return Err(Error::MapMismatch { wanted, found });
        }
        let word = bar.read(features::REG.offset)?;
        Ok(Self { bar, sampler: features::SAMPLER.get(word) == 1 })
    }

    /// Whether this card has the registers of `group`.
    pub fn has(&self, group: Group) -> bool {
        match group {
            Group::Core => true,
            Group::Sampler => self.sampler,
        }
    }

    /// The bus below, for accesses without a name.
    pub fn bar(&mut self) -> &mut B {
        &mut self.bar
    }

    /// Gives the bus back.
    pub fn into_bar(self) -> B {
        self.bar
    }

    fn check(&self, register: &Register) -> Result<(), Error> {
        if self.has(register.group) {
            return Ok(());
        }
        Err(Error::Absent { register: register.name, group: register.group })
    }

    /// Reads a whole register.
    ///
    /// # Errors
    /// [`Error::Absent`], [`Error::Bus`].
    pub fn word(&mut self, register: &Register) -> Result<u32, Error> {
        self.check(register)?;
        self.bar.read(register.offset)
    }

    /// Reads a field.
    ///
    /// # Errors
    /// [`Error::Absent`], [`Error::Bus`].
    pub fn get(&mut self, register: &Register, field: &Field) -> Result<u32, Error> {
        Ok(field.get(self.word(register)?))
    }

    /// Writes a field; the register's other fields keep their values.
    ///
    /// # Errors
    /// [`Error::NotWritable`], [`Error::OutOfRange`], [`Error::Absent`], [`Error::Bus`].
    pub fn set(&mut self, register: &Register, field: &Field, value: u32) -> Result<(), Error> {
        self.set_all(register, &[(field, value)])
    }

    /// Writes several fields of a register in one access; all other fields keep their values.
    ///
    /// # Errors
    /// As for [`Card::set`]; then nothing was written.
    pub fn set_all(&mut self, register: &Register, fields: &[(&Field, u32)]) -> Result<(), Error> {
        self.check(register)?;
        for (field, value) in fields {
            check_write(register, field, *value)?;
        }
        // A pulse field reads as zero and must not be raised by a neighbour's change.
        let whole = fields.iter().fold(0, |bits, (field, _)| bits | field.mask());
        let kept = register.rewritable() & !whole;
        let word = if kept == 0 { 0 } else { self.bar.read(register.offset)? & kept };
        let word = fields.iter().fold(word, |word, (field, value)| field.put(word, *value));
        self.bar.write(register.offset, word)
    }

    /// Reads a register or field by name, such as `udp_tx_control.ttl`.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::Absent`], [`Error::Bus`].
    pub fn get_named(&mut self, name: &str) -> Result<u32, Error> {
        let Named { register, field } = Named::find(name)?;
        let word = self.word(register)?;
        Ok(field.map_or(word, |field| field.get(word)))
    }

    /// Writes a register or field by name. A whole register of several fields is written field by
    /// field at once, so none of them may be read-only while its bits are set in `value`.
    ///
    /// # Errors
    /// As for [`Card::set`], and [`Error::UnknownName`].
    pub fn set_named(&mut self, name: &str, value: u32) -> Result<(), Error> {
        let Named { register, field } = Named::find(name)?;
        if let Some(field) = field {
            return self.set(register, field, value);
        }
        let rest = register.fields.iter().fold(value, |rest, field| rest & !field.mask());
        if rest != 0 {
            let max = value & !rest;
            return Err(Error::OutOfRange { register: register.name, field: "*", max, given: value.into() });
        }
        let fields: Vec<_> = register.fields.iter().map(|field| (field, field.get(value))).collect();
        self.set_all(register, &fields)
    }

    /// Reads every register this card has.
    ///
    /// # Errors
    /// [`Error::Bus`].
    pub fn dump(&mut self) -> Result<Vec<RegisterValue>, Error> {
        let present: Vec<&Register> = MAP.iter().filter(|register| self.has(register.group)).collect();
        let mut rows = Vec::with_capacity(present.len());
        for register in present {
            let word = self.bar.read(register.offset)?;
            let fields = register.fields.iter().map(|field| (field.name, field.get(word))).collect();
            rows.push(RegisterValue { name: register.name, offset: register.offset, word, fields });
        }
        Ok(rows)
    }

    /// Writes a MAC address, `mac[0]` first on the wire.
    ///
    /// # Errors
    /// [`Error::Bus`].
    pub fn set_mac(&mut self, which: MacRegisters, mac: [u8; 6]) -> Result<(), Error> {
        let (high, high_field, low, low_field) = which.registers();
        self.set(high, high_field, u32::from_be_bytes([0, 0, mac[0], mac[1]]))?;
        self.set(low, low_field, u32::from_be_bytes([mac[2], mac[3], mac[4], mac[5]]))
    }

    /// Reads a MAC address, first octet on the wire first.
    ///
    /// # Errors
    /// [`Error::Bus`].
    pub fn mac(&mut self, which: MacRegisters) -> Result<[u8; 6], Error> {
        let (high, high_field, low, low_field) = which.registers();
        let [_, _, a, b] = self.get(high, high_field)?.to_be_bytes();
        let [c, d, e, f] = self.get(low, low_field)?.to_be_bytes();
        Ok([a, b, c, d, e, f])
    }

    /// Freezes all counters in one clock cycle and reads them, by ascending code.
    ///
    /// # Errors
    /// [`Error::LostEvents`] when the counters are not to be trusted, [`Error::Busy`] when the card
    /// does not finish, [`Error::Bus`].
    pub fn counters(&mut self) -> Result<Vec<CounterValue>, Error> {
        self.set(&statistics::REG, &statistics::SNAPSHOT, 1)?;
        self.finish("a snapshot of its counters")?;
        if self.get(&statistics_status::REG, &statistics_status::LOST)? == 1 {
            return Err(Error::LostEvents);
        }
        let mut values = Vec::with_capacity(COUNTERS.len());
        for counter in COUNTERS {
            let offset = COUNTER_WINDOW + 8 * u32::from(counter.code);
            let (low, high) = (self.bar.read(offset)?, self.bar.read(offset + 4)?);
            values.push(CounterValue { name: counter.name, value: u64::from(high) << 32 | u64::from(low) });
        }
        Ok(values)
    }

    /// Loads the counter `name` with `value`.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::Busy`], [`Error::Bus`].
    pub fn preset(&mut self, name: &str, value: u64) -> Result<(), Error> {
        let counter = counters::by_name(name).ok_or_else(|| Error::UnknownName {
            what: "counter",
            name: name.to_owned(),
            hint: String::new(),
        })?;
        let [low, high] = [value as u32, (value >> 32) as u32];
        self.set(&preset_low::REG, &preset_low::VALUE, low)?;
        self.set(&preset_high::REG, &preset_high::VALUE, high)?;
        let fields = [(&statistics::PRESET, 1), (&statistics::CODE, counter.code.into())];
        self.set_all(&statistics::REG, &fields)?;
        self.finish("a preset of a counter")
    }

    fn finish(&mut self, what: &'static str) -> Result<(), Error> {
        for _ in 0..STATUS_READS {
            if self.get(&statistics_status::REG, &statistics_status::BUSY)? == 0 {
                return Ok(());
            }
        }
        Err(Error::Busy { what, reads: STATUS_READS })
    }
}

fn check_write(register: &Register, field: &Field, value: u32) -> Result<(), Error> {
    let (register, name) = (register.name, field.name);
    if value > field.max() {
        return Err(Error::OutOfRange { register, field: name, max: field.max(), given: value.into() });
    }
    match field.access {
        Access::ReadWrite | Access::Pulse => Ok(()),
        Access::Constant | Access::ReadOnly => {
            Err(Error::NotWritable { register, field: name, access: field.access })
        }
    }
}

impl MacRegisters {
    fn registers(self) -> (&'static Register, &'static Field, &'static Register, &'static Field) {
        match self {
            Self::Own => (&mac_high::REG, &mac_high::VALUE, &mac_low::REG, &mac_low::VALUE),
            Self::Destination => {
                (&udp_tx_mac_high::REG, &udp_tx_mac_high::VALUE, &udp_tx_mac_low::REG, &udp_tx_mac_low::VALUE)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicforge_layout::registers::{sampler_control, scratch, udp_tx_control, udp_tx_ports};
    use std::collections::BTreeMap;

    /// Registers as plain memory, with the behaviour of pulse fields and of the counters.
    #[derive(Debug, Default)]
    struct Memory {
        words: BTreeMap<u32, u32>,
        writes: Vec<(u32, u32)>,
        counters: BTreeMap<u32, u64>,
        busy_reads: u32,
        lost: bool,
    }

    impl Memory {
        fn card(sampler: bool) -> Self {
            let mut words: BTreeMap<_, _> = MAP.iter().map(|r| (r.offset, r.reset())).collect();
            words.insert(map_digest::REG.offset, registers::digest());
            words.insert(features::REG.offset, sampler.into());
            Self { words, ..Self::default() }
        }
    }

    impl Bar for Memory {
        fn read(&mut self, offset: u32) -> Result<u32, Error> {
            if offset == statistics_status::REG.offset {
                self.busy_reads = self.busy_reads.saturating_sub(1);
                let busy = statistics_status::BUSY.put(0, (self.busy_reads > 0).into());
                return Ok(statistics_status::LOST.put(busy, self.lost.into()));
            }
            if let Some(place) = offset.checked_sub(COUNTER_WINDOW).filter(|place| *place < 512) {
                let value = self.counters.get(&(place / 8)).copied().unwrap_or(0);
                return Ok((value >> (8 * (place % 8))) as u32);
            }
            let missing = || Error::Bus { offset, cause: "no such register".into() };
            self.words.get(&offset).copied().ok_or_else(missing)
        }

        fn write(&mut self, offset: u32, value: u32) -> Result<(), Error> {
            self.writes.push((offset, value));
            let register = MAP.iter().find(|register| register.offset == offset);
            let register = register.ok_or_else(|| Error::Bus { offset, cause: "no such register".into() })?;
            if *register == statistics::REG {
                self.busy_reads = 5;
                if statistics::PRESET.get(value) == 1 {
                    let half = |register: Register| u64::from(self.words[&register.offset]);
                    let preset = half(preset_high::REG) << 32 | half(preset_low::REG);
                    self.counters.insert(statistics::CODE.get(value), preset);
                }
            }
            self.words.insert(offset, value & register.rewritable());
            Ok(())
        }
    }

    fn card() -> Card<Memory> {
        Card::open(Memory::card(true)).unwrap()
    }

    #[test]
    fn a_card_with_another_map_is_refused_in_one_sentence() {
        let mut memory = Memory::card(true);
        memory.words.insert(0, 0xdead_beef);
        let error = Card::open(memory).unwrap_err();
        assert!(matches!(error, Error::MapMismatch { found: 0xdead_beef, .. }));
        assert!(error.to_string().contains("0xdeadbeef"), "{error}");
    }

    #[test]
    fn a_field_changes_and_its_neighbours_stay() {
        let mut card = card();
        card.set(&udp_tx_ports::REG, &udp_tx_ports::SOURCE, 4000).unwrap();
        assert_eq!(card.get_named("udp_tx_ports.source").unwrap(), 4000);
        assert_eq!(card.get_named("udp_tx_ports.destination").unwrap(), udp_tx_ports::DESTINATION.reset);
        card.set_named("udp_tx_control.ttl", 3).unwrap();
        assert_eq!(card.get(&udp_tx_control::REG, &udp_tx_control::CHECKSUM).unwrap(), 1);
    }

    #[test]
    fn a_register_of_one_value_needs_no_field_name() {
        let mut card = card();
        card.set_named("scratch", 0x1234_5678).unwrap();
        assert_eq!(card.get(&scratch::REG, &scratch::VALUE).unwrap(), 0x1234_5678);
        assert_eq!(card.get_named("scratch.value").unwrap(), 0x1234_5678);
    }

    #[test]
    fn a_whole_register_is_written_at_once() {
        let mut card = card();
        card.set_named("udp_tx_ports", 4000 << 16 | 4001).unwrap();
        assert_eq!(card.bar().writes, [(udp_tx_ports::REG.offset, 4000 << 16 | 4001)]);
        let error = card.set_named("udp_tx_control", 1 << 31).unwrap_err();
        assert!(matches!(error, Error::OutOfRange { .. }), "{error:?}");
    }

    #[test]
    fn a_pulse_is_not_repeated_by_the_next_write() {
        let mut card = card();
        card.set(&sampler_control::REG, &sampler_control::LOAD, 1).unwrap();
        card.set(&sampler_control::REG, &sampler_control::ENABLE, 1).unwrap();
        let words: Vec<u32> = card.bar().writes.iter().map(|(_, word)| *word).collect();
        assert_eq!(words, [0x110, 0x011]);
    }

    #[test]
    fn faults_name_register_field_and_range() {
        let mut card = card();
        let text = |error: Error| error.to_string();
        let error = text(card.set_named("udp_tx_control.ttl", 256).unwrap_err());
        assert!(error.contains("256") && error.contains("udp_tx_control.ttl") && error.contains("255"));
        let error = text(card.set_named("features.sampler", 1).unwrap_err());
        assert!(error.contains("features.sampler") && error.contains("Constant"), "{error}");
        let error = text(card.get_named("udp_tx_control.tll").unwrap_err());
        assert!(error.contains("udp_tx_control has ttl, dscp, checksum"), "{error}");
        let error = text(card.get_named("udp_xt_control").unwrap_err());
        assert!(
            error.contains("register is called \"udp_xt_control\"") && error.contains("udp_rx"),
            "{error}"
        );
        assert!(card.bar().writes.is_empty());
    }

    #[test]
    fn registers_of_a_missing_part_are_not_touched() {
        let mut card = Card::open(Memory::card(false)).unwrap();
        let error = card.set_named("sampler_control.enable", 1).unwrap_err();
        assert!(matches!(error, Error::Absent { register: "sampler_control", .. }), "{error:?}");
        assert!(card.bar().writes.is_empty());
        assert!(card.dump().unwrap().iter().all(|row| !row.name.starts_with("sampler")));
    }

    #[test]
    fn a_dump_holds_every_register_and_field() {
        let rows = card().dump().unwrap();
        assert_eq!(rows.len(), MAP.len());
        for (row, register) in rows.iter().zip(MAP) {
            assert_eq!((row.name, row.fields.len()), (register.name, register.fields.len()));
        }
    }

    #[test]
    fn a_mac_address_reads_back_in_wire_order() {
        let mut card = card();
        let mac = [0x02, 0x4e, 0x80, 0xff, 0x00, 0x01];
        for which in [MacRegisters::Own, MacRegisters::Destination] {
            card.set_mac(which, mac).unwrap();
            assert_eq!(card.mac(which).unwrap(), mac);
        }
        assert_eq!(card.get_named("mac_high").unwrap(), 0x024e);
        assert_eq!(card.get_named("udp_tx_mac_low").unwrap(), 0x80ff_0001);
    }

    #[test]
    fn counters_are_preset_and_read_by_name() {
        let mut card = card();
        card.preset("udp_good", 0xffff_ffff_0000_0001).unwrap();
        let counters = card.counters().unwrap();
        assert_eq!(counters.len(), COUNTERS.len());
        for counter in counters {
            let wanted = if counter.name == "udp_good" { 0xffff_ffff_0000_0001 } else { 0 };
            assert_eq!(counter.value, wanted, "{}", counter.name);
        }
        let error = card.preset("udp_god", 1).unwrap_err();
        assert!(error.to_string().contains("no counter is called \"udp_god\""), "{error}");
    }

    #[test]
    fn a_card_that_stays_busy_is_given_up() {
        struct Stuck;
        impl Bar for Stuck {
            fn read(&mut self, offset: u32) -> Result<u32, Error> {
                Ok(if offset == 0 { registers::digest() } else { 1 })
            }
            fn write(&mut self, _: u32, _: u32) -> Result<(), Error> {
                Ok(())
            }
        }
        let error = Card::open(Stuck).unwrap().counters().unwrap_err();
        assert!(matches!(error, Error::Busy { reads: STATUS_READS, .. }), "{error:?}");
    }

    #[test]
    fn counters_that_missed_an_event_are_refused() {
        let mut memory = Memory::card(false);
        memory.lost = true;
        let mut card = Card::open(memory).unwrap();
        assert!(matches!(card.counters(), Err(Error::LostEvents)));
    }
}
