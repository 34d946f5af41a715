//! A card's counters in a report.
use nicforge_host::{Bar, Card};
use serde::{Serialize, Serializer};

use crate::error::Error;

/// The counters that moved, by ascending code; in JSON one object.
#[derive(Clone, Debug, Default)]
pub struct Moved(Vec<(&'static str, u64)>);

impl Moved {
    /// Freezes and reads the counters of `card`.
    ///
    /// # Errors
    /// The card does not answer.
    pub fn of<B: Bar>(card: &mut Card<B>) -> Result<Self, Error> {
        let counters = card.counters()?;
        Ok(Self(counters.iter().filter(|counter| counter.value > 0).map(|c| (c.name, c.value)).collect()))
    }

    /// Name and value as the rows of a table.
    pub fn rows(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.0.iter().map(|(name, value)| vec![(*name).to_owned(), value.to_string()])
    }
}

impl Serialize for Moved {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}
