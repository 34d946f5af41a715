//! Which targets share an `always` block.
//!
//! Combinational targets get a block each: a shared one would depend on everything any of them
//! reads, which looks like a loop to a simulator where parent and child each have one. They share
//! only where a stale read (see `flow`) demands it. Flip-flops of one clock that one statement of
//! the source assigns stay together, as written.

use super::flow::Flow;
use super::ir::Statement;
use std::collections::{BTreeMap, BTreeSet};

/// Targets that are assigned in one place, in the order of their first assignment.
#[derive(Debug, PartialEq)]
pub(super) struct Group {
    pub(super) targets: Vec<String>,
    /// The clock, if the group is flip-flops only and needs no next-state signals.
    pub(super) clock: Option<String>,
}

/// Groups the targets of a block. `clocks` holds the clock's name for each flip-flop input.
pub(super) fn group(statements: &[Statement], flow: &Flow, clocks: &BTreeMap<String, String>) -> Vec<Group> {
    let targets = targets(statements);
    let number: BTreeMap<&str, usize> = targets.iter().enumerate().map(|(i, t)| (*t, i)).collect();
    let mut sets = Sets::new(targets.len());
    for (reader, read) in &flow.stale {
        if let (Some(a), Some(b)) = (number.get(reader.as_str()), number.get(read.as_str())) {
            sets.join(*a, *b);
        }
    }
    let class = classes(&targets, clocks, &mut sets);
    for statement in statements {
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        statement.writes(&mut |key, _| {
            let index = number[key];
            if let Some(clock) = class[index] {
                let with = *first.entry(clock).or_insert(index);
                sets.join(with, index);
            }
        });
    }
    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate() {
        let clock = class[index].map(String::from);
        let group = groups.entry(sets.find(index)).or_insert(Group { targets: Vec::new(), clock });
        group.targets.push((*target).into());
    }
    groups.into_values().collect()
}

/// All targets in the order of their first assignment.
fn targets(statements: &[Statement]) -> Vec<&str> {
    let (mut seen, mut targets) = (BTreeSet::new(), Vec::new());
    for statement in statements {
        statement.writes(&mut |key, _| {
            if seen.insert(key) {
                targets.push(key);
            }
        });
    }
    targets
}

/// The clock of each target that can be assigned in a clocked block: a flip-flop input that stale
/// reads tie to nothing but flip-flops of the same clock.
fn classes<'a>(
    targets: &[&str],
    clocks: &'a BTreeMap<String, String>,
    sets: &mut Sets,
) -> Vec<Option<&'a str>> {
    let own: Vec<Option<&str>> = targets.iter().map(|t| clocks.get(*t).map(String::as_str)).collect();
    let mut of_set: BTreeMap<usize, BTreeSet<Option<&str>>> = BTreeMap::new();
    for (index, clock) in own.iter().enumerate() {
        of_set.entry(sets.find(index)).or_default().insert(*clock);
    }
    let pure = |index: usize, sets: &mut Sets| of_set[&sets.find(index)].len() == 1;
    (0..targets.len()).map(|i| own[i].filter(|_| pure(i, sets))).collect()
}

/// Disjoint sets; each is known by its smallest member.
struct Sets {
    parent: Vec<usize>,
}

impl Sets {
    fn new(count: usize) -> Self {
        Self { parent: (0..count).collect() }
    }

    fn find(&mut self, mut index: usize) -> usize {
        while self.parent[index] != index {
            self.parent[index] = self.parent[self.parent[index]];
            index = self.parent[index];
        }
        index
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }
}
