//! Clocks of a board: when each goes up and down.
use crate::model::Input;

/// One of a board's clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock(pub(crate) usize);

impl Clock {
    /// The core clock, which every board has.
    pub const CORE: Self = Self(0);
}

/// A clock under way. Times are picoseconds since power-up.
#[derive(Debug, Clone)]
pub(crate) struct Ticker {
    /// The input that it drives.
    pub pin: Input,
    pub period: u64,
    /// The time of the next edge; [`u64::MAX`] while it is stopped.
    pub next: u64,
    /// Cycles that have ended.
    pub cycle: u64,
    /// Whether it is high now.
    high: bool,
}

impl Ticker {
    /// A clock that goes low for the first time at `first`.
    pub fn new(pin: Input, period: u64, first: u64) -> Self {
        // Not yet low: the first edge begins the first cycle, in which actors set inputs.
        Self { pin, period: period.max(2), next: first, cycle: 0, high: true }
    }

    /// The core clock and the others, each with its number.
    pub fn all<'a>(core: &'a Self, others: &'a [Self]) -> impl Iterator<Item = (usize, &'a Self)> {
        std::iter::once(core).chain(others).enumerate()
    }

    /// As [`all`](Self::all), to be changed.
    pub fn all_mut<'a>(
        core: &'a mut Self,
        others: &'a mut [Self],
    ) -> impl Iterator<Item = (usize, &'a mut Self)> {
        std::iter::once(core).chain(others).enumerate()
    }

    /// Whether it goes up at this time.
    #[inline]
    pub fn rises_at(&self, now: u64) -> bool {
        self.next == now && !self.high
    }

    /// Whether it goes down at this time.
    #[inline]
    pub fn falls_at(&self, now: u64) -> bool {
        self.next == now && self.high
    }

    /// Notes that the edge has come. An odd period is a picosecond longer high than low.
    #[inline]
    pub fn advance(&mut self) {
        self.high = !self.high;
        let low = self.period / 2;
        self.next += if self.high { self.period - low } else { low };
    }

    /// Stops at the present level, or goes on half a period from now.
    pub fn run(&mut self, runs: bool, now: u64) {
        match (runs, self.next) {
            (false, _) => self.next = u64::MAX,
            (true, u64::MAX) => self.next = now + self.period / 2,
            (true, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(period: u64, first: u64, count: usize) -> Vec<u64> {
        let mut ticker = Ticker::new(Input(0), period, first);
        let mut edge = || {
            let now = ticker.next;
            ticker.advance();
            now
        };
        (0..count).map(|_| edge()).collect()
    }

    #[test]
    fn edges_alternate_at_half_periods_and_no_picosecond_is_lost() {
        assert_eq!(edges(6_400, 0, 4), [0, 3_200, 6_400, 9_600]);
        assert_eq!(edges(8_001, 5, 5), [5, 4_005, 8_006, 12_006, 16_007]);
    }

    #[test]
    fn a_stopped_clock_has_no_edge_until_it_runs_again() {
        let mut ticker = Ticker::new(Input(0), 8_000, 0);
        ticker.advance();
        ticker.run(false, 100);
        assert_eq!(ticker.next, u64::MAX);
        ticker.run(true, 50_000);
        ticker.run(true, 90_000);
        assert!(ticker.rises_at(54_000));
    }
}
