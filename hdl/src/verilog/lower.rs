//! Lowers rust-hdl's AST, whose names are unevaluated text, to the intermediate form.

use super::collect::integer;
use super::error::Fault;
use super::index;
use super::ir::{Arm, Binary, Expr, Line, Statement, Unary};
use num_bigint::BigUint;
use rust_hdl::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogLink,
    VerilogLinkDetails, VerilogLoop, VerilogMatch, VerilogOp, VerilogOpUnary, VerilogStatement,
};
use std::collections::HashMap;

/// What a block says about itself in `comment!("module: name description")`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Marker {
    pub(super) name: String,
    pub(super) description: String,
}

impl Marker {
    /// Reads a marker from the text of a comment.
    pub(super) fn parse(comment: &str) -> Option<Self> {
        // The macro's name and its bracket are still there, spaced and quoted as the compiler prints tokens.
        let (before, text) = comment.split_once("module:")?;
        let before = before.trim_matches(|c: char| !c.is_alphanumeric());
        if !matches!(before, "" | "comment") {
            return None;
        }
        let text = text.trim_end_matches(['"', ')', ';', ' ']).trim();
        let (name, description) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let description = description.trim_start_matches([' ', '-', ':', ',']).trim_end();
        Some(Self { name: name.trim_end_matches([':', ',']).into(), description: description.into() })
    }
}

/// The flip-flops that `comment!("asynchronous: name name")` lists: their input may change at any time.
fn asynchronous(comment: &str) -> Vec<String> {
    let list = comment.split_once("asynchronous:").map_or("", |(_, list)| list);
    list.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|name| !name.is_empty())
        .map(String::from)
        .collect()
}

/// A lowered `update` function.
#[derive(Debug, Default)]
pub(super) struct Lowered {
    pub(super) statements: Vec<Statement>,
    /// Pairs of bidirectional signals that are one net.
    pub(super) joined: Vec<(String, String)>,
    pub(super) marker: Option<Marker>,
    /// Flip-flops whose input may change at any time.
    pub(super) asynchronous: Vec<String>,
}

/// Lowers the code of one block; `lines` tells the source line of its statements. The key says where a
/// fault was met.
pub(super) fn lower(
    code: &VerilogBlock,
    lines: HashMap<*const VerilogStatement, usize>,
) -> Result<Lowered, (String, Fault)> {
    let mut lowering = Lowering { lines, ..Lowering::default() };
    let statements = lowering.block(code)?;
    let Lowering { joined, marker, asynchronous, .. } = lowering;
    Ok(Lowered { statements, joined, marker, asynchronous })
}

#[derive(Default)]
struct Lowering {
    /// Loop variables around the present statement, innermost last.
    variables: Vec<(String, usize)>,
    joined: Vec<(String, String)>,
    marker: Option<Marker>,
    asynchronous: Vec<String>,
    /// Target of the last assignment, to say where a fault is.
    place: String,
    lines: HashMap<*const VerilogStatement, usize>,
    /// Source line of the present statement.
    line: Line,
}

type Outcome<T> = Result<T, (String, Fault)>;

impl Lowering {
    fn fail<T>(&self, fault: Fault) -> Outcome<T> {
        Err((self.place.clone(), fault))
    }

    /// The key that a name stands for: brackets evaluated, `.` and `::` as `$`.
    fn key(&self, name: &str) -> Outcome<String> {
        let squeezed: String = name.chars().filter(|c| !c.is_whitespace()).collect();
        let mut key = squeezed.replace("::", "$").replace('.', "$");
        while let Some(open) = key.find('[') {
            let Some(length) = key[open..].find(']') else {
                return self.fail(Fault::ArrayIndex(name.into()));
            };
            let text = &key[open + 1..open + length];
            let Some(value) = index::evaluate(text, &self.variables) else {
                return self.fail(Fault::ArrayIndex(text.into()));
            };
            key.replace_range(open..=open + length, &format!("${value}"));
        }
        Ok(key.trim_start_matches('$').to_string())
    }

    fn block(&mut self, code: &VerilogBlock) -> Outcome<Vec<Statement>> {
        let mut out = Vec::new();
        for statement in code {
            self.statement(statement, &mut out)?;
        }
        Ok(out)
    }

    fn statement(&mut self, statement: &VerilogStatement, out: &mut Vec<Statement>) -> Outcome<()> {
        // What a macro stands for has no lines of its own.
        self.line = self.lines.get(&std::ptr::from_ref(statement)).copied().or(self.line);
        match statement {
            VerilogStatement::Assignment(target, value) => {
                let statement = self.assignment(target, value)?;
                out.push(statement);
            }
            VerilogStatement::SliceAssignment { base, width, offset, replacement } => {
                let target = self.target(base)?;
                let (offset, value) = (self.expr(offset)?, self.expr(replacement)?);
                out.push(Statement::Part { target, width: *width, offset, value, line: self.line });
            }
            VerilogStatement::If(conditional) => self.conditional(conditional, out)?,
            VerilogStatement::Match(choice) => {
                let statement = self.choice(choice)?;
                out.push(statement);
            }
            VerilogStatement::Loop(repeat) => self.repeat(repeat, out)?,
            VerilogStatement::Comment(text) => self.comment(text),
            VerilogStatement::Link(links) => {
                for link in links {
                    self.link(link, out)?;
                }
            }
            VerilogStatement::Macro(code) => out.extend(self.block(code)?),
        }
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        if self.marker.is_none() {
            self.marker = Marker::parse(text.trim_matches('"'));
        }
        self.asynchronous.extend(asynchronous(text));
    }

    fn target(&mut self, target: &VerilogExpression) -> Outcome<String> {
        match target {
            VerilogExpression::Signal(name) => {
                let key = self.key(name)?;
                // A signal may itself be called so.
                let key = key.strip_suffix("$next").unwrap_or(&key).to_string();
                self.place.clone_from(&key);
                Ok(key)
            }
            _ => self.fail(Fault::NotAssignable),
        }
    }

    /// `x.next = x.val().replace_bit(i, v)` becomes an assignment of one bit.
    fn assignment(&mut self, target: &VerilogExpression, value: &VerilogExpression) -> Outcome<Statement> {
        let target = self.target(target)?;
        Ok(match self.expr(value)? {
            Expr::Replace(base, offset, bit) if *base == Expr::Signal(target.clone()) => {
                Statement::Part { target, width: 1, offset: *offset, value: *bit, line: self.line }
            }
            value => Statement::Assign(target, value, self.line),
        })
    }

    fn conditional(&mut self, conditional: &VerilogConditional, out: &mut Vec<Statement>) -> Outcome<()> {
        let (test, line) = (self.expr(&conditional.test)?, self.line);
        let then = self.block(&conditional.then)?;
        let mut otherwise = Vec::new();
        match &conditional.otherwise {
            VerilogBlockOrConditional::Block(code) => otherwise = self.block(code)?,
            VerilogBlockOrConditional::Conditional(inner) => self.statement(inner, &mut otherwise)?,
            VerilogBlockOrConditional::None => {}
        }
        match &test {
            // Known after unrolling, as in `if i == 0`.
            Expr::Sized(value, _) if *value == BigUint::ZERO => out.extend(otherwise),
            Expr::Sized(..) => out.extend(then),
            _ if then.is_empty() && otherwise.is_empty() => {}
            _ => out.push(Statement::If { test, then, otherwise, line }),
        }
        Ok(())
    }

    fn choice(&mut self, choice: &VerilogMatch) -> Outcome<Statement> {
        let (subject, line) = (self.expr(&choice.test)?, self.line);
        let mut arms = Vec::new();
        for case in &choice.cases {
            let label = self.pattern(&case.condition)?;
            arms.push(Arm { label, body: self.block(&case.block)? });
        }
        Ok(Statement::Case { subject, arms, line })
    }

    fn pattern(&self, text: &str) -> Outcome<Option<Expr>> {
        if text == "default" {
            return Ok(None);
        }
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return match index::number(text) {
                Some(value) => Ok(Some(Expr::Literal(value.into()))),
                None => self.fail(Fault::Pattern(text.into())),
            };
        }
        match text {
            "true" | "false" => Ok(Some(Expr::Sized(u8::from(text == "true").into(), 1))),
            _ => Ok(Some(Expr::Signal(self.key(text)?))),
        }
    }

    fn repeat(&mut self, repeat: &VerilogLoop, out: &mut Vec<Statement>) -> Outcome<()> {
        for value in repeat.from.as_usize()..repeat.to.as_usize() {
            self.variables.push((repeat.index.clone(), value));
            for statement in &repeat.block {
                self.statement(statement, out)?;
            }
            self.variables.pop();
        }
        Ok(())
    }

    fn link(&mut self, link: &VerilogLink, out: &mut Vec<Statement>) -> Outcome<()> {
        match link {
            VerilogLink::Forward(ends) => {
                let (owner, other) = self.ends(ends)?;
                out.push(Statement::Assign(other, Expr::Signal(owner), self.line));
            }
            VerilogLink::Backward(ends) => {
                let (owner, other) = self.ends(ends)?;
                out.push(Statement::Assign(owner, Expr::Signal(other), self.line));
            }
            VerilogLink::Bidirectional(ends) => {
                let pair = self.ends(ends)?;
                self.joined.push(pair);
            }
        }
        Ok(())
    }

    /// The two signals of a link: owner first.
    fn ends(&self, ends: &VerilogLinkDetails) -> Outcome<(String, String)> {
        let field = self.key(&ends.my_name)?;
        let whole = |side: &str| -> Outcome<String> {
            let side = self.key(side)?;
            Ok(if field.is_empty() { side } else { format!("{side}${field}") })
        };
        Ok((whole(&ends.owner_name)?, whole(&ends.other_name)?))
    }

    fn boxed(&self, e: &VerilogExpression) -> Outcome<Box<Expr>> {
        Ok(Box::new(self.expr(e)?))
    }

    fn expr(&self, e: &VerilogExpression) -> Outcome<Expr> {
        use VerilogExpression as V;
        Ok(match e {
            V::Signal(name) => match self.variables.iter().rev().find(|v| v.0 == *name) {
                Some((_, value)) => Expr::Literal((*value).into()),
                None => Expr::Signal(self.key(name)?),
            },
            V::Literal(literal) => {
                let literal = integer(literal);
                match literal.width {
                    1 => Expr::Sized(literal.value, 1), // a `bool`; integers are never so narrow
                    _ => Expr::Literal(literal.value),
                }
            }
            V::Cast(x, width) => Expr::Cast(self.boxed(x)?, *width),
            V::Signed(x) => Expr::Signed(self.boxed(x)?),
            V::Unsigned(x) => Expr::Unsigned(self.boxed(x)?),
            V::Paren(x) => self.expr(x)?,
            V::Binary(l, op, r) => binary(self.expr(l)?, operator(op), self.expr(r)?),
            V::Unary(op, x) => Expr::Unary(unary(op), self.boxed(x)?),
            V::Index(x, at) => Expr::Index(self.boxed(x)?, self.boxed(at)?),
            V::Slice(x, width, at) => Expr::Slice(self.boxed(x)?, *width, self.boxed(at)?),
            V::IndexReplace(x, at, bit) => Expr::Replace(self.boxed(x)?, self.boxed(at)?, self.boxed(bit)?),
        })
    }
}

/// Builds an operation; arithmetic of loop variables and literals is done here.
fn binary(l: Expr, op: Binary, r: Expr) -> Expr {
    if let (Expr::Literal(x), Expr::Literal(y)) = (&l, &r) {
        let bit = |b: bool| Some(Expr::Sized(u8::from(b).into(), 1));
        let folded = match op {
            Binary::Add => Some(Expr::Literal(x + y)),
            Binary::Sub if x >= y => Some(Expr::Literal(x - y)),
            Binary::Mul => Some(Expr::Literal(x * y)),
            Binary::Eq => bit(x == y),
            Binary::Ne => bit(x != y),
            Binary::Lt => bit(x < y),
            Binary::Le => bit(x <= y),
            Binary::Gt => bit(x > y),
            Binary::Ge => bit(x >= y),
            _ => None,
        };
        if let Some(folded) = folded {
            return folded;
        }
    }
    Expr::Binary(Box::new(l), op, Box::new(r))
}

fn operator(op: &VerilogOp) -> Binary {
    match op {
        VerilogOp::Add => Binary::Add,
        VerilogOp::Sub => Binary::Sub,
        VerilogOp::Mul => Binary::Mul,
        VerilogOp::LogicalAnd => Binary::LogicalAnd,
        VerilogOp::LogicalOr => Binary::LogicalOr,
        VerilogOp::BitXor => Binary::Xor,
        VerilogOp::BitAnd => Binary::And,
        VerilogOp::BitOr => Binary::Or,
        VerilogOp::Shl => Binary::Shl,
        VerilogOp::Shr => Binary::Shr,
        VerilogOp::Eq => Binary::Eq,
        VerilogOp::Lt => Binary::Lt,
        VerilogOp::Le => Binary::Le,
        VerilogOp::Ne => Binary::Ne,
        VerilogOp::Ge => Binary::Ge,
        VerilogOp::Gt => Binary::Gt,
    }
}

fn unary(op: &VerilogOpUnary) -> Unary {
    match op {
        VerilogOpUnary::Not => Unary::Not,
        VerilogOpUnary::Neg => Unary::Neg,
        VerilogOpUnary::All => Unary::All,
        VerilogOpUnary::Any => Unary::Any,
        VerilogOpUnary::Xor => Unary::Xor,
    }
}

#[cfg(test)]
mod tests {
    use super::Marker;

    #[test]
    fn a_marker_names_the_module_and_may_describe_it() {
        let marker = Marker::parse("module: fcs32 - frame check sequence over 64 bits").unwrap();
        assert_eq!(marker.name, "fcs32");
        assert_eq!(marker.description, "frame check sequence over 64 bits");
        assert_eq!(Marker::parse("module: fifo").unwrap().description, "");
        let raw = Marker::parse("comment! (\"module: fifo first in, first out").unwrap();
        assert_eq!((&raw.name[..], &raw.description[..]), ("fifo", "first in, first out"));
        assert_eq!(Marker::parse("a module: fifo"), None);
    }
}
