//! Pieces of Verilog expressions with the strength of their outermost operator.

use super::ir::{Binary, Unary};
use num_bigint::BigUint;

/// Verilog text of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) code: String,
    strength: u8,
}

/// Names, literals, concatenations, calls.
const ATOM: u8 = 20;
/// `!x`, `~x`, `-x`.
const PREFIX: u8 = 12;
/// `&x`, `|x`, `^x`: parenthesised inside any other operator, for `a & &b` is hard to read.
const REDUCTION: u8 = 1;
/// `c ? a : b`.
const CHOICE: u8 = 0;

/// Hexadecimal digits in groups of four, as every tool reads them.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(4) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

/// The operator's text and its place in table 5-4 of IEEE 1364-2005; higher binds tighter.
fn symbol(op: Binary) -> (&'static str, u8) {
    match op {
        Binary::Mul => ("*", 11),
        Binary::Add => ("+", 10),
        Binary::Sub => ("-", 10),
        Binary::Shl => ("<<", 9),
        Binary::Shr => (">>", 9),
        Binary::Lt => ("<", 8),
        Binary::Le => ("<=", 8),
        Binary::Gt => (">", 8),
        Binary::Ge => (">=", 8),
        Binary::Eq => ("==", 7),
        Binary::Ne => ("!=", 7),
        Binary::And => ("&", 6),
        Binary::Xor => ("^", 5),
        Binary::Or => ("|", 4),
        Binary::LogicalAnd => ("&&", 3),
        Binary::LogicalOr => ("||", 2),
    }
}

impl Text {
    pub(super) fn atom(code: impl Into<String>) -> Self {
        Self { code: code.into(), strength: ATOM }
    }

    /// A sized literal: decimal below ten, else hexadecimal.
    pub(super) fn literal(value: &BigUint, width: usize) -> Self {
        let value = value & super::scope::ones(0, width);
        Self::atom(match width {
            1 => format!("1'b{value}"),
            _ if value < BigUint::from(10_u8) => format!("{width}'d{value}"),
            _ => format!("{width}'h{}", grouped(&format!("{value:x}"))),
        })
    }

    pub(super) fn zeros(width: usize) -> Self {
        Self::literal(&BigUint::ZERO, width)
    }

    /// The text, in parentheses unless it is stronger than every infix operator.
    pub(super) fn operand(&self) -> String {
        if self.strength >= PREFIX { self.code.clone() } else { format!("({})", self.code) }
    }

    /// A concatenation, highest bits first.
    pub(super) fn concat(parts: Vec<Text>) -> Self {
        match <[Text; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) => {
                let parts: Vec<String> = parts.into_iter().map(|p| p.code).collect();
                Self::atom(format!("{{{}}}", parts.join(", ")))
            }
        }
    }

    pub(super) fn unary(op: Unary, operand: &Text, width: usize) -> Self {
        let (symbol, strength) = match op {
            Unary::Not if width == 1 => ("!", PREFIX),
            Unary::Not => ("~", PREFIX),
            Unary::Neg => ("-", PREFIX),
            Unary::All => ("&", REDUCTION),
            Unary::Any => ("|", REDUCTION),
            Unary::Xor => ("^", REDUCTION),
        };
        let operand = match operand.strength {
            ATOM => operand.code.clone(),
            _ => format!("({})", operand.code),
        };
        Self { code: format!("{symbol}{operand}"), strength }
    }

    pub(super) fn binary(left: &Text, op: Binary, right: &Text) -> Self {
        let (symbol, strength) = symbol(op);
        let left = if left.stands_left_of(op) { left.code.clone() } else { left.operand() };
        let right = if right.stands_right_of(op) { right.code.clone() } else { right.operand() };
        Self { code: format!("{left} {symbol} {right}"), strength }
    }

    pub(super) fn choose(test: &Text, then: &Text, otherwise: &Text) -> Self {
        let code = format!("{} ? {} : {}", test.operand(), then.chosen(), otherwise.code);
        Self { code, strength: CHOICE }
    }

    /// The text between `?` and `:`.
    fn chosen(&self) -> String {
        if self.strength == CHOICE { format!("({})", self.code) } else { self.code.clone() }
    }

    /// Chains such as `a + b - c` and `a & b & c` need no parentheses.
    fn stands_left_of(&self, op: Binary) -> bool {
        let chains = !op.compares() && !matches!(op, Binary::Shl | Binary::Shr);
        (chains && self.strength == symbol(op).1) || self.is_plainly_tighter_than(op)
    }

    fn stands_right_of(&self, op: Binary) -> bool {
        let associative =
            matches!(op, Binary::And | Binary::Or | Binary::Xor | Binary::LogicalAnd | Binary::LogicalOr);
        (associative && self.strength == symbol(op).1) || self.is_plainly_tighter_than(op)
    }

    /// Sums inside comparisons, comparisons inside `&&` and `||`: what every reader parses right.
    fn is_plainly_tighter_than(&self, op: Binary) -> bool {
        let sum = self.strength == 10 || self.strength == 11;
        let comparison = self.strength == 7 || self.strength == 8;
        let logical = matches!(op, Binary::LogicalAnd | Binary::LogicalOr);
        (op.compares() && sum) || (logical && comparison)
    }
}
