//! Names the code that decides what a run gives: finished runs are used again only under the same
//! name.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The sources that decide the results of runs.
const SOURCES: [&str; 7] = [
    "../wire/src",
    "../engine/src",
    "../sim/src",
    "../emulate/src",
    "../net/src",
    "src/studies",
    "src/user_scenario",
];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        collect(&root.join(source), &mut files);
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files.iter().filter(|file| decides(within(file, &root))) {
        for byte in fs::read(file).unwrap_or_default() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=SHEAVE_LAB_CODE={hash:016x}");
    println!("cargo::rustc-env=SHEAVE_LAB_REVISION={}", revision(&root));
}

/// A file's place, seen from the crate: folders above it are nobody's business.
fn within<'a>(file: &'a Path, root: &Path) -> &'a Path {
    file.strip_prefix(root).unwrap_or(file)
}

/// Whether a file has a say in what a run gives. Tests have none, and neither has what only reads
/// records, or what the papers print.
fn decides(file: &Path) -> bool {
    const READERS: [&str; 3] = ["tests", "claims", "exhibits"];
    let is_text = file
        .extension()
        .is_some_and(|extension| extension == "toml");
    let mut parts = file.components().map(|part| Path::new(part.as_os_str()));
    let reads = parts.any(|part| {
        let stem = part.file_stem().and_then(|stem| stem.to_str());
        stem.is_some_and(|stem| READERS.contains(&stem))
    });
    !is_text && !reads
}

fn collect(at: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(at).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// The revision of the repository, if this is one.
fn revision(root: &Path) -> String {
    let output = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .current_dir(root)
        .output();
    output
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(|| "released".to_owned(), |text| text.trim().to_owned())
}
