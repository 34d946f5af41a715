//! What the Verilog says of the Rust source: comments of blocks and ports, and the lines of statements.
use nicforge_hdl::config::Config;
use nicforge_hdl::stream::{Memory, Slice};
use nicforge_hdl::verilog::{Emitted, Module, Options, emit_block};
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn top(name: &str) -> Emitted {
    let path = root().join(format!("configs/{name}.toml"));
    nicforge_hdl::top::emit(&Config::load(&path).unwrap()).unwrap()
}

#[test]
fn every_module_of_a_top_says_what_it_is_and_where_it_comes_from() {
    for name in ["ibob", "udp_core"] {
        for Module { name, text, .. } in top(name).modules {
            let (comment, _) = text.split_once("\nmodule ").unwrap_or_default();
            assert!(comment.contains("// Source: "), "{name}:\n{comment}");
            assert!(comment.lines().count() > 2, "{name}:\n{comment}");
            assert!(comment.lines().all(|line| line.starts_with("//")), "{name}:\n{comment}");
        }
    }
}

#[test]
fn every_port_of_a_top_has_a_comment() {
    for name in ["ibob", "udp_core"] {
        for port in top(name).ports {
            assert!(!port.doc.is_empty(), "{name}: {}", port.name);
        }
    }
}

#[test]
fn a_comment_gives_numbers_for_const_generics() {
    let design = emit_block(&mut Memory::<72, 9>::default(), &Options { top: "memory", header: "" }).unwrap();
    let text = &design.modules[0].text;
    assert!(text.contains("// A memory of 2^9 words of 72 bits."), "{text}");
}

#[test]
fn the_comment_of_an_interface_stands_once_and_belongs_to_each_of_its_ports() {
    let design = emit_block(&mut Slice::<64, 8>::default(), &Options { top: "slice", header: "" }).unwrap();
    assert_eq!(design.modules[0].text.matches("    // Words in.\n").count(), 1);
    let last = design.ports.iter().find(|port| port.name == "sink_last").unwrap();
    assert_eq!(last.doc, "Words in. This word ends the packet.");
}

#[test]
fn comments_of_the_source_stand_above_their_statements() {
    let design = emit_block(&mut Slice::<64, 8>::default(), &Options { top: "slice", header: "" }).unwrap();
    let wanted = "\
    always @(posedge clock) begin
        // The spare place is written whenever it is free: what lands there counts only if the output did
        // not advance.
        if (!spare_valid) begin
";
    assert!(design.modules[0].text.contains(wanted), "{}", design.modules[0].text);
}

#[test]
fn places_are_printed_on_request_only() {
    let plain = top("ibob");
    let placed = plain.clone().with_places();
    for (plain, placed) in plain.modules.iter().zip(&placed.modules) {
        assert!(!plain.text.contains(".rs:"), "{}", plain.name);
        let stripped: Vec<&str> =
            placed.text.lines().map(|l| l.split(" // hdl/src/").next().unwrap()).collect();
        assert_eq!(stripped, plain.text.lines().collect::<Vec<_>>());
    }
    assert!(placed.modules.iter().any(|module| module.text.contains("; // hdl/src/eth/mac_tx.rs:")));
}

/// The name that a statement of Verilog assigns.
fn target(code: &str) -> Option<&str> {
    let code = code.trim().trim_start_matches("assign ");
    let (name, _) = code.split_once(" <= ").or_else(|| code.split_once(" = "))?;
    name.split('[').next()
}

/// Words of a name without numbers: what indices, and numbers against clashes, leave of it.
fn words(name: &str) -> Vec<&str> {
    let word = |part: &&str| !part.is_empty() && part.parse::<usize>().is_err();
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(word).collect()
}

/// The name that a statement of Rust assigns, as words.
fn assigned(code: &str) -> Option<Vec<&str>> {
    let code = code.rsplit("=> ").next()?.trim();
    let (path, _) = code.strip_prefix("self.")?.split_once(".next")?;
    let path = path.strip_suffix(".d").unwrap_or(path);
    let outside = path.split(['[', ']']).step_by(2).flat_map(words);
    Some(outside.collect())
}

/// Reads the source at every place and compares the names on both sides.
#[test]
fn every_place_is_the_statement_that_assigns_the_signal() {
    let mut compared = 0;
    for module in top("ibob").modules {
        let file = root().join(module.places.file);
        let source = if file.is_file() { std::fs::read_to_string(file).unwrap() } else { String::new() };
        let source: Vec<&str> = source.lines().collect();
        for (code, line) in module.text.lines().zip(&module.places.lines) {
            let (Some(line), Some(target)) = (line, target(code)) else { continue };
            let Some(assigned) = assigned(source[line - 1]) else { continue };
            let name = format!("{}: `{code}`, line {line}: `{}`", module.name, source[line - 1]);
            let target = words(target.strip_prefix("the_").unwrap_or(target));
            let next = target.strip_suffix(&["next"]).unwrap_or(&target);
            assert!(assigned.join("_") == target.join("_") || assigned.join("_") == next.join("_"), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared} statements were compared");
}
