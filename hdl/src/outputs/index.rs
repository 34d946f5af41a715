//! What each generated file is for: the folder's `README.md`, and what `generate` reports.

use std::collections::BTreeMap;

use super::scripts::BUILD;

/// What a file is for, by its path within the folder.
pub fn purpose(path: &str) -> &'static str {
    let ending = path.rsplit('.').next().unwrap_or_default();
    let folder = path.split('/').next().unwrap_or_default();
    match (folder, ending) {
        ("rtl", _) => "Verilog-2005, one module a file",
        ("primitives", _) => "declarations of the part's primitives, for linters and simulators",
        ("formal", _) => "properties of a module, for a proof with FORMAL defined",
        ("constraints", "sdc") => "clocks and passages between them, in SDC",
        ("constraints", "lpf") => "pins and clocks for nextpnr-ecp5",
        ("constraints", "xdc") => "pins, clocks and passages between them for Vivado",
        ("constraints", "ucf") => "pins, clocks and passages between them for ISE",
        ("scripts", "tcl") => "Vivado from sources to the end, `vivado -mode batch -source`",
        ("scripts", "sh") => "ISE from sources to the end",
        ("scripts", "scr" | "prj") => "what ISE's synthesis reads for scripts/ise.sh",
        ("scripts", _) => "yosys, nextpnr-ecp5 and ecppack, `make -C scripts`",
        ("registers", "md") => "registers and counters, for people",
        ("registers", "h") => "registers and counters for C and C++",
        ("registers", "json") => "registers and counters for scripts",
        ("registers", "svd") => "registers and counters in CMSIS-SVD, for debuggers and code generators",
        ("registers", "csv") => "registers and counters as LiteX exports them, for its RemoteClient",
        ("diagram.svg", _) => "blocks, streams, rates and addresses of this configuration",
        ("timing.svg", _) => "what happens at the ports, clock by clock",
        ("configuration.toml", _) => "every field as it was used; generates the same bytes again",
        ("manifest.json", _) => "versions, digests, ports, and the SHA-256 of every other file",
        ("README.md", _) => "this list",
        (_, "f") => "the Verilog files, children first, for -f of simulators and synthesis",
        (_, "v") => "an instance to copy into a module of your own",
        _ => "",
    }
}

/// A line of the index: a file, or all of a folder that are for the same.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Row {
    /// Path within the folder, or a pattern.
    pub path: String,
    /// How many files it stands for.
    pub files: usize,
    /// What for.
    pub purpose: &'static str,
}

/// The index of these paths: Verilog modules and primitives in one line each.
pub fn rows<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for path in paths {
        let many = ["rtl/", "primitives/", "formal/"].into_iter().find(|folder| path.starts_with(folder));
        let path = many.map_or_else(|| path.to_owned(), |folder| format!("{folder}*"));
        match rows.iter_mut().find(|row| row.path == path) {
            Some(row) => row.files += 1,
            None => rows.push(Row { purpose: purpose(&path), path, files: 1 }),
        }
    }
    rows
}

/// The folder's `README.md`: a line a file, one for all modules.
pub(super) fn readme(top: &str, header: &str, files: &BTreeMap<String, String>) -> String {
    let mut text = format!("# {top}\n\n{}\n\n| file | what for |\n| --- | --- |\n", header);
    for row in rows(files.keys().map(String::as_str).chain(["README.md", super::MANIFEST])) {
        text += &format!("| `{}` | {} |\n", row.path, row.purpose);
    }
    text + &format!(
        "\nPaths in all files are relative to this folder. What the scripts make goes to `{BUILD}/`, which generating again leaves\n\
         alone; every other file here is replaced.\n"
    )
}
