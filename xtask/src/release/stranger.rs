use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::packages::Package;
use crate::capi::run;
use crate::cargo::{cargo, target_folder};

/// Runs a program that depends on the packages in a folder, as somebody without the repository would: in a folder
/// of its own outside of the repository.
pub(super) fn build(
    root: &Path,
    made: &Path,
    packages: &[Package],
    program: &str,
) -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    for package in packages {
        let archive = made.join(format!("{}.crate", package.folder()));
        run(Command::new("tar")
            .arg("-xzf")
            .arg(archive)
            .arg("-C")
            .arg(home.path()))?;
    }
    fs::write(home.path().join("Cargo.toml"), manifest(packages))?;
    fs::create_dir(home.path().join("src"))?;
    fs::write(home.path().join("src/main.rs"), program)?;
    let mut cargo = cargo(root);
    cargo.env("CARGO_TARGET_DIR", target_folder(root).join("stranger"));
    run(cargo.current_dir(home.path()).args(["run", "--quiet"]))
}

/// The manifest of a program that uses `sheave`, with packages in place of the registry's crates.
pub(super) fn manifest(packages: &[Package]) -> String {
    let mut manifest =
        "[package]\nname = \"stranger\"\nedition = \"2024\"\n\n[workspace]\n\n".to_owned();
    for package in packages.iter().filter(|package| package.name == "sheave") {
        // Writing to a string cannot fail.
        let _ = writeln!(
            manifest,
            "[dependencies]\nsheave = \"{}\"\n",
            package.version
        );
    }
    manifest.push_str("[patch.crates-io]\n");
    for package in packages {
        let _ = writeln!(
            manifest,
            "{} = {{ path = \"{}\" }}",
            package.name,
            package.folder()
        );
    }
    manifest
}
