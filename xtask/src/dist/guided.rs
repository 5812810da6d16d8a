//! Profile-guided builds: the compiler is shown which ways a trained program takes, and lays out its
//! code for them.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::emptied;
use crate::capi::run;
use crate::cargo::{cargo, target_folder};

/// The work that the program is trained with, as arguments of the tool: the engine alone, over sockets,
/// in the simulator beside its TCP, and a laboratory of many short runs.
const TRAINING: [&[&str]; 3] = [
    &["bench", "memory", "simulator", "--rounds", "1"],
    &["bench", "loopback", "--rounds", "1"],
    &[
        "lab",
        "run",
        "scenarios/short-transfers.toml",
        "--seeds",
        "20",
    ],
];

/// Builds the tool for this machine with counters, lets it work, and tells the path of what they
/// counted: a file for the compiler.
/// Errors: the build or the training fails, or Rust's `llvm-tools` are missing.
pub(super) fn train(root: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let folder = target_folder(root).join("guided");
    let counts = emptied(folder.join("counts"))?;
    let merger = merger(root)?;
    let mut build = cargo(root);
    build.args(["build", "--quiet", "--locked", "--profile", "dist"]);
    build.args(["--package", "sheave-cli", "--bin", "sheave", "--target-dir"]);
    build.arg(&folder);
    build.env("CARGO_ENCODED_RUSTFLAGS", flag("generate", &counts));
    run(&mut build)?;
    // Build scripts have counted, too.
    let counts = emptied(counts)?;
    let results = emptied(folder.join("results"))?;
    for work in TRAINING {
        let mut tool = Command::new(folder.join("dist/sheave"));
        tool.current_dir(root).args(work).stdout(Stdio::null());
        if work.contains(&"lab") {
            tool.arg("--out").arg(&results);
        }
        run(&mut tool)?;
    }
    let profile = folder.join("sheave.profdata");
    let mut merge = Command::new(merger);
    run(merge.arg("merge").arg("--output").arg(&profile).arg(counts))?;
    Ok(profile)
}

/// The compiler's flag to use a profile.
pub(super) fn flag_to_use(profile: &Path) -> String {
    flag("use", profile)
}

fn flag(what: &str, path: &Path) -> String {
    format!("-Cprofile-{what}={}", path.display())
}

/// The compiler's own `llvm-profdata`: others do not read its counts.
fn merger(root: &Path) -> Result<PathBuf, Box<dyn Error>> {
    // Where there is no rustup, it may be there all the same.
    let mut rustup = Command::new("rustup");
    let rustup = rustup
        .current_dir(root)
        .args(["component", "add", "llvm-tools"]);
    let _ = rustup.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let mut rustc = Command::new("rustc");
    let rustc = rustc.current_dir(root).args(["--print", "target-libdir"]);
    let libraries = String::from_utf8(rustc.output()?.stdout)?;
    let merger = Path::new(libraries.trim()).with_file_name("bin/llvm-profdata");
    match merger.is_file() {
        true => Ok(merger),
        false => Err("llvm-profdata is missing: rustup component add llvm-tools".into()),
    }
}
