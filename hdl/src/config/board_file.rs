//! From the text of a `board.toml` to a [`Board`], or to every fault of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::board::{
    Bank, Board, Clock, Core, Direction, Led, NO_BOARD, Origin, Part, PinGroup, Rgmii, STATUS, Tool,
};
use super::board_pins::Supply;
use super::entries::{At, Entries};
use super::faults::Faults;
use super::fields::one_of;
use super::standards::{FAMILIES, FLOWS, Family, name_of};
use super::{DEFAULT_CLOCK, TOP_NAMES, Top, board_checks};

/// What a name is made of.
const NAME: &str = "a name of lower-case letters, digits and _, a letter first";
/// Steps of 25 ps that an ECP5 input or output can be delayed by, times 25.
const LARGEST_DELAY_PS: u64 = 127 * 25;
/// Core clocks in Hz for 1 GbE: fast enough for the line, slow enough for any part.
const CORE_HERTZ: std::ops::RangeInclusive<u64> = 20_000_000..=200_000_000;

const DIRECTIONS: &[(&str, Direction)] =
    &[("in", Direction::In), ("out", Direction::Out), ("inout", Direction::Inout)];

/// Reads a board from the text of its file; `name` is that of its folder, `file` stands for it in faults.
pub(super) fn read(text: &str, file: &str, name: &str) -> Result<Board, Faults> {
    let mut reader = Reader::new(text, file);
    let (root, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        reader.faults.syntax(text, error);
    }
    // What a file with a broken syntax lacks may stand in the broken part.
    let board = if errors.is_empty() { reader.board(root.get_ref(), name) } else { None };
    let origin = Origin { file: file.to_owned(), text: text.to_owned(), spans: reader.spans };
    reader.faults.into_result()?;
    let mut board = board.expect("a board that cannot be put together has a fault");
    board.origin = origin;
    Ok(board)
}

/// Whether a text can name a board, a clock or a port.
pub(super) fn is_name(text: &str) -> bool {
    let mut octets = text.bytes();
    octets.next().is_some_and(|first| first.is_ascii_lowercase())
        && octets.all(|octet| octet.is_ascii_lowercase() || octet.is_ascii_digit() || octet == b'_')
}

/// A file while it is read.
pub(super) struct Reader {
    pub(super) faults: Faults,
    pub(super) spans: BTreeMap<&'static str, Range<usize>>,
    pub(super) family: Option<Family>,
    /// Banks, with the place of their supply, or of the first pin that needs one.
    pub(super) banks: BTreeMap<String, Supply>,
    /// Names of clocks.
    clocks: BTreeSet<String>,
    /// Who uses a pin, and in which line.
    pub(super) used: BTreeMap<String, (String, usize)>,
}

impl Reader {
    fn new(text: &str, file: &str) -> Self {
        Self {
            faults: Faults::new(file, text),
            spans: BTreeMap::new(),
            family: None,
            banks: BTreeMap::new(),
            clocks: BTreeSet::new(),
            used: BTreeMap::new(),
        }
    }

    fn board(&mut self, root: &DeTable<'_>, folder: &str) -> Option<Board> {
        let mut root = Entries::root(root);
        let name = self.name(&mut root, folder);
        let title = root.text("title", &mut self.faults, "a line about the board", is_line);
        let tops = self.tops(&mut root);
        let part = root.table("part", &mut self.faults).and_then(|entries| self.part(entries));
        let tool = root.table("tool", &mut self.faults).and_then(|entries| self.tool(entries));
        let banks = self.every("bank", &mut root, Self::bank);
        let clocks = self.every("clock", &mut root, Self::clock);
        let core = root.table("core", &mut self.faults).and_then(|entries| self.core(entries));
        let pins = self.pins(&mut root);
        let leds = self.every("led", &mut root, Self::led);
        let rgmii = root.maybe_table("rgmii", &mut self.faults).map(|entries| self.rgmii(entries));
        root.finish(&mut self.faults);
        let board = Board {
            name: name?,
            title: title?.into_inner(),
            tops: tops?,
            part: part?,
            tool: tool?,
            clocks: clocks?,
            core: core?,
            banks: banks?,
            pins: pins?,
            leds: leds?,
            rgmii: rgmii.map_or(Some(None), |rgmii| rgmii.map(Some))?,
            origin: Origin::default(),
        };
        board_checks::check(&board, self);
        Some(board)
    }

    /// The tables `[[key]]`; `None` if one of them has a fault.
    fn every<T>(
        &mut self,
        key: &'static str,
        root: &mut Entries<'_, '_>,
        read: impl Fn(&mut Self, Entries<'_, '_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let tables = root.tables(key, &mut self.faults);
        let list: Vec<Option<T>> = tables
            .into_iter()
            .map(|entries| {
                self.spans.entry(key).or_insert_with(|| entries.span.clone());
                read(self, entries)
            })
            .collect();
        list.into_iter().collect()
    }

    fn name(&mut self, root: &mut Entries<'_, '_>, folder: &str) -> Option<String> {
        let name = root.text("name", &mut self.faults, NAME, |name| is_name(name) && name != NO_BOARD)?;
        self.spans.insert("name", name.span());
        if name.get_ref() != folder {
            let wanted = format!("{folder:?}, the name of its folder");
            self.faults.add(Some(name.span()), "name", wanted, format!("{:?}", name.get_ref()));
        }
        Some(name.into_inner())
    }

    fn tops(&mut self, root: &mut Entries<'_, '_>) -> Option<Vec<Top>> {
        let wanted = one_of(TOP_NAMES.iter().copied());
        if !root.has("tops") {
            root.texts("tops", &mut self.faults, &wanted, |_| true);
            self.faults.add(
                Some(0..0),
                "tops",
                format!("an array of {wanted}"),
                "nothing: the key is missing",
            );
            return None;
        }
        let names = root.texts("tops", &mut self.faults, &wanted, |name| TOP_NAMES.contains(&name))?;
        self.spans.insert("tops", names.span());
        if names.get_ref().is_empty() {
            self.faults.add(Some(names.span()), "tops", "at least one design", "none");
            return None;
        }
        let mut tops = Vec::new();
        for name in names.get_ref() {
            let top = Top::by_name(name.get_ref())?;
            if tops.contains(&top) {
                let found = format!("{:?} a second time", name.get_ref());
                self.faults.add(Some(name.span()), "tops", "each design once", found);
            }
            tops.push(top);
        }
        Some(tops)
    }

    fn part(&mut self, mut entries: Entries<'_, '_>) -> Option<Part> {
        self.spans.insert("part", entries.span.clone());
        let faults = &mut self.faults;
        let family = entries.word("family", faults, FAMILIES).map(Spanned::into_inner);
        self.family = family;
        let device = entries.text("device", faults, "the device without package and speed", is_word);
        let package = entries.text("package", faults, "the package", is_word);
        let speed = entries.text("speed", faults, "the speed grade, such as \"6\"", is_word);
        let spans = &mut self.spans;
        let counts = [
            ("luts", "part.luts"),
            ("flip_flops", "part.flip_flops"),
            ("block_ram_kbit", "part.block_ram_kbit"),
        ]
        .map(|(key, path)| {
            let count = entries.number(key, faults, 1..=100_000_000)?;
            spans.insert(path, count.span());
            Some(count.into_inner())
        });
        let distributed = entries.maybe_number("distributed_ram_kbit", faults, 0..=100_000_000);
        entries.finish(faults);
        let [luts, flip_flops, block_ram_kbit] = counts;
        Some(Part {
            family: family?,
            device: device?.into_inner(),
            package: package?.into_inner(),
            speed: speed?.into_inner(),
            luts: luts?,
            flip_flops: flip_flops?,
            block_ram_kbit: block_ram_kbit?,
            distributed_ram_kbit: distributed.map_or(0, Spanned::into_inner),
        })
    }

    fn tool(&mut self, mut entries: Entries<'_, '_>) -> Option<Tool> {
        let faults = &mut self.faults;
        let flow = entries.word("flow", faults, FLOWS);
        let options = entries.texts("options", faults, "one argument", is_line);
        let loader = entries.maybe("loader", faults, "the board's name for openFPGALoader", |value| {
            value.as_str().filter(|name| is_word(name)).map(str::to_owned)
        });
        entries.finish(faults);
        let flow = flow?;
        if let Some(family) = self.family.filter(|family| family.flow() != *flow.get_ref()) {
            let wanted =
                format!("{:?}, which takes parts of family {:?}", family.flow().name(), family.name());
            self.faults.add(Some(flow.span()), "tool.flow", wanted, format!("{:?}", flow.get_ref().name()));
        }
        Some(Tool {
            flow: flow.into_inner(),
            options: options.map_or_else(Vec::new, |list| {
                list.into_inner().into_iter().map(Spanned::into_inner).collect()
            }),
            loader: loader.map(Spanned::into_inner),
        })
    }

    fn bank(&mut self, mut entries: Entries<'_, '_>) -> Option<Bank> {
        let name = entries.text("name", &mut self.faults, "the bank's name, such as \"3\"", is_word);
        let volts = entries.maybe("volts", &mut self.faults, "a supply such as 3.3", millivolts);
        entries.finish(&mut self.faults);
        let name = name?;
        let line = self.faults.line(&name.span());
        let millivolts = volts.map(Spanned::into_inner);
        let supply = Supply { millivolts, source: format!("line {line}") };
        if self.banks.insert(name.get_ref().clone(), supply).is_some() {
            self.faults.add(
                Some(name.span()),
                "bank.name",
                "a name of its own",
                format!("{:?} a second time", name.get_ref()),
            );
        }
        Some(Bank { name: name.into_inner(), millivolts })
    }

    fn clock(&mut self, mut entries: Entries<'_, '_>) -> Option<Clock> {
        let fine = |name: &str| is_name(name) && name != DEFAULT_CLOCK;
        let name = entries.text("name", &mut self.faults, NAME, fine);
        if let Some(name) = name.as_ref().filter(|name| !self.clocks.insert(name.get_ref().clone())) {
            let found = format!("{:?} a second time", name.get_ref());
            self.faults.add(Some(name.span()), "clock.name", "a name of its own", found);
        }
        let hertz = entries.number("hertz", &mut self.faults, 1_000_000..=1_000_000_000);
        let owner = name.as_ref().map_or("a clock".to_owned(), |name| format!("clock {:?}", name.get_ref()));
        let pin = self.one_pin(&mut entries, &owner);
        let pad = self.pad(&mut entries, Direction::In, pin.as_ref());
        entries.finish(&mut self.faults);
        Some(Clock { name: name?.into_inner(), hertz: hertz?.into_inner(), pin: pin?.0, pad: pad? })
    }

    fn core(&mut self, mut entries: Entries<'_, '_>) -> Option<Core> {
        let clock = entries.text("clock", &mut self.faults, "the name of a clock", |_| true);
        let hertz = entries.maybe_number("hertz", &mut self.faults, CORE_HERTZ);
        entries.finish(&mut self.faults);
        if let Some(hertz) = &hertz {
            self.spans.insert("core.hertz", hertz.span());
        }
        let clock = clock?;
        self.spans.insert("core.clock", clock.span());
        let hertz = hertz.map_or(super::DEFAULT_CORE_HERTZ, Spanned::into_inner);
        Some(Core { clock: clock.into_inner(), hertz })
    }

    fn pins(&mut self, root: &mut Entries<'_, '_>) -> Option<Vec<PinGroup>> {
        let Some(table) = root.maybe_table("pins", &mut self.faults) else {
            return (!root.has("pins")).then(Vec::new);
        };
        let groups = table.named(&mut self.faults);
        let list: Vec<_> = groups.into_iter().map(|(port, entries)| self.group(port, entries)).collect();
        list.into_iter().collect()
    }

    fn group(&mut self, port: At<String>, mut entries: Entries<'_, '_>) -> Option<PinGroup> {
        let path = entries.path.clone();
        let named = is_name(port.get_ref()) && port.get_ref() != "led";
        if !named {
            let wanted = format!("{NAME}, and other than \"led\"");
            self.faults.add(Some(port.span()), &path, wanted, format!("{:?}", port.get_ref()));
        }
        let direction = entries.word("direction", &mut self.faults, DIRECTIONS).map(Spanned::into_inner);
        let vector = entries.has("pins");
        let pins = match vector {
            true => self.several_pins(&mut entries, &path),
            false => self.one_pin(&mut entries, &path).map(|(pin, span)| (vec![pin], span)),
        };
        let one = pins.as_ref().and_then(|(pins, span)| Some((pins.first()?.clone(), span.clone())));
        let pad = self.pad(&mut entries, direction.unwrap_or(Direction::In), one.as_ref());
        entries.finish(&mut self.faults);
        Some(PinGroup { port: port.into_inner(), direction: direction?, vector, pins: pins?.0, pad: pad? })
    }

    fn led(&mut self, mut entries: Entries<'_, '_>) -> Option<Led> {
        let status = entries.word("status", &mut self.faults, STATUS).map(Spanned::into_inner);
        let active_low = entries.flag("active_low", &mut self.faults);
        let pin = self.one_pin(&mut entries, "led");
        let pad = self.pad(&mut entries, Direction::Out, pin.as_ref());
        entries.finish(&mut self.faults);
        Some(Led { status: status?, active_low, pin: pin?.0, pad: pad? })
    }

    fn rgmii(&mut self, mut entries: Entries<'_, '_>) -> Option<Rgmii> {
        let [tx, rx] = ["tx_delay_ps", "rx_delay_ps"]
            .map(|key| entries.number(key, &mut self.faults, 0..=LARGEST_DELAY_PS).map(Spanned::into_inner));
        let in_band_status = entries.flag("in_band_status", &mut self.faults);
        entries.finish(&mut self.faults);
        Some(Rgmii { tx_delay_ps: tx? as u32, rx_delay_ps: rx? as u32, in_band_status })
    }
}

/// Volts as a number, in mV; a supply of I/O pins lies between 1 and 4 V.
fn millivolts(value: &DeValue<'_>) -> Option<u32> {
    let volts: f64 = match value {
        DeValue::Float(number) => number.as_str().replace('_', "").parse().ok()?,
        DeValue::Integer(_) => super::entries::number(value)? as f64,
        _ => return None,
    };
    (1.0..=4.0).contains(&volts).then(|| (volts * 1000.0).round() as u32)
}

/// Text on one line, and not empty.
fn is_line(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| !character.is_control())
}

/// Text without spaces, and not empty.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"-_.+".contains(&octet))
}

/// `"a", "b" or "c"` of all designs in a list.
pub(super) fn designs(tops: &[Top]) -> String {
    one_of(tops.iter().map(|top| top.name()))
}

/// The name of a direction in board files.
pub(super) fn direction_name(direction: Direction) -> &'static str {
    name_of(DIRECTIONS, &direction)
}
