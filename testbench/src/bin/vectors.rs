//! Writes the folders of `testbench/vectors` from the recipes in `cases::table`.
//!
//! Folders without a recipe are left alone.
use nicforge_testbench::cases::{self, Error};

fn main() -> Result<(), Error> {
    for case in cases::table::cases() {
        let folder = cases::folder().join(&case.name);
        std::fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
        for (name, octets) in case.files()? {
            let path = folder.join(name);
            std::fs::write(&path, octets).map_err(|cause| Error::File { path: path.clone(), cause })?;
        }
        println!("{}", case.name);
    }
    Ok(())
}
