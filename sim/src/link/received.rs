//! What comes out of a line, whichever line it is: frames, and rules that were broken.
use super::fcs_is_good;

/// A frame as it came over a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// From the destination address through the FCS.
    pub octets: Vec<u8>,
    /// The cycle of the line's clock in which it began (XGMII: start code; GMII: first octet of the
    /// preamble).
    pub cycle: u64,
    /// The lane in which it began; 0 where a cycle has one octet.
    pub lane: usize,
    /// Octets between the frame before and this one (XGMII: terminate code included); nothing before
    /// the first frame.
    pub gap: Option<u64>,
    /// Whether an error of the line or the preamble made it bad, whatever its FCS says.
    pub damaged: bool,
}

impl Received {
    /// Whether a station would take it: no damage, and the FCS is right.
    pub fn is_good(&self) -> bool {
        !self.damaged && fcs_is_good(&self.octets)
    }

    /// The frame without its FCS; empty if it is shorter than that.
    pub fn without_fcs(&self) -> &[u8] {
        &self.octets[..self.octets.len().saturating_sub(4)]
    }
}

/// A rule that was broken, of those of kind `K`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation<K> {
    /// The cycle of the line's clock.
    pub cycle: u64,
    /// The lane; 0 where a cycle has one octet.
    pub lane: usize,
    /// The rule.
    pub kind: K,
}

/// Violations kept; the number of all is counted.
const KEPT: usize = 1_000;

/// The rules broken so far.
#[derive(Debug, Clone)]
pub(super) struct Violations<K> {
    first: Vec<Violation<K>>,
    count: u64,
}

impl<K> Default for Violations<K> {
    fn default() -> Self {
        Self { first: Vec::new(), count: 0 }
    }
}

impl<K> Violations<K> {
    /// Notes one more.
    pub fn note(&mut self, kind: K, cycle: u64, lane: usize) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(Violation { cycle, lane, kind });
        }
    }

    /// The first thousand.
    pub fn first(&self) -> &[Violation<K>] {
        &self.first
    }

    /// The number of all.
    pub fn count(&self) -> u64 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_violations_are_counted_and_the_first_thousand_kept() {
        let mut violations = Violations::default();
        (0..2_500).for_each(|cycle| violations.note('x', cycle, 3));
        assert_eq!((violations.count(), violations.first().len()), (2_500, 1_000));
        assert_eq!(violations.first()[999], Violation { cycle: 999, lane: 3, kind: 'x' });
    }
}
