//! Combinational dependence, within a block and through the blocks below it.
//!
//! rust-hdl's own check sees one block at a time, so a loop that passes through two of them goes
//! unnoticed until a simulator oscillates. Here every block is summed up as "this output follows
//! from those inputs", and the parent looks for cycles through the summaries.

use super::error::{Fault, spoken};
use super::ir::{Expr, Statement};
use super::scope::{Role, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// For each output that depends on inputs without a flip-flop between: those inputs.
pub(super) type Summary = BTreeMap<String, BTreeSet<String>>;

type Sources = BTreeSet<String>;

/// Sums up a block and reports loops. `children` holds each child's name and summary.
pub(super) fn summarise(
    statements: &[Statement],
    scope: &Scope,
    children: &[(&str, &Summary)],
) -> Result<Summary, Fault> {
    let mut graph: BTreeMap<String, Sources> = trace(statements, scope);
    for (name, summary) in children {
        for (output, inputs) in *summary {
            let inputs = inputs.iter().map(|i| format!("{name}${i}")).collect();
            graph.insert(format!("{name}${output}"), inputs);
        }
    }
    let mut search = Search { graph: &graph, reached: BTreeMap::new(), trail: Vec::new() };
    let mut summary = Summary::new();
    for key in graph.keys() {
        let reached = search.sources(key).map_err(Fault::Loop)?;
        let inputs: Sources =
            reached.iter().filter(|k| scope.role(k) == Some(Role::Input)).cloned().collect();
        if scope.role(key) == Some(Role::Output) && !inputs.is_empty() {
            summary.insert(key.clone(), inputs);
        }
    }
    Ok(summary)
}

/// What each target depends on: own inputs and ports of children. Reads of Locals and own outputs
/// are followed at once, in the order of the source.
fn trace(statements: &[Statement], scope: &Scope) -> BTreeMap<String, Sources> {
    let mut trace = Trace { scope, sources: BTreeMap::new() };
    trace.list(statements, &Sources::new());
    let combinational = |role: Option<Role>| !matches!(role, Some(Role::NextState | Role::StateClock));
    trace.sources.retain(|key, _| combinational(scope.role(key)));
    trace.sources
}

struct Trace<'a> {
    scope: &'a Scope,
    sources: BTreeMap<String, Sources>,
}

impl Trace<'_> {
    fn list(&mut self, statements: &[Statement], conditions: &Sources) {
        for statement in statements {
            match statement {
                Statement::Assign(target, value, _) => {
                    let mut sources = self.of(value);
                    if conditions.is_empty() {
                        self.sources.insert(target.clone(), sources);
                    } else {
                        sources.extend(conditions.iter().cloned());
                        self.add(target, sources);
                    }
                }
                Statement::Part { target, offset, value, .. } => {
                    let mut sources = self.of(value);
                    sources.extend(self.of(offset));
                    sources.extend(conditions.iter().cloned());
                    self.add(target, sources);
                }
                Statement::If { test, then, otherwise, .. } => {
                    let inside = self.under(test, conditions);
                    self.list(then, &inside);
                    self.list(otherwise, &inside);
                }
                Statement::Case { subject, arms, .. } => {
                    let inside = self.under(subject, conditions);
                    arms.iter().for_each(|arm| self.list(&arm.body, &inside));
                }
            }
        }
    }

    fn add(&mut self, target: &str, sources: Sources) {
        self.sources.entry(target.into()).or_default().extend(sources);
    }

    /// The conditions inside an `if` or `match`. A condition without sources still is one: the
    /// assignments below it do not replace earlier ones.
    fn under(&self, test: &Expr, conditions: &Sources) -> Sources {
        let mut inside = self.of(test);
        inside.extend(conditions.iter().cloned());
        if inside.is_empty() {
            inside.insert(String::new());
        }
        inside
    }

    fn of(&self, value: &Expr) -> Sources {
        let mut sources = Sources::new();
        value.reads(&mut |key, _| match self.scope.role(key) {
            Some(Role::Input | Role::ChildInput | Role::ChildOutput) => {
                sources.insert(key.to_string());
            }
            Some(role) if role.reads_in_order() => {
                sources.extend(self.sources.get(key).into_iter().flatten().cloned());
            }
            _ => {}
        });
        sources
    }
}

/// Depth-first search for everything that a signal depends on.
struct Search<'a> {
    graph: &'a BTreeMap<String, Sources>,
    reached: BTreeMap<String, Sources>,
    trail: Vec<String>,
}

impl Search<'_> {
    /// All that `key` depends on, or the names along a loop.
    fn sources(&mut self, key: &str) -> Result<Sources, Vec<String>> {
        if let Some(known) = self.reached.get(key) {
            return Ok(known.clone());
        }
        if let Some(start) = self.trail.iter().position(|k| k == key) {
            // The trail runs against the signal's direction; the report follows it.
            let mut names: Vec<String> = self.trail[start..].iter().rev().map(|k| spoken(k)).collect();
            names.insert(0, spoken(key));
            return Err(names);
        }
        self.trail.push(key.into());
        let mut all = Sources::new();
        for source in self.graph.get(key).into_iter().flatten() {
            all.insert(source.clone());
            all.extend(self.sources(source)?);
        }
        self.trail.pop();
        self.reached.insert(key.into(), all.clone());
        Ok(all)
    }
}
