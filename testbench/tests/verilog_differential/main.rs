//! The Verilog back end computes what the Rust source computes.
//!
//! More than 2000 expressions and 100 blocks of statements, 10,000 random vectors each, in Rust, in
//! Verilator and in Icarus Verilog.
mod casts;
mod operators;
// The macro of its blocks is used by the next module too.
#[macro_use]
mod statements;
mod hierarchy;

use nicforge_testbench::differential::{Plan, Subject, compare, compare_altered};

const VECTORS: usize = 10_000;
const SEED: u64 = 0x6e69_6366_6f72_6765;

/// Compares a block, and fails with every difference and its seed.
fn agrees<S: Subject>() {
    let report = compare::<S>(Plan { vectors: VECTORS, seed: SEED }).unwrap();
    assert!(report.mismatches.is_empty(), "{report}");
}

/// A test for each block, so that they run side by side and a failure names the block.
macro_rules! agree {
    ($($test:ident: $block:ty;)*) => {$(
        #[test]
        fn $test() {
            agrees::<$block>();
        }
    )*};
}

agree! {
    operators_of_1_bits: operators::Operators1;
    operators_of_2_bits: operators::Operators2;
    operators_of_7_bits: operators::Operators7;
    operators_of_8_bits: operators::Operators8;
    operators_of_9_bits: operators::Operators9;
    operators_of_16_bits: operators::Operators16;
    operators_of_31_bits: operators::Operators31;
    operators_of_32_bits: operators::Operators32;
    operators_of_33_bits: operators::Operators33;
    operators_of_63_bits: operators::Operators63;
    operators_of_64_bits: operators::Operators64;
    operators_of_65_bits: operators::Operators65;
    operators_of_96_bits: operators::Operators96;
    operators_of_128_bits: operators::Operators128;
    operators_of_2_signed_bits: operators::Signed2;
    operators_of_7_signed_bits: operators::Signed7;
    operators_of_8_signed_bits: operators::Signed8;
    operators_of_9_signed_bits: operators::Signed9;
    operators_of_16_signed_bits: operators::Signed16;
    operators_of_31_signed_bits: operators::Signed31;
    operators_of_32_signed_bits: operators::Signed32;
    operators_of_33_signed_bits: operators::Signed33;
    operators_of_63_signed_bits: operators::Signed63;
    operators_of_64_signed_bits: operators::Signed64;
    operators_of_65_signed_bits: operators::Signed65;
    operators_of_96_signed_bits: operators::Signed96;
    operators_of_128_signed_bits: operators::Signed128;
    signed_products: operators::Product;
    casts_from_1_bits: casts::From1;
    casts_from_2_bits: casts::From2;
    casts_from_7_bits: casts::From7;
    casts_from_8_bits: casts::From8;
    casts_from_9_bits: casts::From9;
    casts_from_16_bits: casts::From16;
    casts_from_31_bits: casts::From31;
    casts_from_32_bits: casts::From32;
    casts_from_33_bits: casts::From33;
    casts_from_63_bits: casts::From63;
    casts_from_64_bits: casts::From64;
    casts_from_65_bits: casts::From65;
    casts_from_96_bits: casts::From96;
    casts_from_128_bits: casts::From128;
    fields_of_words: casts::Fields;
    statements_at_3_bits: statements::Statements3;
    statements_at_8_bits: statements::Statements8;
    statements_at_17_bits: statements::Statements17;
    statements_at_33_bits: statements::Statements33;
    statements_at_64_bits: statements::Statements64;
}

/// Breaks one line of a block's Verilog, and expects both simulators to find that output wrong, and
/// no other.
fn finds<S: Subject>(output: &str, line: &str, broken: &str) {
    let alter = |text: String| {
        assert_eq!(text.matches(line).count(), 1, "`{line}` is not there: {text}");
        text.replace(line, broken)
    };
    let report = compare_altered::<S>(Plan { vectors: 1000, seed: SEED }, alter).unwrap();
    for simulator in ["verilator", "icarus"] {
        let mut found = report.mismatches.iter().filter(|m| m.simulator == simulator).peekable();
        assert!(found.peek().is_some(), "{simulator} does not see `{broken}`");
        assert!(found.all(|m| m.output == output), "{report}");
    }
}

#[test]
fn a_carry_that_rust_drops_is_found() {
    finds::<casts::From8>(
        "sum_9",
        "assign sum_9 = {1'b0, a + b} + {1'b0, b + 8'd1};",
        "assign sum_9 = (a + b) + (b + 8'd1);",
    );
}

#[test]
fn a_literal_of_32_bits_under_a_comparison_is_found() {
    finds::<operators::Operators8>(
        "wrapped_eq",
        "assign wrapped_eq = a + 8'd1 == b;",
        "assign wrapped_eq = a + 1 == b;",
    );
}

#[test]
fn an_inversion_wider_than_its_operand_is_found() {
    finds::<operators::Operators8>(
        "add_no_bit",
        "assign add_no_bit = a + {7'd0, !c};",
        "assign add_no_bit = a + ~c;",
    );
}

#[test]
fn a_comparison_without_its_sign_is_found() {
    finds::<operators::Signed8>("lt", "assign lt = $signed(s) < $signed(t);", "assign lt = s < t;");
}

#[test]
fn a_missing_sign_extension_is_found() {
    finds::<casts::From8>("sign_16", "assign sign_16 = {{8{s[7]}}, s};", "assign sign_16 = {8'd0, s};");
}

#[test]
fn an_intermediate_value_read_too_late_is_found() {
    finds::<statements::Statements8>(
        "intermediate",
        "        z = x + 8'd1;\n        if (c) begin\n            x = x ^ b;\n        end\n",
        "        if (c) begin\n            x = x ^ b;\n        end\n        z = x + 8'd1;\n",
    );
}
