//! Every case of `testbench/vectors` on the simulated board.
use nicforge_testbench::bench::Design;
use nicforge_testbench::cases::{self, Case, Finding, Line, Variant};
use std::collections::{BTreeMap, BTreeSet};

/// The boards that the cases name, on 10 or on 1 GbE, each compiled once.
fn designs(cases: &[Case], gigabit: bool) -> BTreeMap<String, Design> {
    let names: BTreeSet<&String> = cases.iter().map(|case| &case.config).collect();
    let design = |name: &String| {
        let config = cases::configuration(name).unwrap();
        Design::top(&if gigabit { cases::gigabit(&config).unwrap() } else { config }).unwrap()
    };
    names.into_iter().map(|name| (name.clone(), design(name))).collect()
}

fn is_gigabit(variant: &Variant) -> bool {
    matches!(variant.line, Line::Gmii { .. })
}

/// What differs, as a report; nothing if all is as wanted.
fn difference(case: &Case, variant: Variant, found: &Finding) -> Option<String> {
    let wanted = case.wanted(variant.line);
    let mut parts = Vec::new();
    if found.replies != wanted.replies {
        parts.push(format!(
            "  replies: wanted {:02x?}\n             found {:02x?}",
            wanted.replies, found.replies
        ));
    }
    if found.delivered != wanted.delivered {
        parts.push(format!(
            "  delivered: wanted {:02x?}\n             found {:02x?}",
            wanted.delivered, found.delivered
        ));
    }
    if found.counters != wanted.counters {
        parts.push(format!(
            "  counters: wanted {:?}\n             found {:?}",
            wanted.counters, found.counters
        ));
    }
    if !found.violations.is_empty() {
        parts.push(format!("  violations: {:?}", found.violations));
    }
    (!parts.is_empty()).then(|| format!("{} {variant:?}\n{}\n", case.name, parts.join("\n")))
}

/// Plays all variants of all cases on one line, with or without stalls, and reports all that differ at once.
fn play_all(gigabit: bool, stalled: bool) {
    let cases = cases::all().unwrap();
    let designs = designs(&cases, gigabit);
    let choose = |variant: &Variant| is_gigabit(variant) == gigabit && variant.seed.is_some() == stalled;
    let mut played = 0;
    let mut faults = Vec::new();
    for case in &cases {
        for variant in case.variants().into_iter().filter(|variant| choose(variant)) {
            let board = designs[&case.config].board().unwrap();
            let found = cases::play(case, board, variant).unwrap();
            faults.extend(difference(case, variant, &found));
            played += 1;
        }
    }
    // A few cases are of one line only.
    assert!(played >= 3 * cases.len() / 2, "only {played} runs of {} cases", cases.len());
    assert!(faults.is_empty(), "{} of {played} runs differ:\n{}", faults.len(), faults.concat());
}

#[test]
fn every_case_comes_out_of_the_board_as_written() {
    play_all(false, false);
}

#[test]
fn pauses_and_stalls_change_no_case() {
    play_all(false, true);
}

#[test]
fn every_case_comes_out_of_the_board_on_1_gbe_as_written() {
    play_all(true, false);
}

#[test]
fn pauses_and_stalls_change_no_case_on_1_gbe() {
    play_all(true, true);
}
