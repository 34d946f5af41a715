//! Reads a TOML table key by key: every wrong or missing one is a fault, and so is every one that
//! nobody asked for.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::describe;
use super::faults::Faults;
use super::fields::one_of;

/// A value and where it stands.
pub(super) type At<T> = Spanned<T>;

/// A table while it is read.
pub(super) struct Entries<'t, 'i> {
    table: &'t DeTable<'i>,
    /// Name for faults; empty for the file itself.
    pub(super) path: String,
    /// Where the table begins.
    pub(super) span: Range<usize>,
    asked: Vec<&'static str>,
}

impl<'t, 'i> Entries<'t, 'i> {
    /// The whole file.
    pub(super) fn root(table: &'t DeTable<'i>) -> Self {
        Self { table, path: String::new(), span: 0..0, asked: Vec::new() }
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn find(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'i>>> {
        self.asked.push(key);
        self.table.get(key)
    }

    /// Whether the key stands there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// A value that may be missing; a fault if `take` does not accept it.
    pub(super) fn maybe<T>(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
        wanted: &str,
        take: impl FnOnce(&DeValue<'i>) -> Option<T>,
    ) -> Option<At<T>> {
        let value = self.find(key)?;
        match take(value.get_ref()) {
            Some(taken) => Some(Spanned::new(value.span(), taken)),
            None => {
                faults.add(Some(value.span()), &self.path_of(key), wanted, describe(value.get_ref()));
                None
            }
        }
    }

    /// A value that must be there.
    pub(super) fn need<T>(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
        wanted: &str,
        take: impl FnOnce(&DeValue<'i>) -> Option<T>,
    ) -> Option<At<T>> {
        if !self.has(key) {
            self.asked.push(key);
            faults.add(Some(self.span.clone()), &self.path_of(key), wanted, "nothing: the key is missing");
            return None;
        }
        self.maybe(key, faults, wanted, take)
    }

    /// A text that must be there, of a form that `fine` tells.
    pub(super) fn text(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
        wanted: &str,
        fine: impl Fn(&str) -> bool,
    ) -> Option<At<String>> {
        self.need(key, faults, wanted, |value| text(value).filter(|text| fine(text)))
    }

    /// One of a list of words that must be there.
    pub(super) fn word<T: Clone>(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
        words: &[(&'static str, T)],
    ) -> Option<At<T>> {
        self.need(key, faults, &names(words), |value| word(value, words))
    }

    /// One of a list of words that may be missing.
    pub(super) fn maybe_word<T: Clone>(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        self.maybe(key, faults, &names(words), |value| word(value, words)).map(Spanned::into_inner)
    }

    /// A whole number that must be there.
    pub(super) fn number(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<At<u64>> {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        self.need(key, faults, &wanted, |value| number(value).filter(|number| range.contains(number)))
    }

    /// A whole number that may be missing.
    pub(super) fn maybe_number(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<At<u64>> {
        if self.has(key) { self.number(key, faults, range) } else { self.find(key).and(None) }
    }

    /// `true` or `false`, `false` where it is missing.
    pub(super) fn flag(&mut self, key: &'static str, faults: &mut Faults) -> bool {
        let taken = self.maybe(key, faults, "true or false", |value| value.as_bool());
        taken.is_some_and(Spanned::into_inner)
    }

    /// A list of texts that may be missing; a fault for each entry that `fine` refuses.
    pub(super) fn texts(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
        wanted: &str,
        fine: impl Fn(&str) -> bool,
    ) -> Option<At<Vec<At<String>>>> {
        let path = self.path_of(key);
        let value = self.find(key)?;
        let Some(list) = value.get_ref().as_array() else {
            faults.add(
                Some(value.span()),
                &path,
                format!("an array, each entry {wanted}"),
                describe(value.get_ref()),
            );
            return None;
        };
        let mut texts = Vec::new();
        for entry in list.iter() {
            match text(entry.get_ref()).filter(|text| fine(text)) {
                Some(text) => texts.push(Spanned::new(entry.span(), text)),
                None => faults.add(Some(entry.span()), &path, wanted, describe(entry.get_ref())),
            }
        }
        (texts.len() == list.len()).then(|| Spanned::new(value.span(), texts))
    }

    /// A table that must be there.
    pub(super) fn table(&mut self, key: &'static str, faults: &mut Faults) -> Option<Entries<'t, 'i>> {
        if !self.has(key) {
            self.asked.push(key);
            faults.add(Some(self.span.clone()), key, format!("a table [{key}]"), "nothing: it is missing");
            return None;
        }
        self.maybe_table(key, faults)
    }

    /// A table that may be missing.
    pub(super) fn maybe_table(&mut self, key: &'static str, faults: &mut Faults) -> Option<Entries<'t, 'i>> {
        let path = self.path_of(key);
        let value = self.find(key)?;
        inner(value, path, faults, format!("a table [{key}]"))
    }

    /// An array of tables, empty where it is missing.
    pub(super) fn tables(&mut self, key: &'static str, faults: &mut Faults) -> Vec<Entries<'t, 'i>> {
        let path = self.path_of(key);
        let Some(value) = self.find(key) else { return Vec::new() };
        let wanted = format!("tables [[{key}]]");
        let Some(list) = value.get_ref().as_array() else {
            faults.add(Some(value.span()), &path, wanted, describe(value.get_ref()));
            return Vec::new();
        };
        list.iter().filter_map(|entry| inner(entry, path.clone(), faults, wanted.clone())).collect()
    }

    /// The tables below this one by names that are free, in the order of the file.
    pub(super) fn named(self, faults: &mut Faults) -> Vec<(At<String>, Entries<'t, 'i>)> {
        let mut list = Vec::new();
        for (key, value) in self.table.iter() {
            let path = self.path_of(key.get_ref());
            if let Some(table) = inner(value, path.clone(), faults, format!("a table [{path}]")) {
                list.push((Spanned::new(key.span(), key.get_ref().to_string()), table));
            }
        }
        list
    }

    /// Ends the reading: keys that nobody asked for are faults.
    pub(super) fn finish(self, faults: &mut Faults) {
        for (key, _) in self.table.iter().filter(|(key, _)| !self.asked.contains(&key.get_ref().as_ref())) {
            let wanted = format!("one of {}", one_of(self.asked.iter().copied()));
            faults.add(Some(key.span()), &self.path_of(key.get_ref()), wanted, "an unknown key");
        }
    }
}

fn inner<'t, 'i>(
    value: &'t Spanned<DeValue<'i>>,
    path: String,
    faults: &mut Faults,
    wanted: String,
) -> Option<Entries<'t, 'i>> {
    match value.get_ref() {
        DeValue::Table(table) => Some(Entries { table, path, span: value.span(), asked: Vec::new() }),
        other => {
            faults.add(Some(value.span()), &path, wanted, describe(other));
            None
        }
    }
}

fn text(value: &DeValue<'_>) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn word<T: Clone>(value: &DeValue<'_>, words: &[(&'static str, T)]) -> Option<T> {
    let name = value.as_str()?;
    words.iter().find(|(word, _)| *word == name).map(|(_, value)| value.clone())
}

fn names<T>(words: &[(&'static str, T)]) -> String {
    one_of(words.iter().map(|(name, _)| *name))
}

/// A whole number that is not negative.
pub(super) fn number(value: &DeValue<'_>) -> Option<u64> {
    let number = value.as_integer()?;
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}
