//! What is assigned when it is read: latches, early reads, and reads of intermediate values.
//!
//! `update` runs top to bottom, and rust-hdl repeats it until nothing changes. A read of a Local or
//! an own output therefore sees the last assignment above it. Where no assignment follows, that is
//! the settled value, and the statement may stand anywhere in the Verilog. Where one follows, the
//! read is *stale*, and reader and signal must share one `always` block in the order of the source.

use super::error::Fault;
use super::ir::{Arm, Bits, Expr, Statement};
use super::scope::{Role, Scope, ones};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// Bits assigned on every path, by key.
type Assigned = BTreeMap<String, BigUint>;

/// What the analysis of one block found.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// `(target, signal)`: the target's value uses a stale read of the signal.
    pub(super) stale: BTreeSet<(String, String)>,
}

/// Analyses the statements of one block. The key tells where the fault is.
pub(super) fn analyse(statements: &[Statement], scope: &Scope) -> Result<Flow, (String, Fault)> {
    let mut walk = Walk { scope, flow: Flow::default() };
    let mut assigned = Assigned::new();
    walk.list(statements, &mut assigned, None)?;
    walk.no_latch(statements, &assigned)?;
    Ok(walk.flow)
}

/// The writes of a list of statements, and where in it the walk is.
struct Level<'a> {
    writes: BTreeMap<&'a str, Vec<(usize, BigUint)>>,
    position: usize,
    outer: Option<&'a Level<'a>>,
}

impl<'a> Level<'a> {
    fn new(statements: &'a [Statement], scope: &Scope, outer: Option<&'a Level<'a>>) -> Self {
        let mut writes: BTreeMap<&str, Vec<(usize, BigUint)>> = BTreeMap::new();
        for (position, statement) in statements.iter().enumerate() {
            statement.writes(&mut |key, bits| {
                writes.entry(key).or_default().push((position, mask(scope, key, bits)));
            });
        }
        Self { writes, position: 0, outer }
    }

    /// The bits that this statement or a later one writes.
    fn still_written(&self, key: &str) -> BigUint {
        let own = self.writes.get(key).into_iter().flatten().filter(|w| w.0 >= self.position);
        let mut bits = own.fold(BigUint::ZERO, |all, w| all | &w.1);
        let mut outer = self.outer;
        while let Some(level) = outer {
            let later = level.writes.get(key).into_iter().flatten().filter(|w| w.0 > level.position);
            bits = later.fold(bits, |all, w| all | &w.1);
            outer = level.outer;
        }
        bits
    }
}

fn mask(scope: &Scope, key: &str, bits: Bits) -> BigUint {
    match bits {
        Some((lowest, count)) => ones(lowest, count),
        None => ones(0, scope.width(key)),
    }
}

struct Walk<'a> {
    scope: &'a Scope,
    flow: Flow,
}

impl Walk<'_> {
    fn list(
        &mut self,
        statements: &[Statement],
        assigned: &mut Assigned,
        outer: Option<&Level>,
    ) -> Result<(), (String, Fault)> {
        let mut level = Level::new(statements, self.scope, outer);
        for (position, statement) in statements.iter().enumerate() {
            level.position = position;
            self.statement(statement, assigned, &level)?;
        }
        Ok(())
    }

    fn statement(
        &mut self,
        statement: &Statement,
        assigned: &mut Assigned,
        level: &Level,
    ) -> Result<(), (String, Fault)> {
        match statement {
            Statement::Assign(target, value, _) => {
                self.reads(&[value], statement, assigned, level)?;
                *assigned.entry(target.clone()).or_default() |= mask(self.scope, target, None);
            }
            Statement::Part { target, width, offset, value, .. } => {
                self.reads(&[offset, value], statement, assigned, level)?;
                if let Some(lowest) = offset.small() {
                    *assigned.entry(target.clone()).or_default() |= ones(lowest, *width);
                }
            }
            Statement::If { test, then, otherwise, .. } => {
                self.reads(&[test], statement, assigned, level)?;
                let mut taken = assigned.clone();
                self.list(then, &mut taken, Some(level))?;
                self.list(otherwise, assigned, Some(level))?;
                intersect(assigned, &taken);
            }
            Statement::Case { subject, arms, .. } => self.case(statement, subject, arms, assigned, level)?,
        }
        Ok(())
    }

    fn case(
        &mut self,
        statement: &Statement,
        subject: &Expr,
        arms: &[Arm],
        assigned: &mut Assigned,
        level: &Level,
    ) -> Result<(), (String, Fault)> {
        self.reads(&[subject], statement, assigned, level)?;
        let full = lists_every_value(subject, arms, self.scope);
        let mut after: Option<Assigned> = None;
        for arm in arms {
            let mut here = assigned.clone();
            self.list(&arm.body, &mut here, Some(level))?;
            // An arm that cannot be reached, `_ => {}` below all values, leaves no latch.
            if arm.label.is_none() && full {
                continue;
            }
            match &mut after {
                Some(after) => intersect(after, &here),
                None => after = Some(here),
            }
        }
        if let Some(after) = after {
            *assigned = after;
        }
        Ok(())
    }

    /// Looks for stale reads in the expressions that a statement evaluates itself.
    fn reads(
        &mut self,
        values: &[&Expr],
        statement: &Statement,
        assigned: &Assigned,
        level: &Level,
    ) -> Result<(), (String, Fault)> {
        let mut stale = BTreeSet::new();
        let mut early = None;
        for value in values {
            value.reads(&mut |key, bits| {
                if !self.scope.role(key).is_some_and(Role::reads_in_order) {
                    return;
                }
                let read = mask(self.scope, key, bits);
                if (&read & level.still_written(key)) == BigUint::ZERO {
                    return;
                }
                let known = assigned.get(key).cloned().unwrap_or_default();
                if (&read & &known) != read {
                    early = Some(key.to_string());
                }
                stale.insert(key.to_string());
            });
        }
        if let Some(key) = early {
            return Err((key, Fault::ReadBeforeWrite));
        }
        statement.writes(&mut |target, _| {
            self.flow.stale.extend(stale.iter().map(|s| (target.to_string(), s.clone())));
        });
        Ok(())
    }

    /// Every target must have been assigned in full on every path.
    fn no_latch(&self, statements: &[Statement], assigned: &Assigned) -> Result<(), (String, Fault)> {
        let mut latch = None;
        for statement in statements {
            statement.writes(&mut |key, _| {
                let known = assigned.get(key).cloned().unwrap_or_default();
                if latch.is_none() && known != mask(self.scope, key, None) {
                    let fault = match self.scope.role(key) {
                        Some(Role::NextState) => Fault::NoDefault,
                        Some(_) => Fault::Latch,
                        None => Fault::UnknownName(super::error::spoken(key)),
                    };
                    latch = Some((key.to_string(), fault));
                }
            });
        }
        latch.map_or(Ok(()), Err)
    }
}

/// Keeps only the bits that both sides assign.
fn intersect(left: &mut Assigned, right: &Assigned) {
    left.retain(|key, _| right.contains_key(key));
    for (key, bits) in left {
        *bits &= &right[key];
    }
}

/// Whether the labels of a `match` are all the values that its subject can have.
pub(super) fn lists_every_value(subject: &Expr, arms: &[Arm], scope: &Scope) -> bool {
    let labels: Vec<&Expr> = arms.iter().filter_map(|a| a.label.as_ref()).collect();
    let width = match subject {
        Expr::Signal(key) => scope.width(key),
        Expr::Slice(_, width, _) | Expr::Cast(_, width) => *width,
        _ => return false,
    };
    if width < usize::BITS as usize && labels.len() >= 1 << width {
        return true;
    }
    match labels.first() {
        Some(Expr::Signal(first)) => {
            let prefix = format!("{}$", first.split('$').next().unwrap_or_default());
            let of_type = |(key, symbol): (&str, &super::scope::Symbol)| {
                (symbol.role == Role::Label && key.starts_with(&prefix)).then_some(())
            };
            labels.len() >= scope.iter().filter_map(of_type).count()
        }
        _ => false,
    }
}
