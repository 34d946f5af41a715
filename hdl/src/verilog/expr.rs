//! Expressions, printed so that no context can change what they compute.
//!
//! Verilog computes an operator at the width of the widest operand around it, Rust at the width of
//! the type. One invariant makes the two agree: every operand that is printed has, self-determined
//! (IEEE 1364-2005, 5.4.1), exactly the width of its Rust type. No signal is declared `signed`;
//! signed comparisons and products say `$signed` themselves.

use super::error::Fault;
use super::ir::{Binary, Expr, Unary};
use super::scope::Scope;
use super::text::Text;
use num_bigint::BigUint;
use rust_hdl::prelude::clog2;
use std::collections::BTreeMap;

/// A function that the module declares because Verilog has no operator for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    /// The lowest bits of a wider value; selections of expressions do not exist.
    Low { from: usize, to: usize },
    /// A value with its sign bit repeated.
    Extend { from: usize, to: usize },
}

/// Prints the expressions of one module and notes what they use.
#[derive(Debug, Default)]
pub(super) struct Printer {
    pub(super) scope: Scope,
    pub(super) helpers: BTreeMap<Helper, String>,
}

/// A part of a concatenation: an expression that fills bits from `lowest` on.
struct Field {
    lowest: usize,
    width: usize,
    value: Expr,
}

impl Printer {
    /// The width that the source gives an expression; `None` where it depends on the context.
    pub(super) fn width(&self, e: &Expr) -> Result<Option<usize>, Fault> {
        Ok(match e {
            Expr::Signal(key) => Some(self.scope.get(key)?.width),
            Expr::Literal(_) => None,
            Expr::Sized(_, width) | Expr::Cast(_, width) | Expr::Slice(_, width, _) => Some(*width),
            // A cast of a signed value may be signed_bit_cast, which changes the width.
            Expr::Signed(x) if self.signed(x) => None,
            Expr::Signed(x) | Expr::Unsigned(x) | Expr::Replace(x, ..) => self.width(x)?,
            Expr::Unary(Unary::Not | Unary::Neg, x) => self.width(x)?,
            Expr::Unary(..) | Expr::Index(..) => Some(1),
            Expr::Choose(_, a, b) => self.width(a)?.or(self.width(b)?),
            Expr::Binary(l, op, r) => self.width_of_binary(l, *op, r)?,
        })
    }

    fn width_of_binary(&self, l: &Expr, op: Binary, r: &Expr) -> Result<Option<usize>, Fault> {
        let (left, right) = (self.width(l)?, self.width(r)?);
        Ok(match op {
            Binary::LogicalAnd | Binary::LogicalOr => Some(1),
            _ if op.compares() => Some(1),
            // In Rust an integer shifted by a signal is a `u64`, then `Bits<64>`.
            Binary::Shl | Binary::Shr if left.is_none() && right.is_some() => Some(64),
            Binary::Shl | Binary::Shr => left,
            Binary::Mul => Some(32), // Signed<16> * Signed<16> is the only product
            // The larger one: a Bit may be added to Bits.
            _ => left.max(right),
        })
    }

    fn signed(&self, e: &Expr) -> bool {
        match e {
            Expr::Signal(key) => self.scope.get(key).is_ok_and(|s| s.signed),
            Expr::Signed(_) => true,
            Expr::Binary(l, Binary::Add | Binary::Sub | Binary::Mul, r) => self.signed(l) || self.signed(r),
            Expr::Unary(Unary::Neg | Unary::Not, x) | Expr::Slice(x, ..) => self.signed(x),
            Expr::Choose(_, a, b) => self.signed(a) || self.signed(b),
            _ => false,
        }
    }

    /// An expression at exactly this width, which must be its own if it has one.
    pub(super) fn exact(&mut self, e: &Expr, width: usize) -> Result<Text, Fault> {
        match self.width(e)? {
            Some(found) if found != width => Err(Fault::WidthMismatch { wanted: width, found }),
            _ => self.print(e, Some(width)),
        }
    }

    /// An expression at its own width, or else at the wanted one.
    fn print(&mut self, e: &Expr, wanted: Option<usize>) -> Result<Text, Fault> {
        let own = self.width(e)?.or(wanted);
        match e {
            Expr::Signal(key) => self.signal(key),
            Expr::Literal(value) => literal(value, own.ok_or(Fault::UnknownWidth)?),
            Expr::Sized(value, width) => literal(value, *width),
            Expr::Cast(x, to) => self.cast(x, *to),
            Expr::Signed(x) => self.signed_cast(x, own),
            Expr::Unsigned(x) => self.print(x, own),
            Expr::Unary(op, x) => self.unary(*op, x, own),
            Expr::Index(x, at) => self.index(x, at),
            Expr::Slice(x, width, at) => match at.small() {
                Some(lowest) => self.bits(x, lowest, *width),
                // A shift brings in zeros past the end, as Rust does; `[at +: n]` would bring in X.
                None => self.bits(&Expr::Binary(x.clone(), Binary::Shr, at.clone()), 0, *width),
            },
            Expr::Replace(x, at, bit) => self.replace(x, at, bit, own),
            Expr::Choose(test, a, b) => {
                let test = self.exact(test, 1)?;
                Ok(Text::choose(&test, &self.print(a, own)?, &self.print(b, own)?))
            }
            Expr::Binary(l, op, r) => self.binary(e, l, *op, r, own),
        }
    }

    fn signal(&mut self, key: &str) -> Result<Text, Fault> {
        let symbol = self.scope.get(key)?;
        let (name, width) = (symbol.name.clone(), symbol.width);
        self.scope.mark(key, 0, width);
        Ok(Text::atom(name))
    }

    fn cast(&mut self, x: &Expr, to: usize) -> Result<Text, Fault> {
        match self.width(x)? {
            Some(from) if from > to => self.bits(x, 0, to),
            Some(from) if from < to => self.widen(x, from, to),
            _ => self.print(x, Some(to)),
        }
    }

    /// Zero extension.
    fn widen(&mut self, x: &Expr, from: usize, to: usize) -> Result<Text, Fault> {
        self.concat(vec![Field { lowest: 0, width: from, value: x.clone() }], to)
    }

    /// `signed_cast` and `signed_bit_cast`: sign extension or truncation to the width around it.
    fn signed_cast(&mut self, x: &Expr, wanted: Option<usize>) -> Result<Text, Fault> {
        let from = self.width(x)?.or(wanted).ok_or(Fault::UnknownWidth)?;
        match wanted.unwrap_or(from) {
            to if to < from => self.bits(x, 0, to),
            to if to > from => self.extend(x, from, to),
            _ => self.print(x, Some(from)),
        }
    }

    fn extend(&mut self, x: &Expr, from: usize, to: usize) -> Result<Text, Fault> {
        let text = self.print(x, Some(from))?;
        if let Expr::Signal(key) = x {
            let sign = self.select(key, from - 1, 1)?.code;
            return Ok(Text::atom(format!("{{{{{}{{{sign}}}}}, {}}}", to - from, text.code)));
        }
        Ok(self.call(Helper::Extend { from, to }, &text))
    }

    fn call(&mut self, helper: Helper, argument: &Text) -> Text {
        let wish = match helper {
            Helper::Low { from, to } => format!("low_{to}_of_{from}"),
            Helper::Extend { from, to } => format!("extend_{from}_to_{to}"),
        };
        let names = &mut self.scope.names;
        let name = self.helpers.entry(helper).or_insert_with(|| names.claim(&wish));
        Text::atom(format!("{name}({})", argument.code))
    }

    fn unary(&mut self, op: Unary, x: &Expr, own: Option<usize>) -> Result<Text, Fault> {
        if let (Unary::Not, Expr::Unary(Unary::Any, value)) = (op, x)
            && self.width(value)? != Some(1)
        {
            return self.compare(value, Binary::Eq, &Expr::Literal(BigUint::ZERO));
        }
        match op {
            Unary::Neg if matches!(x, Expr::Literal(_)) => {
                let width = own.ok_or(Fault::UnknownWidth)?;
                let magnitude = BigUint::from(x.small().ok_or(Fault::UnknownWidth)?);
                literal(&magnitude, width)?;
                Ok(Text::literal(&((BigUint::from(1_u8) << width) - magnitude), width))
            }
            Unary::Not | Unary::Neg => {
                let operand = self.print(x, own)?;
                Ok(Text::unary(op, &operand, own.ok_or(Fault::UnknownWidth)?))
            }
            Unary::All | Unary::Any | Unary::Xor => {
                let width = self.width(x)?.ok_or(Fault::UnknownWidth)?;
                let operand = self.print(x, Some(width))?;
                Ok(if width == 1 { operand } else { Text::unary(op, &operand, width) })
            }
        }
    }

    fn index(&mut self, x: &Expr, at: &Expr) -> Result<Text, Fault> {
        match (at.small(), x) {
            (Some(bit), _) => self.bits(x, bit, 1),
            (None, Expr::Signal(key)) if self.scope.get(key)?.value.is_none() => {
                let name = self.signal(key)?.code;
                let width = self.scope.get(key)?.width;
                Ok(match self.position(at, width)? {
                    Some(position) => Text::atom(format!("{name}[{position}]")),
                    None => Text::atom(name),
                })
            }
            _ => self.bits(&Expr::Binary(Box::new(x.clone()), Binary::Shr, Box::new(at.clone())), 0, 1),
        }
    }

    /// The text of a variable index into `width` bits, at exactly the width it needs, for tools warn of
    /// any other; `None` for one bit. Rust panics on an index past the end, so the dropped bits are zero.
    pub(super) fn position(&mut self, at: &Expr, width: usize) -> Result<Option<String>, Fault> {
        match clog2(width) {
            0 => Ok(None),
            needed => Ok(Some(self.cast(at, needed)?.code)),
        }
    }

    fn replace(&mut self, x: &Expr, at: &Expr, bit: &Expr, own: Option<usize>) -> Result<Text, Fault> {
        let width = own.ok_or(Fault::UnknownWidth)?;
        if let (Some(at), Expr::Signal(_)) = (at.small(), x) {
            let slice = |lowest: usize, width: usize| Field {
                lowest,
                width,
                value: Expr::Slice(Box::new(x.clone()), width, Box::new(Expr::Literal(lowest.into()))),
            };
            let mut fields = vec![Field { lowest: at, width: 1, value: bit.clone() }];
            if at > 0 {
                fields.push(slice(0, at));
            }
            if at + 1 < width {
                fields.push(slice(at + 1, width - at - 1));
            }
            return self.concat(fields, width);
        }
        self.replace_variable(x, at, bit, width)
    }

    /// `(x & ~(1 << at)) | (bit << at)`
    fn replace_variable(&mut self, x: &Expr, at: &Expr, bit: &Expr, width: usize) -> Result<Text, Fault> {
        let amount = self.amount(at)?;
        let one = Text::literal(&BigUint::from(1_u8), width);
        let place = Text::binary(&one, Binary::Shl, &amount);
        let hole = Text::unary(Unary::Not, &place, 2);
        let bit = if width == 1 { self.exact(bit, 1)? } else { self.widen(bit, 1, width)? };
        let rest = Text::binary(&self.print(x, Some(width))?, Binary::And, &hole);
        Ok(Text::binary(&rest, Binary::Or, &Text::binary(&bit, Binary::Shl, &amount)))
    }

    /// The right side of a shift, which is self-determined.
    fn amount(&mut self, by: &Expr) -> Result<Text, Fault> {
        match by.small() {
            Some(amount) => Ok(Text::atom(amount.to_string())),
            None => self.print(by, None),
        }
    }

    fn binary(
        &mut self,
        e: &Expr,
        l: &Expr,
        op: Binary,
        r: &Expr,
        own: Option<usize>,
    ) -> Result<Text, Fault> {
        match op {
            Binary::Shl | Binary::Shr => self.shift(e, l, op, r, own),
            Binary::Mul => self.product(l, r),
            Binary::LogicalAnd | Binary::LogicalOr => {
                Ok(Text::binary(&self.exact(l, 1)?, op, &self.exact(r, 1)?))
            }
            _ if op.compares() => self.compare(l, op, r),
            _ => {
                let width = own.ok_or(Fault::UnknownWidth)?;
                if let Some(fields) = self.fields_of_or(e, width)? {
                    return self.concat(fields, width);
                }
                Ok(Text::binary(&self.side(l, width)?, op, &self.side(r, width)?))
            }
        }
    }

    /// An operand of arithmetic: a single Bit is widened, all else has the width already.
    fn side(&mut self, x: &Expr, width: usize) -> Result<Text, Fault> {
        match self.width(x)? {
            Some(1) if width > 1 => self.widen(x, 1, width),
            _ => self.exact(x, width),
        }
    }

    fn shift(&mut self, e: &Expr, l: &Expr, op: Binary, r: &Expr, own: Option<usize>) -> Result<Text, Fault> {
        let width = own.ok_or(Fault::UnknownWidth)?;
        if let Some(fields) = self.fields(e, width)? {
            return self.concat(fields, width);
        }
        if r.small().is_some_and(|amount| amount >= width) {
            return Ok(Text::zeros(width));
        }
        let amount = self.amount(r)?;
        Ok(Text::binary(&self.print(l, Some(width))?, op, &amount))
    }

    fn product(&mut self, l: &Expr, r: &Expr) -> Result<Text, Fault> {
        let mut side = |x: &Expr| -> Result<Text, Fault> {
            let from = self.width(x)?.ok_or(Fault::UnknownWidth)?;
            let text = self.extend(x, from, 32)?;
            Ok(Text::atom(format!("$signed({})", text.code)))
        };
        Ok(Text::binary(&side(l)?, Binary::Mul, &side(r)?))
    }

    fn compare(&mut self, l: &Expr, op: Binary, r: &Expr) -> Result<Text, Fault> {
        let signed = self.signed(l) || self.signed(r);
        let own = match self.width(l)?.max(self.width(r)?) {
            Some(width) => width,
            None => self.width_of_casts(l, r)?,
        };
        // `x.index() == 16` compares as usize in Rust, so a literal wider than x widens x.
        let need = |x: &Expr| match x {
            Expr::Literal(value) if !signed => value.bits() as usize,
            _ => 0,
        };
        let width = own.max(need(l)).max(need(r));
        let left = self.compared(l, width, signed)?;
        let right = self.compared(r, width, signed)?;
        Ok(Text::binary(&left, op, &right))
    }

    /// The width to compare two `signed_bit_cast` at: the wider source, for extension keeps the order.
    fn width_of_casts(&self, l: &Expr, r: &Expr) -> Result<usize, Fault> {
        match (l, r) {
            (Expr::Signed(a), Expr::Signed(b)) => {
                self.width(a)?.max(self.width(b)?).ok_or(Fault::UnknownWidth)
            }
            _ => Err(Fault::UnknownWidth),
        }
    }

    fn compared(&mut self, x: &Expr, width: usize, signed: bool) -> Result<Text, Fault> {
        let text = match self.width(x)? {
            Some(found) if found < width && !signed => self.widen(x, found, width)?,
            _ => self.exact(x, width)?,
        };
        Ok(if signed { Text::atom(format!("$signed({})", text.code)) } else { text })
    }

    /// The fields of an OR, which prints as a concatenation when they do not overlap.
    fn fields_of_or(&self, e: &Expr, width: usize) -> Result<Option<Vec<Field>>, Fault> {
        match e {
            Expr::Binary(_, Binary::Or, _) => self.fields(e, width),
            _ => Ok(None),
        }
    }

    /// The fields of a value made of widening casts, constant shifts and ORs.
    fn fields(&self, e: &Expr, width: usize) -> Result<Option<Vec<Field>>, Fault> {
        match e {
            Expr::Cast(x, to) => match self.width(x)? {
                Some(from) if from <= *to => {
                    let whole = || vec![Field { lowest: 0, width: from, value: (**x).clone() }];
                    Ok(Some(self.fields(x, from)?.unwrap_or_else(whole)))
                }
                Some(_) => Ok(Some(vec![Field { lowest: 0, width: *to, value: e.clone() }])),
                None => Ok(None),
            },
            Expr::Binary(x, Binary::Shl, by) => {
                let (Some(by), Some(fields)) = (by.small(), self.fields(x, width)?) else { return Ok(None) };
                let moved: Vec<Field> =
                    fields.into_iter().map(|f| Field { lowest: f.lowest + by, ..f }).collect();
                Ok(moved.iter().all(|f| f.lowest + f.width <= width).then_some(moved))
            }
            Expr::Binary(l, Binary::Or, r) => {
                let (Some(mut l), Some(r)) = (self.fields(l, width)?, self.fields(r, width)?) else {
                    return Ok(None);
                };
                let meet =
                    |a: &Field, b: &Field| a.lowest < b.lowest + b.width && b.lowest < a.lowest + a.width;
                if l.iter().any(|a| r.iter().any(|b| meet(a, b))) {
                    return Ok(None);
                }
                l.extend(r);
                Ok(Some(l))
            }
            _ => Ok(None),
        }
    }

    /// Fields side by side, with zeros in the gaps.
    fn concat(&mut self, mut fields: Vec<Field>, width: usize) -> Result<Text, Fault> {
        fields.sort_by_key(|f| std::cmp::Reverse(f.lowest));
        let mut parts = Vec::new();
        let mut top = width;
        for field in &fields {
            let end = field.lowest + field.width;
            if top > end {
                parts.push(Text::zeros(top - end));
            }
            parts.push(self.exact(&field.value, field.width)?);
            top = field.lowest;
        }
        if top > 0 {
            parts.push(Text::zeros(top));
        }
        Ok(Text::concat(parts))
    }

    /// A part-select of a signal; of a Constant or enum value, the literal.
    pub(super) fn select(&mut self, key: &str, lowest: usize, count: usize) -> Result<Text, Fault> {
        let symbol = self.scope.get(key)?;
        let (name, width) = (symbol.name.clone(), symbol.width);
        if let Some(value) = &symbol.value {
            return Ok(Text::literal(&(value >> lowest), count));
        }
        self.scope.mark(key, lowest, count);
        Ok(Text::atom(match count {
            _ if lowest == 0 && count == width => name,
            1 => format!("{name}[{lowest}]"),
            _ => format!("{name}[{}:{lowest}]", lowest + count - 1),
        }))
    }

    /// Bits `lowest .. lowest + count` of an expression, zeros past its end. Selections are moved
    /// down to the signals, for Verilog cannot select from an expression.
    fn bits(&mut self, e: &Expr, lowest: usize, count: usize) -> Result<Text, Fault> {
        let width = self.width(e)?.ok_or(Fault::UnknownWidth)?;
        if lowest >= width {
            return Ok(Text::zeros(count));
        }
        if lowest + count > width {
            let inside = self.bits(e, lowest, width - lowest)?;
            return Ok(Text::concat(vec![Text::zeros(lowest + count - width), inside]));
        }
        if lowest == 0 && count == width {
            return self.print(e, Some(width));
        }
        match e {
            Expr::Signal(key) => self.select(key, lowest, count),
            Expr::Literal(value) | Expr::Sized(value, _) => Ok(Text::literal(&(value >> lowest), count)),
            Expr::Cast(x, _) if self.width(x)?.is_some() => self.bits(x, lowest, count),
            Expr::Signed(x) | Expr::Unsigned(x) => self.bits(x, lowest, count),
            Expr::Slice(x, _, at) if at.small().is_some() => {
                self.bits(x, lowest + at.small().unwrap_or(0), count)
            }
            Expr::Unary(Unary::Not, x) => Ok(Text::unary(Unary::Not, &self.bits(x, lowest, count)?, count)),
            Expr::Choose(test, a, b) => {
                let test = self.exact(test, 1)?;
                let (a, b) = (self.bits_of(a, width, lowest, count)?, self.bits_of(b, width, lowest, count)?);
                Ok(Text::choose(&test, &a, &b))
            }
            Expr::Binary(l, op, r) => self.bits_of_binary(e, (l, *op, r), lowest, count, width),
            Expr::Replace(x, at, _) if at.small().is_some_and(|at| at < lowest || at >= lowest + count) => {
                self.bits(x, lowest, count)
            }
            _ => self.low(e, lowest, count, width),
        }
    }

    /// As `bits`, for an operand that takes its width from the operation.
    fn bits_of(&mut self, e: &Expr, width: usize, lowest: usize, count: usize) -> Result<Text, Fault> {
        match (self.width(e)?, e) {
            (None, Expr::Literal(value)) => {
                literal(value, width)?;
                Ok(Text::literal(&(value >> lowest), count))
            }
            (None, _) => self.low(e, lowest, count, width),
            _ => self.bits(e, lowest, count),
        }
    }

    fn bits_of_binary(
        &mut self,
        e: &Expr,
        (l, op, r): (&Expr, Binary, &Expr),
        lowest: usize,
        count: usize,
        width: usize,
    ) -> Result<Text, Fault> {
        match (op, r.small()) {
            (Binary::And | Binary::Or | Binary::Xor, _) => {
                let left = self.bits_of(l, width, lowest, count)?;
                Ok(Text::binary(&left, op, &self.bits_of(r, width, lowest, count)?))
            }
            // The low bits of a sum depend on the low bits of its operands only.
            (Binary::Add | Binary::Sub, _) if lowest == 0 => {
                let left = self.bits_of(l, width, 0, count)?;
                Ok(Text::binary(&left, op, &self.bits_of(r, width, 0, count)?))
            }
            (Binary::Shr, Some(by)) => self.bits_of(l, width, lowest + by, count),
            (Binary::Shl, Some(by)) if lowest >= by => self.bits_of(l, width, lowest - by, count),
            (Binary::Shl, Some(by)) if lowest + count <= by => Ok(Text::zeros(count)),
            (Binary::Shl, Some(by)) => {
                let high = self.bits_of(l, width, 0, lowest + count - by)?;
                Ok(Text::concat(vec![high, Text::zeros(by - lowest)]))
            }
            _ => self.low(e, lowest, count, width),
        }
    }

    /// Bits of an expression that has no selectable form, through a function.
    fn low(&mut self, e: &Expr, lowest: usize, count: usize, width: usize) -> Result<Text, Fault> {
        let mut text = self.print(e, Some(width))?;
        if lowest > 0 {
            text = Text::binary(&text, Binary::Shr, &Text::atom(lowest.to_string()));
        }
        Ok(self.call(Helper::Low { from: width, to: count }, &text))
    }
}

/// A literal, which must fit.
fn literal(value: &BigUint, width: usize) -> Result<Text, Fault> {
    if value.bits() > width as u64 {
        return Err(Fault::LiteralTooWide { value: value.to_string(), width });
    }
    Ok(Text::literal(value, width))
}
