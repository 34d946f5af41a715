//! The body of an `update` that `#[hdl_gen]` turns into a design, expression by expression.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::{Finding, Rule, finding, order};

/// Statements that a body may have: beyond, optimising what the macro writes takes minutes.
pub(super) const MAX_STATEMENTS: usize = 200;

/// Macros that the design knows.
const MACROS: &[&str] = &["dff_setup", "clock", "comment"];

/// Checks one body.
pub(super) fn check(body: &syn::Block) -> Vec<Finding> {
    let mut update = Update { loops: Vec::new(), statements: 0, findings: order::check(body) };
    update.visit_block(body);
    if update.statements > MAX_STATEMENTS {
        let what = format!("{} statements, limit {MAX_STATEMENTS}", update.statements);
        update.findings.push(finding(body.span(), Rule::LongBody, what));
    }
    update.findings
}

struct Update {
    /// Variables of the loops around the present place.
    loops: Vec<String>,
    statements: usize,
    findings: Vec<Finding>,
}

impl Update {
    fn report(&mut self, place: &impl Spanned, rule: Rule) {
        self.findings.push(finding(place.span(), rule, show(place)));
    }

    /// Index arithmetic: literals, loop variables, `+`, `-` and `*`.
    fn is_static(&self, index: &syn::Expr) -> bool {
        match index {
            syn::Expr::Lit(_) => true,
            syn::Expr::Paren(inner) => self.is_static(&inner.expr),
            syn::Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| self.loops.contains(&name.to_string()))
            }
            syn::Expr::Binary(binary) => {
                use syn::BinOp::{Add, Mul, Sub};
                matches!(binary.op, Add(_) | Sub(_) | Mul(_))
                    && self.is_static(&binary.left)
                    && self.is_static(&binary.right)
            }
            _ => false,
        }
    }
}

impl Visit<'_> for Update {
    fn visit_stmt(&mut self, statement: &syn::Stmt) {
        self.statements += 1;
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_for_loop(&mut self, looped: &syn::ExprForLoop) {
        // A bound may be a const generic: the loop is unrolled by running it.
        if let syn::Expr::Range(range) = &*looped.expr
            && matches!(range.limits, syn::RangeLimits::Closed(_))
        {
            self.report(range, Rule::InclusiveRange);
        }
        self.loops.push(show(&looped.pat));
        self.visit_block(&looped.body);
        self.loops.pop();
    }

    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        let last = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let alone = path.path.get_ident().is_some();
        // `State::Idle` is a value of the design, `limits::LARGEST` and `WIDTH` are not.
        let constant =
            last.len() > 1 && last.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        if (alone && last != "self" && !self.loops.contains(&last)) || (!alone && constant) {
            self.report(path, Rule::ConstantAsValue);
        }
    }

    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        // The function's own name is none of the design's; the macro knows which there are.
        for argument in &call.args {
            self.visit_expr(argument);
        }
    }

    fn visit_expr_field(&mut self, field: &syn::ExprField) {
        if show(&field.member).starts_with('_') {
            self.report(field, Rule::HiddenField);
        }
        visit::visit_expr_field(self, field);
    }

    fn visit_expr_index(&mut self, index: &syn::ExprIndex) {
        if holds_index(&index.expr) {
            self.report(index, Rule::NestedIndex);
        }
        if !self.is_static(&index.index) {
            self.report(index, Rule::ComputedIndex);
        }
        // What stands in the brackets is judged as a whole.
        self.visit_expr(&index.expr);
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        if call.method == "val" && is_flip_flop_input(&call.receiver) {
            self.report(call, Rule::FlipFlopInput);
        }
        if call.method == "index" && !is_read(&call.receiver) {
            self.report(call, Rule::IndexNotBare);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_binary(&mut self, binary: &syn::ExprBinary) {
        use syn::BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
        if !matches!(binary.op, Eq(_) | Ge(_) | Gt(_) | Le(_) | Lt(_) | Ne(_)) {
            for side in [&binary.left, &binary.right] {
                if is_index_call(side) {
                    self.report(side, Rule::IndexNotBare);
                }
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_macro(&mut self, invocation: &syn::Macro) {
        let name = show(&invocation.path);
        if !MACROS.contains(&name.rsplit("::").next().unwrap_or_default()) {
            self.findings.push(finding(invocation.path.span(), Rule::ForeignMacro, format!("{name}!")));
        }
    }
}

/// `something.field.d`, where `something` is not the block itself: a port may be called `d`.
fn is_flip_flop_input(receiver: &syn::Expr) -> bool {
    match receiver {
        syn::Expr::Field(field) => show(&field.member) == "d" && !matches!(&*field.base, syn::Expr::Path(_)),
        _ => false,
    }
}

/// `anything.val()`.
fn is_read(expression: &syn::Expr) -> bool {
    matches!(expression, syn::Expr::MethodCall(call) if call.method == "val")
}

fn is_index_call(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Paren(inner) => is_index_call(&inner.expr),
        syn::Expr::MethodCall(call) => call.method == "index",
        _ => false,
    }
}

/// Whether a signal's path has an index already.
fn holds_index(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Index(_) => true,
        syn::Expr::Field(field) => holds_index(&field.base),
        syn::Expr::Paren(inner) => holds_index(&inner.expr),
        _ => false,
    }
}

/// The piece of source, on one line.
fn show(place: &impl Spanned) -> String {
    let text = place.span().source_text().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
