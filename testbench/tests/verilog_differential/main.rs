//! The Verilog back end computes what the Rust source computes.
//!
//! More than 2000 expressions and 100 blocks of statements, 10,000 random vectors each, in Rust, in
//! Verilator and in Icarus Verilog.
mod casts;
mod operators;
mod statements;

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

#[test]
fn show() {
    for (n, f) in [("f", compare_altered::<casts::From8> as fn(Plan, fn(String)->String) -> _), ("s", compare_altered::<statements::Statements8>), ("o", compare_altered::<operators::Operators9>)] {
        let r = f(Plan{vectors: 1, seed: 1}, |t| t);
        std::fs::write(format!("/tmp/w/show_{n}.v"), r.unwrap().verilog).unwrap();
    }
}
