//! The Verilog back end computes what the Rust source computes.
mod operators;

use nicforge_testbench::differential::{Plan, Subject, compare};

const VECTORS: usize = 10_000;
const SEED: u64 = 0x6e69_6366_6f72_6765;

/// Compares a block, and fails with every difference and its seed.
fn agrees<S: Subject>() {
    let t = std::time::Instant::now();
    let report = compare::<S>(Plan { vectors: VECTORS, seed: SEED }).unwrap();
    println!("{} {:?}", S::NAME, t.elapsed());
    assert!(report.mismatches.is_empty(), "{report}");
}

/// One test for each block, so that they run side by side and a failure names the block.
macro_rules! agree {
    ($($test:ident: $($block:ident)*;)*) => {$(
        #[test]
        fn $test() {
            $(agrees::<operators::$block>();)*
        }
    )*};
}

agree! {
    operators_1: Operators1 ;
    operators_8: Operators8 ;
    operators_32: Operators32 ;
    operators_33: Operators33;
    operators_128: Operators128;
    operators_16: Signed16 Signed96 Product;
}
