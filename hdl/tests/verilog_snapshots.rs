//! Whole designs as they are printed, so that a change of style is seen for what it is.
use nicforge_hdl::ip::WordSum;
use nicforge_hdl::stream::{Fifo, Slice};
use nicforge_hdl::verilog::{Options, emit_block};
use rust_hdl::prelude::Block;
use std::path::Path;

/// The file is what the back end prints; `NICFORGE_UPDATE=1` rewrites it.
#[track_caller]
fn is_printed<B: Block>(name: &str, mut block: B) {
    let text = emit_block(&mut block, &Options { top: name, header: "" }).unwrap().verilog();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/{name}.v"));
    if std::env::var_os("NICFORGE_UPDATE").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).position(|(kept, now)| kept != now);
    assert!(
        kept == text,
        "{}, line {}: read what changed, then run NICFORGE_UPDATE=1 cargo test -p nicforge-hdl --test verilog_snapshots",
        file.display(),
        differs.unwrap_or(kept.lines().count()) + 1,
    );
}

#[test]
fn a_register_slice() {
    is_printed("slice", Slice::<64, 8>::default());
}

#[test]
fn a_fifo_with_the_blocks_below_it() {
    is_printed("fifo", Fifo::<64, 8, 9, 10>::default());
}

#[test]
fn a_checksum_stage() {
    is_printed("word_sum", WordSum::default());
}
