//! LiteX's own client finds the registers through `csr.csv`, by name, behind LiteX's own server.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use nicforge_hdl::outputs::csr_csv;
use nicforge_layout::counters::{COUNTERS, Group as Counted};
use nicforge_layout::registers::{self as map, Access, COUNTER_WINDOW, Group, MAP};
use nicforge_testbench::cases;

/// A word that tells its address.
fn word(address: u32) -> u32 {
    0xc0de_0000 | address
}

/// What LiteX says of the file that a configuration gives.
fn read(configuration: &str) -> serde_json::Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("../.venv/bin/python");
    assert!(python.exists(), "{} is missing: run `tools/setup test`", python.display());
    let folder = tempfile::tempdir().unwrap();
    let (csv, words) = (folder.path().join("csr.csv"), folder.path().join("words.json"));
    std::fs::write(&csv, csr_csv(&cases::configuration(configuration).unwrap())).unwrap();
    let table: BTreeMap<u32, u32> = (0..map::SPACE).step_by(4).map(|at| (at, word(at))).collect();
    std::fs::write(&words, serde_json::to_string(&table).unwrap()).unwrap();
    let mut command = Command::new("timeout");
    command.arg("60").arg(python).arg(root.join("peers/litex_registers.py")).args([&csv, &words]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Address and mode of every register that a card has, by LiteX's name.
fn wanted(sampler: bool) -> BTreeMap<String, (u32, &'static str)> {
    let mut wanted = BTreeMap::new();
    for register in MAP.iter().filter(|register| sampler || register.group == Group::Core) {
        let fixed = |access| matches!(access, Access::Constant | Access::ReadOnly);
        let mode = if register.fields.iter().all(|field| fixed(field.access)) { "ro" } else { "rw" };
        wanted.insert(register.name.to_owned(), (register.offset, mode));
    }
    for counter in COUNTERS.iter().filter(|counter| sampler || counter.group != Counted::Sampler) {
        let low = COUNTER_WINDOW + 8 * u32::from(counter.code);
        wanted.insert(format!("counter_{}_low", counter.name), (low, "ro"));
        wanted.insert(format!("counter_{}_high", counter.name), (low + 4, "ro"));
    }
    wanted
}

#[test]
fn litex_reads_every_register_by_name_at_its_address() {
    for (configuration, sampler) in [("ibob", true), ("udp_core", false)] {
        let report = read(configuration);
        assert_eq!(report["base"], 0);
        assert_eq!(report["memories"]["csr"], serde_json::json!([0, map::SPACE, "io"]));
        let found = report["registers"].as_object().unwrap();
        let wanted = wanted(sampler);
        assert_eq!(found.keys().collect::<Vec<_>>().len(), wanted.len(), "{configuration}");
        for (name, (address, mode)) in wanted {
            let expected = serde_json::json!([address, mode, word(address)]);
            assert_eq!(found[&name], expected, "{configuration}: {name}");
        }
    }
}

#[test]
fn litex_writes_a_register_by_name_and_nothing_beside_it() {
    let report = read("ibob");
    assert_eq!(report["written"], 0xdead_beef_u32);
    for (address, found) in report["words"].as_object().unwrap() {
        let address: u32 = address.parse().unwrap();
        let scratch = address == map::scratch::REG.offset;
        assert_eq!(*found, if scratch { 0xdead_beef } else { word(address) }, "{address:#x}");
    }
}

#[test]
fn litex_knows_the_fields_and_the_digest_as_constants() {
    let constants = &read("ibob")["constants"];
    assert_eq!(constants["nicforge_map_digest"], map::digest());
    for register in MAP {
        for field in register.fields {
            let name = format!("csr_{}_{}", register.name, field.name);
            assert_eq!(constants[format!("{name}_offset")], field.lsb, "{name}");
            assert_eq!(constants[format!("{name}_size")], field.width, "{name}");
        }
    }
}
