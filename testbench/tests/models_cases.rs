//! The reference model is held to every case, and the cases to their recipes.
use nicforge_layout::counters::{self, Group};
use nicforge_testbench::cases::{self, Case};

#[test]
fn every_case_comes_out_of_the_reference_model_as_written() {
    let cases = cases::all().unwrap();
    assert!(cases.len() >= 50, "only {} cases found", cases.len());
    for case in &cases {
        let config = cases::configuration(&case.config).unwrap();
        for variant in case.variants() {
            let wanted = case.wanted(variant.line);
            assert_eq!(cases::model(case, &config, variant), wanted, "{} {variant:?}", case.name);
        }
    }
}

#[test]
fn the_cases_move_every_counter_of_mac_and_network() {
    let cases = cases::all().unwrap();
    let judged =
        counters::COUNTERS.iter().filter(|counter| [Group::Mac, Group::Network].contains(&counter.group));
    let unmoved = judged.filter(|counter| !cases.iter().any(|case| case.counters.contains_key(counter.name)));
    // No frame can do that: it takes a core clock too slow for the line, which the tests of `gmii_rx` have.
    let beyond_cases = [counters::RX_OVERRUN.name];
    assert_eq!(unmoved.map(|counter| counter.name).collect::<Vec<_>>(), beyond_cases);
}

#[test]
fn the_folders_are_what_the_recipes_write() {
    for case in cases::table::cases() {
        let folder = cases::folder().join(&case.name);
        for (name, octets) in case.files().unwrap() {
            let path = folder.join(name);
            let found = std::fs::read(&path).unwrap();
            assert!(found == octets, "{} is not current: run the program `vectors`", path.display());
        }
        assert_eq!(Case::load(&folder).unwrap(), case);
    }
}

/// A folder with a case, and its `case.toml` changed.
fn load_changed(from: &str, to: &str) -> String {
    let case = cases::table::cases().into_iter().find(|case| case.name == "X37_delimiter").unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, octets) in case.files().unwrap() {
        std::fs::write(folder.path().join(name), octets).unwrap();
    }
    let path = folder.path().join("case.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    std::fs::write(&path, text.replace(from, to)).unwrap();
    Case::load(folder.path()).unwrap_err().to_string()
}

#[test]
fn a_case_that_is_wrong_is_refused_with_its_field() {
    for (from, to, wanted) in [
        ("rx_frames =", "rx_fames =", "found \"rx_fames\""),
        ("start_lanes = [0, 4]", "start_lanes = [0, 3]", "wanted 0 or 4, found \"3\""),
        ("0001", "00x1", "delivered: wanted pairs of hex digits"),
        ("07fd ff", "07fd", "xgmii: wanted 16 hex digits"),
        ("gap =", "gape =", "gape"),
    ] {
        let error = load_changed(from, to);
        assert!(error.contains(wanted), "{error}");
    }
}
