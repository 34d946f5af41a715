//! The pins of a board file: each used once, with an I/O standard of its family, in a bank with the
//! supply that the standard needs.

use std::ops::Range;

use toml::Spanned;

use super::board::{Direction, Pad, Pin, Pull, Slew};
use super::board_file::{Reader, is_word};
use super::entries::{At, Entries};
use super::fields::one_of;
use super::standards::{Family, MGT, Pair, Standard};

/// What a pin is called.
const PIN: &str = "a pin of the package such as \"K23\"";

const SLEWS: &[(&str, Slew)] = &[("fast", Slew::Fast), ("slow", Slew::Slow)];
const PULLS: &[(&str, Pull)] = &[("up", Pull::Up), ("down", Pull::Down), ("none", Pull::None)];

/// The supply of a bank.
pub(super) struct Supply {
    pub(super) millivolts: Option<u32>,
    /// What says so.
    pub(super) source: String,
}

impl Reader {
    /// `pin`, and `pin_n` for a pair.
    pub(super) fn one_pin(
        &mut self,
        entries: &mut Entries<'_, '_>,
        owner: &str,
    ) -> Option<(Pin, Range<usize>)> {
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
    pub(super) fn several_pins(
        &mut self,
        entries: &mut Entries<'_, '_>,
        owner: &str,
    ) -> Option<(Vec<Pin>, Range<usize>)> {
        let positive = entries.texts("pins", &mut self.faults, PIN, is_pin);
        let negative = entries.has("pins_n");
        let negative = negative.then(|| entries.texts("pins_n", &mut self.faults, PIN, is_pin));
        let positive = positive?;
        let (span, positive) = (positive.span(), positive.into_inner());
        if positive.is_empty() {
            self.faults.add(Some(span), &format!("{owner}.pins"), "at least one pin", "none");
            return None;
        }
        positive.iter().for_each(|pin| self.take_pin(pin, owner));
        let mut pins: Vec<Pin> =
            positive.into_iter().map(|pin| Pin { positive: pin.into_inner(), negative: None }).collect();
        let Some(negative) = negative else { return Some((pins, span)) };
        let negative = negative?;
        let (place, negative) = (negative.span(), negative.into_inner());
        negative.iter().for_each(|pin| self.take_pin(pin, owner));
        if negative.len() != pins.len() {
            let wanted = format!("{} pins, one for each of pins", pins.len());
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
    pub(super) fn pad(
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

/// Letters, then a number: the balls of a grid, and the numbered pads of older packages.
fn is_pin(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &text[letters..];
    (1..=3).contains(&letters)
        && (1..=3).contains(&digits.len())
        && digits.bytes().all(|octet| octet.is_ascii_digit())
}

/// `3.3 V`.
fn volts(millivolts: u32) -> String {
    let text = format!("{}.{:03}", millivolts / 1000, millivolts % 1000);
    let short = text.trim_end_matches('0');
    format!("{}{} V", short, if short.ends_with('.') { "0" } else { "" })
}
