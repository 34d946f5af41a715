//! Short conditional assignments as one expression, `assign x = c ? a : b;`.

use super::ir::{Expr, Statement};
use super::simplify::choose;

/// More than this many choices read better as an `always` block.
const MOST: usize = 2;

/// The one value that the statements give their only target, if it is short enough.
pub(super) fn as_expression(statements: &[Statement]) -> Option<Expr> {
    let value = fold(statements, None)?;
    (choices(&value) <= MOST).then_some(value)
}

/// The value after the statements. Stale reads of the target itself do not come here: the value
/// would then have to be substituted.
fn fold(statements: &[Statement], mut value: Option<Expr>) -> Option<Expr> {
    for statement in statements {
        value = match statement {
            Statement::Assign(_, new, _) => Some(new.clone()),
            Statement::If { test, then, otherwise, .. } => {
                let (then, otherwise) = (fold(then, value.clone())?, fold(otherwise, value)?);
                Some(choose(test.clone(), then, otherwise))
            }
            Statement::Part { .. } | Statement::Case { .. } => return None,
        };
        if value.as_ref().is_some_and(|v| choices(v) > MOST) {
            return None;
        }
    }
    value
}

fn choices(value: &Expr) -> usize {
    match value {
        Expr::Choose(_, a, b) => 1 + choices(a) + choices(b),
        _ => 0,
    }
}
