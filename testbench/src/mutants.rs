//! Mutants: emitted Verilog with one line broken on purpose, which some test has to notice.
//!
//! `testbench/mutants.toml` lists them. Where the environment variable [`VARIABLE`] names one, every
//! model built for a test is built from the broken Verilog; the product knows nothing of it. A
//! mutant whose line is no longer there, or there twice, is an error and not a mutant.
use crate::cases;
use nicforge_hdl::verilog::Module;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The environment variable that names the mutant to build.
pub const VARIABLE: &str = "NICFORGE_MUTANT";

/// One way to break the gateware, and who notices.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// What is broken.
    pub title: String,
    /// Configuration whose top contains the module: a file of `configs/` without its ending.
    pub config: String,
    /// Module in which the line stands.
    pub module: String,
    /// Text that stands exactly once in the module.
    pub from: String,
    /// Text that takes its place.
    pub to: String,
    /// Test file of the testbench that notices.
    pub file: String,
    /// The test in it.
    pub test: String,
}

/// Why a mutant cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The list cannot be read.
    #[error("testbench/mutants.toml")]
    Read(#[source] std::io::Error),
    /// The list is not in its form.
    #[error("testbench/mutants.toml: {0}")]
    Form(toml::de::Error),
    /// There is no mutant of this name.
    #[error("{VARIABLE}: wanted one of {known}, found \"{name}\"")]
    Unknown {
        /// The name asked for.
        name: String,
        /// Those there are.
        known: String,
    },
    /// The line is not there exactly once.
    #[error("mutant {title}: wanted \"{from}\" once in module {module}, found it {found} times")]
    Pattern {
        /// What the mutant breaks.
        title: String,
        /// The module.
        module: String,
        /// The text looked for.
        from: String,
        /// How often it stands there.
        found: usize,
    },
    /// The module is not part of the design.
    #[error("mutant {title}: no module {module} in {config}")]
    Module {
        /// What the mutant breaks.
        title: String,
        /// The module.
        module: String,
        /// The configuration of the design.
        config: String,
    },
    /// The configuration of the design cannot be read.
    #[error(transparent)]
    Configuration(Box<cases::Error>),
    /// The design does not print.
    #[error(transparent)]
    Print(#[from] nicforge_hdl::verilog::Error),
}

/// Every mutant, by name.
///
/// # Errors
/// If the list cannot be read.
pub fn all() -> Result<BTreeMap<String, Mutant>, Error> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mutants.toml");
    let text = std::fs::read_to_string(path).map_err(Error::Read)?;
    toml::from_str(&text).map_err(Error::Form)
}

impl Mutant {
    /// Breaks a design, if the module is part of it. Says whether it was.
    ///
    /// # Errors
    /// If the module is there but the line is not, or more than once.
    pub fn apply(&self, design: &mut [Module]) -> Result<bool, Error> {
        let Some(module) = design.iter_mut().find(|module| module.name == self.module) else {
            return Ok(false);
        };
        let found = module.text.matches(&self.from).count();
        if found != 1 {
            return Err(Error::Pattern {
                title: self.title.clone(),
                module: self.module.clone(),
                from: self.from.clone(),
                found,
            });
        }
        module.text = module.text.replace(&self.from, &self.to);
        Ok(true)
    }
}

/// Does every mutant find its line in the design that it names? A test that failed because the line
/// is gone would prove nothing.
///
/// # Errors
/// The first that does not, or that names no configuration.
pub fn check(mutants: &BTreeMap<String, Mutant>) -> Result<(), Error> {
    for mutant in mutants.values() {
        let config =
            cases::configuration(&mutant.config).map_err(|cause| Error::Configuration(Box::new(cause)))?;
        let mut design = nicforge_hdl::top::emit_core(&config)?;
        if !mutant.apply(&mut design.modules)? {
            let Mutant { title, module, config, .. } = mutant.clone();
            return Err(Error::Module { title, module, config });
        }
    }
    Ok(())
}

/// Breaks a design as the environment asks for, usually not at all.
///
/// # Errors
/// If the environment names a mutant that does not exist or does not fit the design.
pub fn apply_from_environment(design: &mut [Module]) -> Result<(), Error> {
    let Ok(name) = std::env::var(VARIABLE) else { return Ok(()) };
    let mut mutants = all()?;
    let known = mutants.keys().cloned().collect::<Vec<_>>().join(", ");
    mutants.remove(&name).ok_or(Error::Unknown { name, known })?.apply(design)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicforge_hdl::verilog::Places;

    fn design() -> [Module; 1] {
        let text = "module pad (input a, output b);\n  assign b = a;\nendmodule\n".to_owned();
        [Module { name: "pad".into(), text, places: Places::default() }]
    }

    fn mutant(module: &str, from: &str) -> Mutant {
        let text = |text: &str| text.to_owned();
        Mutant {
            title: text("b lies"),
            config: text("udp_core"),
            module: text(module),
            from: text(from),
            to: text("b = ~a"),
            file: text("vectors"),
            test: text("notices"),
        }
    }

    #[test]
    fn every_mutant_of_the_list_finds_its_line() {
        let mutants = all().unwrap();
        assert!(mutants.len() >= 5, "only {} mutants", mutants.len());
        check(&mutants).unwrap();
    }

    #[test]
    fn a_mutant_changes_its_line_and_nothing_else() {
        let mut design = design();
        assert!(mutant("pad", "b = a").apply(&mut design).unwrap());
        assert_eq!(design[0].text, "module pad (input a, output b);\n  assign b = ~a;\nendmodule\n");
    }

    #[test]
    fn a_design_without_the_module_stays_as_it_is() {
        let mut changed = design();
        assert!(!mutant("fcs", "b = a").apply(&mut changed).unwrap());
        assert_eq!(changed, design());
    }

    #[test]
    fn a_line_that_is_missing_or_ambiguous_is_refused_with_its_count() {
        let count = |from| mutant("pad", from).apply(&mut design()).unwrap_err().to_string();
        assert!(count("b = c").ends_with("found it 0 times"));
        assert!(count("put").ends_with("found it 2 times"));
    }
}
