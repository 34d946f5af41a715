//! Tools that read a generated design and must have nothing to say of it.
use nicforge_hdl::config::Config;
use nicforge_hdl::outputs::Outputs;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A generated design in a folder that goes with it.
pub struct Generated {
    place: TempDir,
    top: String,
    context: String,
}

impl Generated {
    /// Generates all files of a configuration; `context` says in messages which it is.
    ///
    /// # Panics
    /// If the design does not print or cannot be written.
    pub fn new(config: &Config, context: &str) -> Self {
        let design = nicforge_hdl::top::emit(config)
            .unwrap_or_else(|cause| panic!("{context} does not print: {cause}"));
        let place = tempfile::tempdir().expect("a folder for temporary files can be made");
        let outputs = Outputs::new(config, &design)
            .unwrap_or_else(|cause| panic!("{context} does not fit its board: {cause}"));
        let written = outputs.write(&place.path().join("out"));
        written.unwrap_or_else(|cause| panic!("{context} is not written: {cause}"));
        Self { place, top: design.top, context: context.into() }
    }

    /// All of Verilator's lint.
    ///
    /// # Panics
    /// If it says anything.
    pub fn verilator(&self) {
        self.run_silently("verilator", &["--lint-only", "-Wall", "--top-module"]);
    }

    /// Icarus with all of its warnings.
    ///
    /// # Panics
    /// If it says anything.
    pub fn icarus(&self) {
        self.run_silently("iverilog", &["-g2005", "-Wall", "-o", "checked", "-s"]);
    }

    /// Runs a tool on the list of files, the top behind the options; it must succeed and say nothing.
    fn run_silently(&self, tool: &str, options: &[&str]) {
        let list = format!("{}.f", self.top);
        let output = Command::new(tool)
            .args(options)
            .args([&self.top, "-f", &list])
            .current_dir(self.place.path().join("out"))
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|cause| panic!("{tool}: {cause}; `nicforge doctor` tells how to get it"));
        let said = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
        assert!(
            output.status.success() && said.trim().is_empty(),
            "{}: {tool} {options:?}: {}\n{said}",
            self.context,
            output.status
        );
    }
}
