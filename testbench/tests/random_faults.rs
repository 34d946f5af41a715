//! What `check` and the schema of configurations say of random faults and of random sound files.
use nicforge_hdl::config::{Boards, Config, FIELDS, Field, Top, schema};
use nicforge_testbench::{random_config, random_fault};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Faulty configurations: every kind, and 40 at least.
fn seeds() -> std::ops::Range<u64> {
    0..(random_fault::kinds() as u64).max(40)
}

#[test]
fn each_planted_fault_is_reported_alone_and_at_its_line() {
    for seed in seeds() {
        let planted = random_fault::faulty(seed);
        let what = format!("seed {seed}, {}", planted.kind);
        let Err(faults) = Config::parse(&planted.text, "planted.toml") else {
            panic!("{what}: accepted\n{}", planted.text)
        };
        let said: Vec<String> = faults.list().iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 1, "{what}: {said:#?}\n{}", planted.text);
        let fault = &faults.list()[0];
        assert_eq!(
            (fault.field.as_str(), fault.line),
            (planted.field, Some(planted.line)),
            "{what}: {said:?}"
        );
    }
}

/// Whether a configuration gives this field.
fn gives(text: &str, field: &Field) -> bool {
    let header = format!("[{}]\n", field.table);
    let table = if field.table.is_empty() { Some(text) } else { text.split(&header).nth(1) };
    let table = table.map(|table| table.split("\n[").next().unwrap_or_default());
    table.is_some_and(|table| table.lines().any(|line| line.starts_with(&format!("{} = ", field.key))))
}

#[test]
fn eight_random_configurations_have_every_field_every_design_and_every_board() {
    let texts: Vec<String> = (0..8).map(random_config::valid).collect();
    for field in FIELDS {
        assert!(texts.iter().any(|text| gives(text, field)), "{}", field.path());
    }
    let configs: Vec<Config> = texts.iter().map(|text| Config::parse(text, "random").unwrap()).collect();
    for top in Top::ALL {
        assert!(configs.iter().any(|config| config.top == *top), "{top:?}");
    }
    for board in Boards::built_in().names() {
        assert!(configs.iter().any(|config| config.board_name() == board), "{board}");
    }
}

/// What the Python package `jsonschema` finds in these files, by file: the paths of what is wrong.
fn check_schema(folder: &Path, files: &[PathBuf]) -> BTreeMap<PathBuf, Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("../.venv/bin/python");
    assert!(python.exists(), "{} is missing: run `tools/setup test`", python.display());
    let file = folder.join("schema.json");
    std::fs::write(&file, schema(Boards::built_in()).to_string()).unwrap();
    let output =
        Command::new(python).arg(root.join("peers/schema_check.py")).arg(file).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line = |line: &str| {
        let report: serde_json::Value = serde_json::from_str(line).unwrap();
        let paths = report["faults"].as_array().unwrap().iter();
        let paths = paths.map(|path| path.as_str().unwrap().to_owned()).collect();
        (PathBuf::from(report["file"].as_str().unwrap()), paths)
    };
    String::from_utf8(output.stdout).unwrap().lines().map(line).collect()
}

#[test]
fn the_schema_accepts_what_is_sound_and_refuses_what_is_planted_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: String, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut sound: Vec<PathBuf> = configs.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(sound.len() >= 4, "{sound:?}");
    sound.extend((0..40).map(|seed| write(format!("sound{seed}.toml"), &random_config::valid(seed))));
    let faulty: BTreeMap<PathBuf, random_fault::Planted> = seeds()
        .map(|seed| (seed, random_fault::faulty(seed)))
        .map(|(seed, planted)| (write(format!("faulty{seed}.toml"), &planted.text), planted))
        .collect();
    let files: Vec<PathBuf> = sound.iter().chain(faulty.keys()).cloned().collect();
    let found = check_schema(folder.path(), &files);
    for file in &sound {
        assert_eq!(found[file], [""; 0], "{}", file.display());
    }
    let table = |path: &str| path.rsplit_once('.').map_or("", |(table, _)| table).to_owned();
    for (file, planted) in &faulty {
        // A key that is not allowed is reported at its table.
        let places = [planted.field.to_owned(), table(planted.field)];
        let hit = found[file].iter().any(|path| places.contains(path));
        assert_eq!(hit, planted.breaks_schema, "{}: {:?}\n{}", planted.kind, found[file], planted.text);
    }
}
