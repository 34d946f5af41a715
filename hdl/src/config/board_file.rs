//! From the text of a `board.toml` to a [`Board`], or to every fault of it.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::board::{
    Bank, Board, Clock, Core, Direction, Led, NO_BOARD, Origin, Pad, Part, Pin, PinGroup, Pull, Rgmii,
    STATUS, Slew, Tool,
};
use super::entries::{At, Entries};
use super::faults::Faults;
use super::fields::one_of;
use super::standards::{FAMILIES, FLOWS, Family, MGT, Pair, Standard, name_of};
use super::{DEFAULT_CLOCK, TOP_NAMES, Top, board_checks};

/// What a name is made of.
const NAME: &str = "a name of lower-case letters, digits and _, a letter first";
/// What a pin is called.
const PIN: &str = "a pin of the package such as \"K23\"";
/// Steps of 25 ps that an ECP5 input or output can be delayed by, times 25.
const LARGEST_DELAY_PS: u64 = 127 * 25;
/// Core clocks in Hz for 1 GbE: fast enough for the line, slow enough for any part.
const CORE_HERTZ: std::ops::RangeInclusive<u64> = 20_000_000..=200_000_000;

const DIRECTIONS: &[(&str, Direction)] =
    &[("in", Direction::In), ("out", Direction::Out), ("inout", Direction::Inout)];
const SLEWS: &[(&str, Slew)] = &[("fast", Slew::Fast), ("slow", Slew::Slow)];
const PULLS: &[(&str, Pull)] = &[("up", Pull::Up), ("down", Pull::Down), ("none", Pull::None)];

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

/// Letters, then a number: the balls of a grid, and the numbered pads of older packages.
fn is_pin(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &text[letters..];
    (1..=3).contains(&letters)
        && (1..=3).contains(&digits.len())
        && digits.bytes().all(|octet| octet.is_ascii_digit())
}

/// A file while it is read.
pub(super) struct Reader {
    pub(super) faults: Faults,
    pub(super) spans: BTreeMap<&'static str, Range<usize>>,
    family: Option<Family>,
    /// Banks, with the place of their supply, or of the first pin that needs one.
    banks: BTreeMap<String, Supply>,
    /// Who uses a pin, and in which line.
    used: BTreeMap<String, (String, usize)>,
}

/// The supply of a bank.
struct Supply {
    millivolts: Option<u32>,
    /// What says so.
    source: String,
}

impl Reader {
    fn new(text: &str, file: &str) -> Self {
        Self {
            faults: Faults::new(file, text),
            spans: BTreeMap::new(),
            family: None,
            banks: BTreeMap::new(),
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
        let Some(first) = names.first() else {
            self.faults.add(Some(root.span.clone()), "tops", "at least one design", "none");
            return None;
        };
        self.spans.insert("tops", first.span());
        names.iter().map(|name| Top::by_name(name.get_ref())).collect()
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
            options: options.unwrap_or_default().into_iter().map(Spanned::into_inner).collect(),
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

    /// `pin`, and `pin_n` for a pair.
    fn one_pin(&mut self, entries: &mut Entries<'_, '_>, owner: &str) -> Option<(Pin, Range<usize>)> {
        let positive = entries.text("pin", &mut self.faults, PIN, is_pin);
        let negative = entries.maybe("pin_n", &mut self.faults, PIN, |value| {
            value.as_str().filter(|pin| is_pin(pin)).map(str::to_owned)
        });
        let positive = positive?;
        let span = positive.span();
        self.take_pin(&positive, owner);
        if let Some(negative) = &negative {
            self.take_pin(negative, owner);
        }
        Some((Pin { positive: positive.into_inner(), negative: negative.map(Spanned::into_inner) }, span))
    }

    /// `pins`, and `pins_n` for pairs.
    fn several_pins(
        &mut self,
        entries: &mut Entries<'_, '_>,
        owner: &str,
    ) -> Option<(Vec<Pin>, Range<usize>)> {
        let positive = entries.texts("pins", &mut self.faults, PIN, is_pin);
        let negative = entries.has("pins_n");
        let negative = negative.then(|| entries.texts("pins_n", &mut self.faults, PIN, is_pin));
        let positive = positive?;
        let Some(span) = positive.first().map(Spanned::span) else {
            self.faults.add(Some(entries.span.clone()), &format!("{owner}.pins"), "at least one pin", "none");
            return None;
        };
        positive.iter().for_each(|pin| self.take_pin(pin, owner));
        let mut pins: Vec<Pin> =
            positive.into_iter().map(|pin| Pin { positive: pin.into_inner(), negative: None }).collect();
        let Some(negative) = negative else { return Some((pins, span)) };
        let negative = negative?;
        negative.iter().for_each(|pin| self.take_pin(pin, owner));
        if negative.len() != pins.len() {
            let wanted = format!("{} pins, one for each of pins", pins.len());
            let place = negative.first().map_or_else(|| entries.span.clone(), Spanned::span);
            self.faults.add(Some(place), &format!("{owner}.pins_n"), wanted, negative.len().to_string());
            return None;
        }
        for (pin, other) in pins.iter_mut().zip(negative) {
            pin.negative = Some(other.into_inner());
        }
        Some((pins, span))
    }

    /// Notes who uses a pin: a pin has one use.
    fn take_pin(&mut self, pin: &At<String>, owner: &str) {
        let line = self.faults.line(&pin.span());
        let name = pin.get_ref();
        if let Some((first, other)) = self.used.get(name) {
            let found = format!("{name:?}, which {first} has in line {other}");
            self.faults.add(Some(pin.span()), owner, "a pin that nothing else uses", found);
        } else {
            self.used.insert(name.clone(), (owner.to_owned(), line));
        }
    }

    /// How the pin behaves; `pin` is the first of the group.
    fn pad(
        &mut self,
        entries: &mut Entries<'_, '_>,
        direction: Direction,
        pin: Option<&(Pin, Range<usize>)>,
    ) -> Option<Pad> {
        let faults = &mut self.faults;
        let standard = entries.text("standard", faults, "an I/O standard", is_word);
        let bank = entries.maybe("bank", faults, "the bank's name", |value| {
            value.as_str().filter(|name| is_word(name)).map(str::to_owned)
        });
        let slew = entries.maybe_word("slew", faults, SLEWS);
        let drive = entries.maybe_number("drive", faults, 2..=24);
        let pull = entries.maybe_word("pull", faults, PULLS);
        let termination = entries.flag("termination", faults);
        let standard = standard?;
        let known = self.standard(&standard, &entries.path)?;
        self.pair(known, &standard, pin, entries);
        if let Some(bank) = &bank {
            let fixed = known.pair != Pair::Differential || termination || direction != Direction::In;
            self.supply(known, &standard, bank, fixed, &entries.path);
        }
        Some(Pad {
            standard: standard.into_inner(),
            bank: bank.map(Spanned::into_inner),
            slew,
            drive: drive.map(|drive| drive.into_inner() as u8),
            pull,
            termination,
        })
    }

    /// The standard of this name in the part's family; without a family that was said already.
    fn standard(&mut self, standard: &At<String>, path: &str) -> Option<&'static Standard> {
        let family = self.family?;
        let known = family.standards().find(|known| known.name == standard.get_ref());
        if known.is_none() {
            let wanted = format!("one of {}", one_of(family.standards().map(|known| known.name)));
            let found = format!("{:?}", standard.get_ref());
            self.faults.add(Some(standard.span()), &format!("{path}.standard"), wanted, found);
        }
        known
    }

    /// A differential standard has two pins; the ECP5's tools know the second by themselves.
    fn pair(
        &mut self,
        known: &Standard,
        standard: &At<String>,
        pin: Option<&(Pin, Range<usize>)>,
        entries: &Entries<'_, '_>,
    ) {
        let Some((pin, span)) = pin else { return };
        let implied = self.family == Some(Family::Ecp5) && known.name != MGT;
        let wanted = match (known.pair, &pin.negative) {
            (Pair::Single, Some(_)) => "one pin: the standard is not differential",
            (Pair::Differential | Pair::Terminated, None) if !implied => {
                "two pins: the negative ones in pin_n or pins_n"
            }
            _ => return,
        };
        let found =
            format!("{:?} with {}", standard.get_ref(), if pin.negative.is_some() { "two" } else { "one" });
        self.faults.add(Some(span.clone()), &entries.path, wanted, found);
    }

    /// Notes what supply a pin needs of its bank, and refuses a second one.
    fn supply(
        &mut self,
        known: &Standard,
        standard: &At<String>,
        bank: &At<String>,
        fixed: bool,
        path: &str,
    ) {
        let line = self.faults.line(&standard.span());
        let Some(supply) = self.banks.get_mut(bank.get_ref()) else {
            let wanted = format!("one of {}", one_of(self.banks.keys().map(String::as_str)));
            let found = format!("{:?}", bank.get_ref());
            self.faults.add(Some(bank.span()), &format!("{path}.bank"), wanted, found);
            return;
        };
        if !fixed || known.millivolts == 0 {
            return;
        }
        let found = format!("{:?}, which needs {}", known.name, volts(known.millivolts));
        match supply.millivolts {
            None => {
                supply.millivolts = Some(known.millivolts);
                supply.source = format!("{:?} in line {line}", known.name);
            }
            Some(millivolts) if millivolts != known.millivolts => {
                let wanted = format!(
                    "an I/O standard for the {} of bank {:?} ({})",
                    volts(millivolts),
                    bank.get_ref(),
                    supply.source
                );
                self.faults.add(Some(standard.span()), &format!("{path}.standard"), wanted, found);
            }
            Some(_) => {}
        }
    }
}

/// `3.3 V`.
fn volts(millivolts: u32) -> String {
    let text = format!("{}.{:03}", millivolts / 1000, millivolts % 1000);
    let short = text.trim_end_matches('0');
    format!("{}{} V", short, if short.ends_with('.') { "0" } else { "" })
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
fn is_word(text: &str) -> bool {
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
