//! Rewrites statements to what a person would have written.
//!
//! A statement that assigns several targets is printed once for each group of them, with only the
//! group's assignments left in it. What remains is often more than is needed: conditions around
//! nothing, a `case` of one label. Nothing here changes what is computed.

use super::ir::{Arm, Binary, Expr, Statement, Unary};
use num_bigint::BigUint;

/// The same statements in shorter form.
pub(super) fn simplify(statements: Vec<Statement>) -> Vec<Statement> {
    statements.into_iter().flat_map(one).collect()
}

fn one(statement: Statement) -> Vec<Statement> {
    match statement {
        Statement::If { test, then, otherwise, line } => {
            let (then, otherwise) = (simplify(then), simplify(otherwise));
            let (test, then, otherwise) = match (then.is_empty(), otherwise.is_empty()) {
                (true, true) => return Vec::new(),
                (true, false) => (not(test), otherwise, then),
                _ => (positive(test), then, otherwise),
            };
            match (<[Statement; 1]>::try_from(then), otherwise.is_empty()) {
                // An `if` alone within another.
                (Ok([Statement::If { test: inner, then, otherwise: none, .. }]), true) if none.is_empty() => {
                    let test = Expr::Binary(Box::new(test), Binary::LogicalAnd, Box::new(inner));
                    vec![Statement::If { test, then, otherwise: none, line }]
                }
                (Ok([only]), _) => vec![Statement::If { test, then: vec![only], otherwise, line }],
                (Err(then), _) => vec![Statement::If { test, then, otherwise, line }],
            }
        }
        Statement::Case { subject, arms, line } => {
            let arms = arms.into_iter().map(|arm| Arm { label: arm.label, body: simplify(arm.body) });
            let arms: Vec<Arm> = arms.collect();
            let mut acting = arms.iter().filter(|arm| !arm.body.is_empty());
            match (acting.next(), acting.next()) {
                (Some(Arm { label: Some(label), body }), None) => {
                    let (then, otherwise) = (body.clone(), Vec::new());
                    let test = Expr::Binary(Box::new(subject), Binary::Eq, Box::new(label.clone()));
                    // It may hold nothing but another `if`.
                    one(Statement::If { test, then, otherwise, line })
                }
                _ => vec![Statement::Case { subject, arms, line }],
            }
        }
        other => vec![other],
    }
}

/// The condition without pairs of `!`.
fn positive(test: Expr) -> Expr {
    match test {
        Expr::Unary(Unary::Not, inner) => match *inner {
            Expr::Unary(Unary::Not, inner) => positive(*inner),
            inner => Expr::Unary(Unary::Not, Box::new(inner)),
        },
        test => test,
    }
}

/// The opposite of a condition.
fn not(test: Expr) -> Expr {
    match positive(test) {
        Expr::Unary(Unary::Not, inner) => *inner,
        Expr::Binary(l, op, r) if op.compares() => Expr::Binary(l, opposite(op), r),
        test => Expr::Unary(Unary::Not, Box::new(test)),
    }
}

fn opposite(op: Binary) -> Binary {
    match op {
        Binary::Eq => Binary::Ne,
        Binary::Ne => Binary::Eq,
        Binary::Lt => Binary::Ge,
        Binary::Ge => Binary::Lt,
        Binary::Gt => Binary::Le,
        Binary::Le => Binary::Gt,
        other => other,
    }
}

/// `test ? then : otherwise`, or a plain operation where one of them is a fixed bit.
pub(super) fn choose(test: Expr, then: Expr, otherwise: Expr) -> Expr {
    let both = |l: Expr, op: Binary, r: Expr| Expr::Binary(Box::new(l), op, Box::new(r));
    match (bit(&then), bit(&otherwise)) {
        (Some(true), Some(false)) => test,
        (Some(false), Some(true)) => not(test),
        (None, Some(false)) => both(test, Binary::And, then),
        (Some(true), None) => both(test, Binary::Or, otherwise),
        (Some(false), None) => both(not(test), Binary::And, otherwise),
        (None, Some(true)) => both(not(test), Binary::Or, then),
        _ => Expr::Choose(Box::new(test), Box::new(then), Box::new(otherwise)),
    }
}

/// The value of a `bool`.
fn bit(value: &Expr) -> Option<bool> {
    match value {
        Expr::Sized(value, 1) => Some(*value != BigUint::ZERO),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(name: &str) -> Expr {
        Expr::Signal(name.into())
    }

    fn assign(value: &str) -> Statement {
        Statement::Assign("y".into(), signal(value), None)
    }

    fn when(test: Expr, then: Vec<Statement>, otherwise: Vec<Statement>) -> Statement {
        Statement::If { test, then, otherwise, line: None }
    }

    fn inverse(test: Expr) -> Expr {
        Expr::Unary(Unary::Not, Box::new(test))
    }

    fn two(l: &str, op: Binary, r: &str) -> Expr {
        Expr::Binary(Box::new(signal(l)), op, Box::new(signal(r)))
    }

    #[test]
    fn a_condition_around_nothing_is_left_out_or_turned_round() {
        assert_eq!(simplify(vec![when(signal("a"), vec![], vec![])]), []);
        let turned = simplify(vec![when(inverse(signal("a")), vec![], vec![assign("b")])]);
        assert_eq!(turned, [when(signal("a"), vec![assign("b")], vec![])]);
        let compared = simplify(vec![when(two("a", Binary::Lt, "b"), vec![], vec![assign("c")])]);
        assert_eq!(compared, [when(two("a", Binary::Ge, "b"), vec![assign("c")], vec![])]);
    }

    #[test]
    fn conditions_within_each_other_become_one_unless_there_is_an_else() {
        let inner = when(signal("b"), vec![assign("c")], vec![]);
        let joined = simplify(vec![when(signal("a"), vec![inner.clone()], vec![])]);
        assert_eq!(joined, [when(two("a", Binary::LogicalAnd, "b"), vec![assign("c")], vec![])]);
        let kept = when(signal("a"), vec![inner], vec![assign("d")]);
        assert_eq!(simplify(vec![kept.clone()]), [kept]);
    }

    #[test]
    fn a_choice_of_one_label_is_a_comparison() {
        let arm = |label: Option<Expr>, body| Arm { label, body };
        let case = |arms| Statement::Case { subject: signal("s"), arms, line: None };
        let one = case(vec![arm(Some(signal("k")), vec![assign("a")]), arm(None, vec![])]);
        assert_eq!(simplify(vec![one]), [when(two("s", Binary::Eq, "k"), vec![assign("a")], vec![])]);
        let other = case(vec![arm(Some(signal("k")), vec![]), arm(None, vec![assign("a")])]);
        assert_eq!(simplify(vec![other.clone()]), [other]);
    }

    #[test]
    fn a_fixed_bit_makes_a_choice_an_operation() {
        let (yes, no) = (Expr::Sized(1_u8.into(), 1), Expr::Sized(0_u8.into(), 1));
        assert_eq!(choose(signal("a"), yes.clone(), no.clone()), signal("a"));
        assert_eq!(choose(signal("a"), no.clone(), yes.clone()), inverse(signal("a")));
        assert_eq!(choose(signal("a"), signal("b"), no.clone()), two("a", Binary::And, "b"));
        assert_eq!(choose(signal("a"), yes, signal("b")), two("a", Binary::Or, "b"));
        let inverted = Expr::Binary(Box::new(inverse(signal("a"))), Binary::And, Box::new(signal("b")));
        assert_eq!(choose(signal("a"), no, signal("b")), inverted);
    }
}
