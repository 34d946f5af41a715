//! From TOML text to one sound value a field; everything that is wrong with a field by itself is found here.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv4Addr;
use std::ops::Range;

use serde::{Serialize, Serializer};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Top;
use super::faults::Faults;
use super::fields::{FIELDS, Field, Form, TABLES, field, one_of};

/// A MAC address, octet 0 first on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MacAddress(pub [u8; 6]);

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let octets: Vec<String> = self.0.iter().map(|octet| format!("{octet:02x}")).collect();
        f.write_str(&octets.join(":"))
    }
}

impl Serialize for MacAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Integer(u64),
    Boolean(bool),
    Text(String),
    Mac(MacAddress),
    Ipv4(Ipv4Addr),
}

/// One value a field, and where it came from.
#[derive(Debug)]
pub(super) struct Values {
    values: BTreeMap<String, Given>,
    /// The design whose defaults are taken.
    top: Top,
}

#[derive(Debug)]
struct Given {
    /// `None` when the file gives something that is none.
    value: Option<Value>,
    /// Where the file gives it; `None` for a default.
    span: Option<Range<usize>>,
}

impl Values {
    /// Reads a whole file. Fields that it lacks come with [`Values::complete`].
    pub(super) fn read(text: &str, faults: &mut Faults) -> Self {
        let (root, errors) = DeTable::parse_recoverable(text);
        errors.iter().for_each(|error| faults.syntax(text, error));
        let mut values = Self { values: BTreeMap::new(), top: Top::UdpCore };
        values.walk("", root.get_ref(), faults);
        values
    }

    /// Gives the fields that the file lacks the default that they have in this design.
    pub(super) fn complete(&mut self, top: Top) {
        for field in FIELDS {
            let given = || Given { value: default(field, top), span: None };
            self.values.entry(field.path()).or_insert_with(given);
        }
        self.top = top;
    }

    /// Notes that a value is none, though its form is right.
    pub(super) fn spoil(&mut self, path: &str) {
        if let Some(given) = self.values.get_mut(path) {
            given.value = None;
        }
    }

    fn walk(&mut self, table: &str, entries: &DeTable<'_>, faults: &mut Faults) {
        for (key, value) in entries.iter() {
            let path = if table.is_empty() { key.get_ref().to_string() } else { format!("{table}.{key}") };
            // A quoted key with a dot in it would otherwise pass for a table and a key.
            let plain = !key.get_ref().contains('.');
            let known = field(&path).filter(|_| plain);
            let inner_table = plain && TABLES.iter().any(|table| table.name == path);
            match (known, value.get_ref()) {
                (Some(field), _) => self.take(field, &path, value, faults),
                (None, DeValue::Table(inner)) if inner_table => self.walk(&path, inner, faults),
                (None, found) if inner_table => {
                    faults.add(Some(value.span()), &path, "a table", describe(found));
                }
                (None, _) => faults.add(Some(key.span()), &path, known_keys(table), "an unknown key"),
            }
        }
    }

    fn take(&mut self, field: &Field, path: &str, value: &Spanned<DeValue<'_>>, faults: &mut Faults) {
        let taken = take(field.form, value.get_ref());
        if taken.is_none() {
            faults.add(Some(value.span()), path, field.form.describe(), describe(value.get_ref()));
        }
        self.values.insert(path.to_owned(), Given { value: taken, span: Some(value.span()) });
    }

    /// Where the file gives this field.
    pub(super) fn span(&self, path: &str) -> Option<Range<usize>> {
        self.values.get(path).and_then(|given| given.span.clone())
    }

    /// Whether the file itself gives this field.
    pub(super) fn is_given(&self, path: &str) -> bool {
        self.span(path).is_some()
    }

    /// Whether all these fields have a value that their form allows.
    pub(super) fn are_sound(&self, paths: &[&str]) -> bool {
        paths.iter().all(|path| self.values.get(*path).is_some_and(|given| given.value.is_some()))
    }

    fn get(&self, path: &str) -> Value {
        let given = self.values.get(path).and_then(|given| given.value.clone());
        let fallback = || field(path).and_then(|field| default(field, self.top));
        given
            .or_else(fallback)
            .expect("every path asked for is in FIELDS with a sound default, and a test asks for all")
    }

    /// A whole number; the default where the file's value is faulty.
    pub(super) fn integer(&self, path: &str) -> u64 {
        match self.get(path) {
            Value::Integer(value) => value,
            other => unreachable!("{path} is no number but {other:?}"),
        }
    }

    /// `true` or `false`; the default where the file's value is faulty.
    pub(super) fn boolean(&self, path: &str) -> bool {
        self.get(path) == Value::Boolean(true)
    }

    /// A word; the default where the file's value is faulty.
    pub(super) fn text(&self, path: &str) -> String {
        match self.get(path) {
            Value::Text(value) => value,
            other => unreachable!("{path} is no text but {other:?}"),
        }
    }

    /// A MAC address; the default where the file's value is faulty.
    pub(super) fn mac(&self, path: &str) -> MacAddress {
        match self.get(path) {
            Value::Mac(value) => value,
            other => unreachable!("{path} is no MAC address but {other:?}"),
        }
    }

    /// An IPv4 address; the default where the file's value is faulty.
    pub(super) fn ipv4(&self, path: &str) -> Ipv4Addr {
        match self.get(path) {
            Value::Ipv4(value) => value,
            other => unreachable!("{path} is no IPv4 address but {other:?}"),
        }
    }
}

/// A field's default in a design, read like a file's value.
fn default(field: &Field, top: Top) -> Option<Value> {
    take(field.form, DeValue::parse(field.default_in(top)).ok()?.get_ref())
}

fn take(form: Form, value: &DeValue<'_>) -> Option<Value> {
    match (form, value) {
        (Form::Integer(low, high), DeValue::Integer(number)) => {
            let number = u64::from_str_radix(number.as_str(), number.radix()).ok()?;
            (low..=high).contains(&number).then_some(Value::Integer(number))
        }
        (Form::Boolean, DeValue::Boolean(value)) => Some(Value::Boolean(*value)),
        (_, DeValue::String(text)) => take_text(form, text),
        _ => None,
    }
}

fn take_text(form: Form, text: &str) -> Option<Value> {
    let accepted = match form {
        Form::Word(words) => words.contains(&text),
        Form::Board | Form::Clock => super::board_file::is_name(text),
        Form::Station => is_station(text),
        Form::Mac => return parse_mac(text).map(Value::Mac),
        Form::Ipv4 => return text.parse().ok().map(Value::Ipv4),
        Form::Integer(..) | Form::Boolean => false,
    };
    accepted.then(|| Value::Text(text.to_owned()))
}

/// Readers take a station as text when its first character is 48 or above, else as a number.
fn is_station(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|octet| octet.is_ascii_graphic()) && text.as_bytes()[0] >= b'0'
}

fn parse_mac(text: &str) -> Option<MacAddress> {
    let mut octets = [0; 6];
    let mut parts = text.split(':');
    for octet in &mut octets {
        let part =
            parts.next().filter(|part| part.len() == 2 && part.bytes().all(|c| c.is_ascii_hexdigit()))?;
        *octet = u8::from_str_radix(part, 16).ok()?;
    }
    parts.next().is_none().then_some(MacAddress(octets))
}

/// A value as it is shown in a fault, cut where it is long.
pub(super) fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.chars().count() > 40 => {
            format!("{:?}...", text.chars().take(40).collect::<String>())
        }
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(time) => format!("the date {time}"),
        DeValue::Array(_) => "an array".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// "One of" all that may stand in a table, keys and tables inside it.
fn known_keys(table: &str) -> String {
    let keys = FIELDS.iter().filter(|field| field.table == table).map(|field| field.key);
    let tables = TABLES.iter().filter(|inner| !inner.name.is_empty()).filter_map(|inner| {
        let (outer, name) = inner.name.rsplit_once('.').unwrap_or(("", inner.name));
        (outer == table).then_some(name)
    });
    format!("one of {}", one_of(keys.chain(tables)))
}
