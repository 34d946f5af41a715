//! The book, the list of dependencies and the repository belong together.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap_or_else(|cause| panic!("{path}: {cause}"))
}

/// Markdown files under a folder, relative to it.
fn pages(folder: &Path, prefix: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            found.extend(pages(&path, &format!("{name}/")));
        } else if name.ends_with(".md") {
            found.insert(name);
        }
    }
    found
}

/// Targets of Markdown links to files, without anchors.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.map(|target| target.split('#').next().unwrap_or_default());
    files.filter(|target| !target.is_empty() && !target.contains("://")).map(str::to_owned).collect()
}

#[test]
fn the_summary_names_every_page_once() {
    let mut found = pages(&repository().join("docs/src"), "");
    assert!(found.remove("SUMMARY.md"));
    let mut named = links(&read("docs/src/SUMMARY.md"));
    named.sort();
    assert_eq!(named, found.into_iter().collect::<Vec<_>>());
}

#[test]
fn every_link_of_the_documents_leads_to_a_file() {
    let mut documents: Vec<String> =
        pages(&repository().join("docs"), "").into_iter().map(|page| format!("docs/{page}")).collect();
    documents.push("README.md".to_owned());
    for document in documents {
        let folder = repository().join(&document);
        for link in links(&read(&document)) {
            let target = folder.parent().unwrap().join(&link);
            assert!(target.exists(), "{document}: link to {link} leads nowhere");
        }
    }
}

#[test]
fn every_dependency_has_a_reason_and_every_reason_a_dependency() {
    let cargo: toml::Table = read("Cargo.toml").parse().unwrap();
    let wanted: BTreeSet<String> = cargo["workspace"]["dependencies"]
        .as_table()
        .unwrap()
        .keys()
        .filter(|name| !name.starts_with("nicforge"))
        .cloned()
        .collect();
    let page = read("docs/dependencies.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let found: BTreeSet<String> = rows.filter_map(|row| row.split('`').next()).map(str::to_owned).collect();
    assert_eq!(found, wanted);
}

#[test]
fn every_dependency_is_used() {
    let cargo: toml::Table = read("Cargo.toml").parse().unwrap();
    let mut unused: BTreeSet<&String> =
        cargo["workspace"]["dependencies"].as_table().unwrap().keys().collect();
    for member in cargo["workspace"]["members"].as_array().unwrap() {
        let member = member.as_str().unwrap();
        let manifest: toml::Table = read(&format!("{member}/Cargo.toml")).parse().unwrap();
        let source = source_of(&repository().join(member));
        for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for name in
                manifest.get(table).and_then(|table| table.as_table()).into_iter().flat_map(|t| t.keys())
            {
                unused.remove(name);
                let ident = name.replace('-', "_");
                let used =
                    ["::", " as ", ";", "!"].iter().any(|end| source.contains(&format!("{ident}{end}")));
                assert!(used, "{member}/Cargo.toml: nothing uses {name}");
            }
        }
    }
    assert!(unused.is_empty(), "Cargo.toml: no crate uses {unused:?}");
}

/// All Rust source of a crate in one text; crates inside its folder are not its own.
fn source_of(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.join("Cargo.toml").exists() && !path.ends_with("target") {
            text += &source_of(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text += &fs::read_to_string(&path).unwrap();
        }
    }
    text
}
