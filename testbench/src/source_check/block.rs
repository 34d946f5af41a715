//! The items of a file: enumerations, hand-written Verilog, and where `update` stands.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::{Finding, Rule, finding, update};

/// Checks all items of a file, inside modules and functions too.
pub(super) fn check(file: &syn::File, hand_written: &[&str]) -> Vec<Finding> {
    let mut items = Items { hand_written, block: String::new(), findings: Vec::new() };
    items.visit_file(file);
    items.findings
}

struct Items<'a> {
    hand_written: &'a [&'a str],
    /// The block whose `impl` is being read; empty outside.
    block: String,
    findings: Vec<Finding>,
}

impl Visit<'_> for Items<'_> {
    fn visit_item_enum(&mut self, item: &syn::ItemEnum) {
        if derives(&item.attrs, "LogicState") && item.variants.len() < 2 {
            self.findings.push(finding(item.ident.span(), Rule::OneState, item.ident.to_string()));
        }
        visit::visit_item_enum(self, item);
    }

    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        let outer = std::mem::replace(&mut self.block, type_name(&item.self_ty));
        visit::visit_item_impl(self, item);
        self.block = outer;
    }

    fn visit_impl_item_fn(&mut self, function: &syn::ImplItemFn) {
        if function.attrs.iter().any(|attribute| attribute.path().is_ident("hdl_gen")) {
            self.findings.extend(update::check(&function.block));
        }
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let written = matches!(names.as_slice(), [.., verilog, form]
            if verilog == "Verilog" && ["Custom", "Wrapper", "Blackbox"].contains(&form.as_str()));
        if written && !self.hand_written.contains(&self.block.as_str()) {
            let what = format!("{} in {}", names.join("::"), self.block);
            self.findings.push(finding(path.span(), Rule::HandWrittenVerilog, what));
        }
        visit::visit_path(self, path);
    }
}

/// Whether an item derives a trait, with or without a path in front.
fn derives(attributes: &[syn::Attribute], name: &str) -> bool {
    let mut found = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        // A derive that does not parse is the compiler's to refuse.
        let _ = attribute.parse_nested_meta(|meta| {
            let last = meta.path.segments.last().map(|segment| segment.ident.to_string());
            found |= last.is_some_and(|last| last == name);
            Ok(())
        });
    }
    found
}

fn type_name(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(path) => {
            path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
        }
        _ => String::new(),
    }
}
