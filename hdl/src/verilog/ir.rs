//! The intermediate form: statements and expressions with every name resolved to a key.
//!
//! A key is a signal as seen from its block, with `$` between the parts: `valid`, `s$data`,
//! `fifo$s$ready`, `stage$3$q`. Loops are unrolled and links are assignments by now.

use num_bigint::BigUint;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    /// A signal, Constant or enum value.
    Signal(String),
    /// An integer that takes its width from what it meets.
    Literal(BigUint),
    /// An integer of known width.
    Sized(BigUint, usize),
    /// Zero extension or truncation to a width.
    Cast(Box<Expr>, usize),
    /// `signed_cast` or `signed_bit_cast`; the source does not tell the width of the latter.
    Signed(Box<Expr>),
    /// `unsigned_cast`.
    Unsigned(Box<Expr>),
    Binary(Box<Expr>, Binary, Box<Expr>),
    Unary(Unary, Box<Expr>),
    /// One bit, by index.
    Index(Box<Expr>, Box<Expr>),
    /// `Slice(value, width, offset)`.
    Slice(Box<Expr>, usize, Box<Expr>),
    /// `Replace(value, index, bit)`: the value with one bit replaced.
    Replace(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `Choose(condition, then, otherwise)`; made by the back end only.
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    LogicalAnd,
    LogicalOr,
    Xor,
    And,
    Or,
    Shl,
    Shr,
    Eq,
    Lt,
    Le,
    Ne,
    Ge,
    Gt,
}

impl Binary {
    /// Whether the result is one bit that compares the operands.
    pub(super) fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Neg,
    All,
    Any,
    Xor,
}

/// Line of the Rust source, where it is known.
pub(super) type Line = Option<usize>;

/// A statement of an `update` function.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Statement {
    Assign(String, Expr, Line),
    /// Assignment of `width` bits from `offset` on.
    Part {
        target: String,
        width: usize,
        offset: Expr,
        value: Expr,
        line: Line,
    },
    If {
        test: Expr,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
        line: Line,
    },
    Case {
        subject: Expr,
        arms: Vec<Arm>,
        line: Line,
    },
}

/// One arm of a `match`; no label means `_`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arm {
    pub(super) label: Option<Expr>,
    pub(super) body: Vec<Statement>,
}

/// The bits that an expression reads of a signal: all, or `(lowest, count)`.
pub(super) type Bits = Option<(usize, usize)>;

impl Expr {
    /// The value, if it is a literal that fits a `usize`.
    pub(super) fn small(&self) -> Option<usize> {
        match self {
            Self::Literal(value) | Self::Sized(value, _) => usize::try_from(value).ok(),
            _ => None,
        }
    }

    /// Calls `visit` for every signal read, with the bits that are read of it.
    pub(super) fn reads(&self, visit: &mut dyn FnMut(&str, Bits)) {
        match self {
            Self::Signal(key) => visit(key, None),
            Self::Literal(_) | Self::Sized(..) => {}
            Self::Cast(x, _) | Self::Signed(x) | Self::Unsigned(x) | Self::Unary(_, x) => x.reads(visit),
            Self::Index(x, at) => part(x, at, 1, visit),
            Self::Slice(x, width, at) => part(x, at, *width, visit),
            Self::Binary(a, _, b) => {
                a.reads(visit);
                b.reads(visit);
            }
            Self::Replace(a, b, c) | Self::Choose(a, b, c) => {
                a.reads(visit);
                b.reads(visit);
                c.reads(visit);
            }
        }
    }
}

fn part(value: &Expr, offset: &Expr, width: usize, visit: &mut dyn FnMut(&str, Bits)) {
    match (value, offset.small()) {
        (Expr::Signal(key), Some(lowest)) => visit(key, Some((lowest, width))),
        _ => {
            value.reads(visit);
            offset.reads(visit);
        }
    }
}

impl Statement {
    /// Calls `visit` for every assignment inside, with the bits that it writes.
    pub(super) fn writes<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Bits)) {
        match self {
            Self::Assign(target, ..) => visit(target, None),
            Self::Part { target, width, offset, .. } => visit(target, offset.small().map(|o| (o, *width))),
            Self::If { then, otherwise, .. } => {
                then.iter().chain(otherwise).for_each(|s| s.writes(visit));
            }
            Self::Case { arms, .. } => arms.iter().flat_map(|a| &a.body).for_each(|s| s.writes(visit)),
        }
    }

    /// Calls `visit` for every signal read inside, conditions included.
    pub(super) fn reads(&self, visit: &mut dyn FnMut(&str, Bits)) {
        match self {
            Self::Assign(_, value, _) => value.reads(visit),
            Self::Part { offset, value, .. } => {
                offset.reads(visit);
                value.reads(visit);
            }
            Self::If { test, then, otherwise, .. } => {
                test.reads(visit);
                then.iter().chain(otherwise).for_each(|s| s.reads(visit));
            }
            Self::Case { subject, arms, .. } => {
                subject.reads(visit);
                arms.iter().filter_map(|a| a.label.as_ref()).for_each(|l| l.reads(visit));
                arms.iter().flat_map(|a| &a.body).for_each(|s| s.reads(visit));
            }
        }
    }

    /// The line that it begins on.
    pub(super) fn line(&self) -> Line {
        match self {
            Self::Assign(_, _, line)
            | Self::Part { line, .. }
            | Self::If { line, .. }
            | Self::Case { line, .. } => *line,
        }
    }

    /// The statement without the lines that it comes from.
    fn unplaced(&self) -> Self {
        let mut statement = self.clone();
        match &mut statement {
            Self::Assign(_, _, line) | Self::Part { line, .. } => *line = None,
            Self::If { then, otherwise, line, .. } => {
                (*then, *otherwise, *line) = (unplaced(then), unplaced(otherwise), None);
            }
            Self::Case { arms, line, .. } => {
                arms.iter_mut().for_each(|arm| arm.body = unplaced(&arm.body));
                *line = None;
            }
        }
        statement
    }

    /// The statement with only those assignments whose target `wanted` accepts.
    fn only(&self, wanted: &dyn Fn(&str) -> bool) -> Option<Self> {
        match self {
            Self::Assign(target, ..) | Self::Part { target, .. } => wanted(target).then(|| self.clone()),
            Self::If { test, then, otherwise, line } => {
                let (then, otherwise) = (only(then, wanted), only(otherwise, wanted));
                let empty = then.is_empty() && otherwise.is_empty();
                (!empty).then(|| Self::If { test: test.clone(), then, otherwise, line: *line })
            }
            Self::Case { subject, arms, line } => {
                let keep = |arm: &Arm| Arm { label: arm.label.clone(), body: only(&arm.body, wanted) };
                let arms: Vec<Arm> = arms.iter().map(keep).collect();
                let empty = arms.iter().all(|a| a.body.is_empty());
                (!empty).then(|| Self::Case { subject: subject.clone(), arms, line: *line })
            }
        }
    }
}

/// The statements without the lines that they come from.
pub(super) fn unplaced(statements: &[Statement]) -> Vec<Statement> {
    statements.iter().map(Statement::unplaced).collect()
}

/// The statements with only those assignments whose target `wanted` accepts.
pub(super) fn only(statements: &[Statement], wanted: &dyn Fn(&str) -> bool) -> Vec<Statement> {
    statements.iter().filter_map(|s| s.only(wanted)).collect()
}
