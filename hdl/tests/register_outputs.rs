//! The register map in the forms that others read, read by others where there is somebody.
use nicforge_hdl::outputs::registers;
use nicforge_layout::counters::COUNTERS;
use nicforge_layout::registers::{COUNTER_WINDOW, MAP, digest};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[test]
fn the_manual_page_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/registers.md");
    if std::env::var_os("NICFORGE_UPDATE").is_some() {
        std::fs::write(&file, registers::markdown()).unwrap();
    }
    assert!(
        std::fs::read_to_string(&file).unwrap() == registers::markdown(),
        "docs/src/registers.md is out of date: run NICFORGE_UPDATE=1 cargo test -p nicforge-hdl --test register_outputs"
    );
}

#[test]
fn the_manual_page_names_every_register_field_and_counter() {
    let page = registers::markdown();
    for register in MAP {
        let chapter = page.split(&format!("### `{}`\n", register.name)).nth(1);
        let chapter = chapter.and_then(|rest| rest.split("\n#").next()).unwrap_or_default();
        for field in register.fields {
            assert!(chapter.contains(&format!("| `{}` |", field.name)), "{}.{}", register.name, field.name);
        }
    }
    for counter in COUNTERS {
        assert!(page.contains(&format!("| `{}` | {} |", counter.name, counter.doc)), "{}", counter.name);
    }
}

/// Every name and value that the header must define.
fn macros() -> Vec<(String, u32)> {
    let mut wanted = vec![("NICFORGE_DIGEST".to_string(), digest())];
    for register in MAP {
        let name = format!("NICFORGE_{}", register.name.to_uppercase());
        wanted.push((format!("{name}_OFFSET"), register.offset));
        for field in register.fields {
            let name = format!("{name}_{}", field.name.to_uppercase());
            wanted.push((format!("{name}_LSB"), field.lsb));
            wanted.push((format!("{name}_WIDTH"), field.width));
            wanted.push((format!("{name}_MASK"), field.mask()));
            wanted.push((format!("{name}_RESET"), field.reset));
        }
    }
    for counter in COUNTERS {
        let name = format!("NICFORGE_COUNTER_{}_OFFSET", counter.name.to_uppercase());
        wanted.push((name, COUNTER_WINDOW + 8 * u32::from(counter.code)));
    }
    wanted
}

#[test]
fn a_c_compiler_reads_every_value_from_the_header() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("registers.h"), registers::c_header()).unwrap();
    // An array of negative size is an error in every version of both languages.
    let checks: String = macros()
        .into_iter()
        .enumerate()
        .map(|(n, (name, value))| format!("typedef char check_{n}[{name} == {value}UL ? 1 : -1];\n"))
        .collect();
    let twice = "#include \"registers.h\"\n#include \"registers.h\"\n";
    for (language, standard) in [("c", "-std=c90"), ("c++", "-std=c++11")] {
        let compile = |text: &str| {
            let source = folder.path().join("check.src");
            std::fs::write(&source, text).unwrap();
            let flags = ["-x", language, standard, "-Wall", "-Wextra", "-pedantic-errors", "-fsyntax-only"];
            Command::new("g++").args(flags).arg(&source).output().unwrap()
        };
        let output = compile(&format!("{twice}{checks}"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.is_empty(), "{language}: {said}");
        let wrong = compile(&format!("{twice}typedef char wrong[NICFORGE_DIGEST == 1UL ? 1 : -1];\n"));
        assert!(!wrong.status.success(), "{language}: a wrong value was not noticed");
    }
}

#[test]
fn the_header_defines_no_name_twice() {
    let header = registers::c_header();
    let names: Vec<_> = header.lines().filter_map(|line| line.strip_prefix("#define ")).collect();
    let names: Vec<_> = names.iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len());
    assert_eq!(names.len(), macros().len() + 1, "the values and the guard");
}

#[test]
fn the_json_says_what_the_tables_say() {
    let json: serde_json::Value = serde_json::from_str(&registers::json()).unwrap();
    assert_eq!(json["map_digest"], digest());
    assert_eq!(json["registers"].as_array().unwrap().len(), MAP.len());
    for (found, register) in json["registers"].as_array().unwrap().iter().zip(MAP) {
        assert_eq!((&found["name"], &found["offset"]), (&register.name.into(), &register.offset.into()));
        assert_eq!(found["fields"].as_array().unwrap().len(), register.fields.len());
        for (found, field) in found["fields"].as_array().unwrap().iter().zip(register.fields) {
            let numbers = ["lsb", "width", "reset"].map(|key| found[key].as_u64().unwrap() as u32);
            assert_eq!(
                (&found["name"], numbers),
                (&field.name.into(), [field.lsb, field.width, field.reset])
            );
        }
    }
    let counters = json["counters"].as_array().unwrap();
    let names: Vec<_> = counters.iter().map(|counter| counter["name"].as_str().unwrap()).collect();
    assert_eq!(names, COUNTERS.iter().map(|counter| counter.name).collect::<Vec<_>>());
}

#[test]
fn an_svd_reader_finds_every_register_field_and_counter() {
    let device = svd_parser::parse(&registers::svd()).unwrap();
    assert_eq!((device.name.as_str(), device.peripherals.len()), ("nicforge", 1));
    let found: Vec<_> = device.peripherals[0].registers().collect();
    assert_eq!(found.len(), MAP.len() + COUNTERS.len());
    for (found, register) in found.iter().zip(MAP) {
        assert_eq!((found.name.as_str(), found.address_offset), (register.name, register.offset));
        assert_eq!(found.properties.reset_value, Some(register.reset().into()));
        let fields: Vec<_> =
            found.fields().map(|f| (f.name.clone(), f.bit_offset(), f.bit_width())).collect();
        let wanted = register.fields.iter().map(|f| (f.name.to_string(), f.lsb, f.width));
        assert_eq!(fields, wanted.collect::<Vec<_>>(), "{}", register.name);
    }
    for (found, counter) in found[MAP.len()..].iter().zip(COUNTERS) {
        assert_eq!(found.name, format!("counter_{}", counter.name));
        assert_eq!(found.properties.size, Some(64));
        assert_eq!(found.address_offset, COUNTER_WINDOW + 8 * u32::from(counter.code));
    }
}
