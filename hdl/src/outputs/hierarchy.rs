//! Which modules a printed module contains.

use crate::verilog::Emitted;

/// Modules and names of the instances in a module's text: the back end prints `module name (` on a line.
pub(super) fn instances<'t>(text: &'t str, design: &Emitted) -> Vec<(&'t str, &'t str)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if let (Some(module), Some(name), Some("("), None) =
            (words.next(), words.next(), words.next(), words.next())
            && design.modules.iter().any(|other| other.name == module)
        {
            found.push((module, name));
        }
    }
    found
}

/// The module of an instance, by the names of the instances from `module` down to it, with `/` between. The
/// back end puts a word in front of names that a language reserves, or that a signal has.
pub(super) fn module_at<'d>(design: &'d Emitted, module: &str, path: &str) -> Option<&'d str> {
    let mut here = design.modules.iter().find(|other| other.name == module)?;
    for step in path.split('/').filter(|step| !step.is_empty()) {
        let mut below = instances(&here.text, design).into_iter();
        let printed = |name: &str| {
            name == step || ["the_", "u_"].iter().any(|more| name.strip_prefix(more) == Some(step))
        };
        let found = below.find(|(_, instance)| printed(instance))?;
        here = design.modules.iter().find(|other| other.name == found.0)?;
    }
    Some(&here.name)
}
