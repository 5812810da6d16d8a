//! The files of an image `FROM scratch`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Request, emptied, folder, statics};

/// The recipe, in the repository.
const RECIPE: &str = "packaging/Dockerfile";

/// Lays the recipe and the binaries out for `docker build`; their folder.
pub(super) fn context(root: &Path, request: &Request) -> Result<PathBuf, Box<dyn Error>> {
    let context = emptied(folder(root).join("image"))?;
    fs::copy(root.join(RECIPE), context.join("Dockerfile"))?;
    for machine in &request.machines {
        let binary = statics::binary(root, *machine, request.build.profile())?;
        let place = context.join(machine.platform);
        fs::create_dir_all(&place)?;
        fs::copy(binary, place.join("sheave"))?;
    }
    Ok(context)
}
