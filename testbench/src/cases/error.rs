//! What can be wrong with a case, or with playing it.
use std::path::PathBuf;

/// A case that cannot be read, written or played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder that cannot be read or written.
    #[error("{}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// A `case.toml` that is not one.
    #[error("{}: {cause}", path.display())]
    Toml {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: toml::de::Error,
    },
    /// A value of `case.toml` in the wrong form.
    #[error("{}: {field}: wanted {wanted}, found \"{found}\"", path.display())]
    Value {
        /// Which file.
        path: PathBuf,
        /// Which field.
        field: &'static str,
        /// The right form.
        wanted: &'static str,
        /// What stands there.
        found: String,
    },
    /// A configuration that cannot be read or has faults.
    #[error("{}: {faults:?}", path.display())]
    Configuration {
        /// Which file.
        path: PathBuf,
        /// All of them.
        faults: Box<nicforge_hdl::config::Faults>,
    },
    /// The simulated board or a capture failed.
    #[error(transparent)]
    Simulation(#[from] nicforge_sim::Error),
    /// The design cannot be built.
    #[error(transparent)]
    Design(#[from] crate::bench::Error),
}
