//! Random stalls from a seed.
use fastrand::Rng;

/// Decides cycle by cycle whether an end of a stream waits.
///
/// It changes its habit now and then (rarely waiting, often, always, never), because some faults
/// need a long stop or a long run before them.
#[derive(Debug, Clone)]
pub struct Stalls {
    source: Option<Source>,
}

#[derive(Debug, Clone)]
struct Source {
    rng: Rng,
    /// Cycles left with this habit.
    left: u32,
    /// How many cycles in 16 wait.
    sixteenths: u32,
}

const HABITS: [u32; 6] = [0, 2, 6, 12, 15, 16];
const LONGEST_HABIT: u32 = 48;

impl Stalls {
    /// Never waits.
    pub fn none() -> Self {
        Self { source: None }
    }

    /// Waits at random; the same seed gives the same waits.
    pub fn seeded(seed: u64) -> Self {
        Self { source: Some(Source { rng: Rng::with_seed(seed), left: 0, sixteenths: 0 }) }
    }

    /// Whether this cycle is a wait.
    #[inline]
    pub fn stalled(&mut self) -> bool {
        self.source.as_mut().is_some_and(Source::stalled)
    }

    /// A length of a pause, usually none, below `limit`.
    pub fn pause(&mut self, limit: u64) -> u64 {
        let Some(source) = &mut self.source else { return 0 };
        if source.stalled() { source.rng.u64(0..limit.max(1)) } else { 0 }
    }
}

impl Source {
    fn stalled(&mut self) -> bool {
        if self.left == 0 {
            self.left = self.rng.u32(1..=LONGEST_HABIT);
            self.sixteenths = HABITS[self.rng.usize(0..HABITS.len())];
        }
        self.left -= 1;
        self.rng.u32(0..16) < self.sixteenths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_waits_again_and_another_seed_others() {
        let waits = |seed| {
            let mut stalls = Stalls::seeded(seed);
            (0..1000).map(|_| stalls.stalled()).collect::<Vec<_>>()
        };
        assert_eq!(waits(7), waits(7));
        assert_ne!(waits(7), waits(8));
    }

    #[test]
    fn long_stops_and_long_runs_both_happen() {
        let mut stalls = Stalls::seeded(1);
        let waits: Vec<bool> = (0..10_000).map(|_| stalls.stalled()).collect();
        let longest = |kind| waits.split(|wait| *wait != kind).map(<[bool]>::len).max();
        assert!(longest(true) > Some(20) && longest(false) > Some(20));
        assert!(!(0..1000).any(|_| Stalls::none().stalled()));
    }
}
