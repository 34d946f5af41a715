//! Prints statements.

use super::error::Fault;
use super::expr::Printer;
use super::flow::lists_every_value;
use super::ir::{Arm, Expr, Line, Statement, Unary, unplaced};
use super::source::{Remarks, tag};
use std::collections::BTreeMap;

/// Prints the statements of one `always` block.
pub(super) struct Writer<'a> {
    pub(super) printer: &'a mut Printer,
    /// `=` or `<=`.
    pub(super) operator: &'static str,
    /// Targets that are printed under another key: a flip-flop's input as its output.
    pub(super) instead: &'a BTreeMap<String, String>,
    pub(super) remarks: &'a mut Remarks,
    pub(super) out: String,
}

type Outcome = Result<(), (String, Fault)>;

impl Writer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        for _ in 0..depth {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Prints the statements, each line indented `depth` steps.
    pub(super) fn list(&mut self, statements: &[Statement], depth: usize) -> Outcome {
        statements.iter().try_for_each(|s| self.statement(s, depth))
    }

    fn statement(&mut self, statement: &Statement, depth: usize) -> Outcome {
        for line in self.remarks.take(statement.line()) {
            self.line(depth, &line);
        }
        match statement {
            Statement::Assign(target, value, at) => {
                let (name, width) = self.target(target).map_err(|f| (target.clone(), f))?;
                let value = self.printer.exact(value, width).map_err(|f| (target.clone(), f))?;
                let line = format!("{name} {} {};", self.operator, value.code);
                self.line(depth, &tag(&line, *at));
                Ok(())
            }
            Statement::Part { target, width, offset, value, line: at } => {
                let line = self.part(target, *width, offset, value).map_err(|f| (target.clone(), f))?;
                self.line(depth, &tag(&line, *at));
                Ok(())
            }
            Statement::If { test, then, otherwise, line } => {
                self.conditional(test, then, otherwise, *line, depth)
            }
            Statement::Case { subject, arms, .. } => self.case(statement, subject, arms, depth),
        }
    }

    /// Name and width of a target.
    fn target(&self, key: &str) -> Result<(String, usize), Fault> {
        let key = self.instead.get(key).map_or(key, String::as_str);
        let symbol = self.printer.scope.get(key)?;
        Ok((symbol.name.clone(), symbol.width))
    }

    fn part(&mut self, target: &str, width: usize, offset: &Expr, value: &Expr) -> Result<String, Fault> {
        let (name, whole) = self.target(target)?;
        let selection = match offset.small() {
            _ if whole == 1 => String::new(),
            Some(lowest) if width == 1 => format!("[{lowest}]"),
            Some(lowest) => format!("[{}:{lowest}]", lowest + width - 1),
            None => {
                let position = self.printer.position(offset, whole)?.unwrap_or_default();
                if width == 1 { format!("[{position}]") } else { format!("[{position} +: {width}]") }
            }
        };
        let value = self.printer.exact(value, width)?;
        Ok(format!("{name}{selection} {} {};", self.operator, value.code))
    }

    fn conditional(
        &mut self,
        test: &Expr,
        then: &[Statement],
        otherwise: &[Statement],
        at: Line,
        depth: usize,
    ) -> Outcome {
        if then.is_empty() {
            let not = Expr::Unary(Unary::Not, Box::new(test.clone()));
            return self.conditional(&not, otherwise, &[], at, depth);
        }
        let head = tag(&self.condition(test, then)?, at);
        self.line(depth, &head);
        self.list(then, depth + 1)?;
        let mut rest = otherwise;
        // `else { if .. }` alone continues the chain on one level.
        while let [Statement::If { test, then, otherwise, line }] = rest {
            if then.is_empty() {
                break;
            }
            let head = tag(&self.condition(test, then)?, *line);
            self.line(depth, &format!("end else {head}"));
            self.list(then, depth + 1)?;
            rest = otherwise;
        }
        if !rest.is_empty() {
            self.line(depth, "end else begin");
            self.list(rest, depth + 1)?;
        }
        self.line(depth, "end");
        Ok(())
    }

    fn condition(&mut self, test: &Expr, then: &[Statement]) -> Result<String, (String, Fault)> {
        let test = self.printer.exact(test, 1).map_err(|f| (first_target(then), f))?;
        Ok(format!("if ({}) begin", test.code))
    }

    fn case(&mut self, statement: &Statement, subject: &Expr, arms: &[Arm], depth: usize) -> Outcome {
        let place = first_target(std::slice::from_ref(statement));
        let width = self.printer.width(subject).map_err(|f| (place.clone(), f))?;
        let width = width.ok_or_else(|| (place.clone(), Fault::UnknownWidth))?;
        let text = self.printer.exact(subject, width).map_err(|f| (place.clone(), f))?;
        self.line(depth, &tag(&format!("case ({})", text.code), statement.line()));
        let full = lists_every_value(subject, arms, &self.printer.scope);
        let printed = printed_arms(arms);
        for (index, arm) in printed.iter().enumerate() {
            let last = index + 1 == printed.len();
            let label = match &arm.label {
                // Without a default the unused codes of an enum would make a latch.
                Some(Expr::Signal(key)) if last && full && printed.len() == arms.len() => {
                    format!("default: begin // {}", super::names::clean(key))
                }
                Some(label) => {
                    let text = self.printer.exact(label, width).map_err(|f| (place.clone(), f))?;
                    let next = printed.get(index + 1);
                    // Labels of the same body share it; the last of a full list stays the default.
                    let shared = next.is_some_and(|next| {
                        next.label.is_some() && unplaced(&next.body) == unplaced(&arm.body)
                    });
                    if shared && !(full && index + 2 == printed.len() && printed.len() == arms.len()) {
                        self.line(depth + 1, &format!("{},", text.code));
                        continue;
                    }
                    format!("{}: begin", text.code)
                }
                None => "default: begin".to_string(),
            };
            self.line(depth + 1, &label);
            self.list(&arm.body, depth + 2)?;
            self.line(depth + 1, "end");
        }
        if needs_default(&printed, full && printed.len() == arms.len()) {
            self.line(depth + 1, "default: ;");
        }
        self.line(depth, "endcase");
        Ok(())
    }
}

/// The arms worth printing: an empty one is the same as no match, if `_` does nothing either.
fn printed_arms(arms: &[Arm]) -> Vec<&Arm> {
    let default_acts = arms.iter().any(|a| a.label.is_none() && !a.body.is_empty());
    arms.iter().filter(|a| default_acts || !a.body.is_empty()).collect()
}

/// Whether the printed arms leave a value out, or end in a label that is not printed as default.
fn needs_default(printed: &[&Arm], full: bool) -> bool {
    match printed.last().map(|a| &a.label) {
        Some(None) => false,
        Some(Some(Expr::Signal(_))) => !full,
        _ => true,
    }
}

/// The first signal that the statements assign: where a fault of their condition is reported.
pub(super) fn first_target(statements: &[Statement]) -> String {
    let mut first = None;
    for statement in statements {
        statement.writes(&mut |key, _| {
            first.get_or_insert_with(|| key.to_string());
        });
    }
    first.unwrap_or_default()
}
