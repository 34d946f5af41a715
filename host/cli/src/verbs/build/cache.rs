//! Whether a build would give again what lies in its folder.

use std::path::Path;

use nicforge_hdl::outputs::flow::Step;
use nicforge_hdl::outputs::{MANIFEST, Outputs, sha256};
use serde::Serialize;

use super::report::Built;
use super::tools::Tool;

/// Name of the report in the folder.
pub const REPORT: &str = "report.json";

/// Everything that a result depends on.
#[derive(Serialize)]
struct Inputs<'a> {
    /// Digests of all generated files.
    manifest: &'a str,
    commands: Vec<String>,
    versions: Vec<&'a str>,
}

/// SHA-256 over everything that a result depends on: generated files, commands and versions of the programs.
pub fn inputs(outputs: &Outputs, steps: &[Step], tools: &[Tool]) -> String {
    let inputs = Inputs {
        manifest: &outputs.files()[MANIFEST],
        commands: steps.iter().map(Step::command).collect(),
        versions: tools.iter().map(|tool| tool.version.as_str()).collect(),
    };
    let text = serde_json::to_vec(&inputs).expect("text always has a JSON form");
    sha256(&text)
}

/// The result in a folder, if it was made from these inputs and is whole.
pub fn find(folder: &Path, inputs: &str) -> Option<Built> {
    let text = std::fs::read_to_string(folder.join(REPORT)).ok()?;
    let built: Built = serde_json::from_str(&text).ok()?;
    let whole = built.bitstream.as_ref().is_none_or(|bitstream| {
        std::fs::read(folder.join(&bitstream.file)).is_ok_and(|octets| sha256(&octets) == bitstream.sha256)
    });
    (built.inputs == inputs && whole).then(|| Built { folder: folder.to_owned(), cached: true, ..built })
}

#[cfg(test)]
mod tests {
    use super::super::report::Bitstream;
    use super::super::report::tests::built;
    use super::*;

    fn stored(folder: &Path) -> Built {
        let octets = b"bits";
        std::fs::write(folder.join("b.bit"), octets).unwrap();
        let bitstream = Bitstream { file: "b.bit".to_owned(), octets: 4, sha256: sha256(octets) };
        let built = Built { bitstream: Some(bitstream), ..built(false) };
        std::fs::write(folder.join(REPORT), serde_json::to_string(&built).unwrap()).unwrap();
        built
    }

    #[test]
    fn an_unchanged_result_is_found_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let built = stored(folder.path());
        let found = find(folder.path(), "i").unwrap();
        assert_eq!(found, Built { cached: true, folder: folder.path().to_owned(), ..built });
    }

    #[test]
    fn other_inputs_a_damaged_bitstream_and_a_damaged_report_are_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        stored(folder.path());
        assert_eq!(find(folder.path(), "j"), None);
        std::fs::write(folder.path().join("b.bit"), "bats").unwrap();
        assert_eq!(find(folder.path(), "i"), None);
        std::fs::remove_file(folder.path().join("b.bit")).unwrap();
        assert_eq!(find(folder.path(), "i"), None);
        std::fs::write(folder.path().join(REPORT), "{").unwrap();
        assert_eq!(find(folder.path(), "i"), None);
    }
}
