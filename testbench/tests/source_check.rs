//! Gateware source that means something else in Verilog than in Rust does not pass.

use std::path::{Path, PathBuf};

use nicforge_testbench::source_check::{Finding, Rule, check, check_folder, rust_files};

/// Blocks that may hold hand-written Verilog: CRC matrices, memories and vendor primitives only.
/// A new one needs a reason that no Rust-HDL would do.
const HAND_WRITTEN: &[&str] = &[
    "ClockGenerator",
    "Crc32",
    "CrcRewind",
    "CrossingMemory",
    "Memory",
    "Released",
    "RgmiiReceive",
    "RgmiiTransmit",
    "SineTable",
    "StreamMemory",
];

fn gateware() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../hdl/src")
}

/// The findings in a block whose `update` has this body, which begins on line 10.
fn findings(body: &str) -> Vec<Finding> {
    let head = "#[derive(LogicBlock)]\nstruct Sample {\n\n\n\n}\nimpl Logic for Sample {\n#[hdl_gen]\n";
    let text = format!("{head}fn update(&mut self) {{\n{body}\n}}\n}}\n");
    check("sample.rs", &text, &[]).unwrap()
}

#[track_caller]
fn assert_found(body: &str, rule: Rule, line: usize, what: &str) {
    let found = findings(body);
    assert_eq!(found.len(), 1, "{body}\n{found:#?}");
    assert_eq!((found[0].rule, found[0].line, found[0].what.as_str()), (rule, line, what), "{body}");
}

#[track_caller]
fn assert_clean(body: &str) {
    let found = findings(body);
    assert!(found.is_empty(), "{body}\n{found:#?}");
}

#[test]
fn an_inclusive_range_is_found() {
    assert_found("\nfor i in 0..=3 { self.a[i].next = self.b[i].val(); }", Rule::InclusiveRange, 11, "0..=3");
    assert_clean("for i in 0..4 { self.a[i].next = self.b[i].val(); }");
}

#[test]
fn a_constant_or_const_generic_as_a_value_is_found() {
    assert_found("self.a.next = LIMIT.into();", Rule::ConstantAsValue, 10, "LIMIT");
    assert_found("self.a.next = N.into();", Rule::ConstantAsValue, 10, "N");
    assert_found("self.a.next = wire::LIMIT.into();", Rule::ConstantAsValue, 10, "wire::LIMIT");
    assert_found(
        "if self.b.val() == Self::TOP { self.a.next = true; }",
        Rule::ConstantAsValue,
        10,
        "Self::TOP",
    );
    assert_found("self.a.next = bits::<8>(width);", Rule::ConstantAsValue, 10, "width");
    assert_clean("self.a.next = self.limit.val();");
    assert_clean("for i in 0..N { if self.b.val() == i { self.a.next = i.to_bits(); } }");
    assert_clean("self.a.next = State::Idle;\nself.b.next = bit_cast::<W, 8>(self.c.val());");
    assert_clean("StreamSource::<W, K>::link(&mut self.source, &mut self.inner.source);");
}

#[test]
fn a_hidden_field_as_a_value_is_found() {
    assert_found("self.a.next = self._table.into();", Rule::HiddenField, 10, "self._table");
}

#[test]
fn reading_the_input_of_a_flip_flop_is_found() {
    assert_found("self.a.next = self.r.d.val();", Rule::FlipFlopInput, 10, "self.r.d.val()");
    let body = "if self.inner.r.d.val() { self.a.next = true; }";
    assert_found(body, Rule::FlipFlopInput, 10, "self.inner.r.d.val()");
    assert_clean("self.a.next = self.r.q.val();\nself.q.next = self.d.val();");
}

#[test]
fn a_read_above_the_assignment_is_found_in_expressions_and_conditions() {
    let early = |body, line| assert_found(body, Rule::EarlyRead, line, "self.l.val()");
    early("self.a.next = self.l.val();\nself.l.next = self.b.val();", 10);
    early("\nif self.l.val() { self.a.next = true; }\nself.l.next = true;", 11);
    early("match self.l.val() { _ => {} }\nself.l.next = S::Idle;", 10);
    early("for i in 0..2 { self.a[i].next = self.l[i].val(); }\nself.l[0].next = true;", 10);
    early("self.o.next = self.l.val().f;\nself.l.next.f = true;", 10);
    assert_clean("self.l.next = self.b.val();\nif self.l.val() { self.a.next = true; }");
}

#[test]
fn a_read_between_two_assignments_is_found() {
    let body = "self.l.next = false;\nself.a.next = self.l.val();\nif self.c.val() { self.l.next = true; }";
    assert_found(body, Rule::EarlyRead, 11, "self.l.val()");
    let chain = "for i in 0..4 { self.s[i + 1].next = self.s[i].val() | self.b[i].val(); }";
    assert_clean(&format!("self.s[0].next = false;\n{chain}"));
}

#[test]
fn an_index_within_an_index_is_found() {
    let body = "for i in 0..2 { for j in 0..2 { self.a.next = self.m[i][j].val(); } }";
    assert_found(body, Rule::NestedIndex, 10, "self.m[i][j]");
    let body = "for i in 0..2 { self.a.next = self.m[i].row[1].val(); }";
    assert_found(body, Rule::NestedIndex, 10, "self.m[i].row[1]");
}

#[test]
fn an_index_that_is_computed_is_found() {
    let body = "self.a.next = self.m[self.n.val().index()].val();";
    assert_found(body, Rule::ComputedIndex, 10, "self.m[self.n.val().index()]");
    assert_found("self.a.next = self.m[N - 1].val();", Rule::ComputedIndex, 10, "self.m[N - 1]");
    assert_clean("for i in 1..8 { self.a[2 * (i - 1)].next = self.m[i].val(); }");
}

#[test]
fn an_index_call_that_is_not_bare_is_found() {
    let body = "if (self.n.val() + 1).index() == 3 { self.a.next = true; }";
    assert_found(body, Rule::IndexNotBare, 10, "(self.n.val() + 1).index()");
    let body = "self.a.next = self.w.val().get_bits::<8>(self.n.val().index() * 8);";
    assert_found(body, Rule::IndexNotBare, 10, "self.n.val().index()");
    assert_clean("for i in 0..N { if self.n.val().index() == i { self.a.next = self.m[i].val(); } }");
    assert_clean("match self.n.val().index() { 0 => { self.a.next = true; } _ => { self.a.next = false; } }");
    assert_clean("self.a.next = self.w.val().get_bits::<8>(self.n.val().index());");
}

#[test]
fn a_macro_that_the_design_lacks_is_found() {
    assert_found("assert!(self.a.val());", Rule::ForeignMacro, 10, "assert!");
    assert_found("self.a.next = true;\nprintln!(\"{}\", 1);", Rule::ForeignMacro, 11, "println!");
    assert_clean("comment!(\"module: sample\");\ndff_setup!(self, clock, a);");
}

#[test]
fn a_long_body_is_found() {
    let statements = |count| "self.a.next = true;".repeat(count);
    assert_clean(&statements(200));
    assert_eq!(findings(&statements(201))[0].rule, Rule::LongBody);
}

#[test]
fn an_enumeration_of_one_state_is_found() {
    let found = check("sample.rs", "\n#[derive(LogicState)]\nenum Only { One }", &[]).unwrap();
    assert_eq!((found[0].rule, found[0].line), (Rule::OneState, 3));
    assert!(check("sample.rs", "#[derive(LogicState)]\nenum Two { One, Other }", &[]).unwrap().is_empty());
}

#[test]
fn hand_written_verilog_is_found_unless_listed() {
    for form in ["Custom(text)", "Wrapper(text)", "Blackbox(text)"] {
        let text =
            format!("impl Logic for Sample {{\n fn hdl(&self) -> Verilog {{\n Verilog::{form}\n }}\n}}\n");
        let found = check("sample.rs", &text, &["Other"]).unwrap();
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!((found[0].rule, found[0].line), (Rule::HandWrittenVerilog, 3));
        assert!(check("sample.rs", &text, &["Sample"]).unwrap().is_empty());
    }
}

#[test]
fn what_is_not_turned_into_a_design_may_be_any_rust() {
    let text =
        "impl Logic for Sample {\n fn update(&mut self) { for i in 0..=3 { assert!(i < LIMIT); } }\n}\n";
    assert!(check("sample.rs", text, &[]).unwrap().is_empty());
}

#[test]
fn source_that_is_not_rust_is_refused_with_file_and_line() {
    let refusal = check("sample.rs", "fn ok() {}\nfn broken( {}\n", &[]).unwrap_err().to_string();
    assert!(refusal.starts_with("sample.rs:2: wanted Rust source"), "{refusal}");
}

#[test]
fn the_gateware_is_free_of_all_of_them() {
    // The back end handles the hand-written text of blocks, and is no block itself.
    let found = check_folder(&gateware(), &["verilog"], HAND_WRITTEN).unwrap();
    let lines: Vec<String> = found.iter().map(Finding::to_string).collect();
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), lines.join("\n"));
}

#[test]
fn every_block_on_the_list_still_has_hand_written_verilog() {
    let found = check_folder(&gateware(), &["verilog"], &[]).unwrap();
    assert!(rust_files(&gateware()).unwrap().len() > 10, "the gateware's folder has moved");
    for block in HAND_WRITTEN {
        let used = found
            .iter()
            .any(|f| f.rule == Rule::HandWrittenVerilog && f.what.ends_with(&format!(" in {block}")));
        assert!(used, "{block} has no hand-written Verilog any more: take it off the list");
    }
}
