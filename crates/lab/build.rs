//! Names the sources of studies by a hash: finished runs are used again only under the hashes of the code that
//! made them.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

pub(crate) const START: u64 = 0xcbf2_9ce4_8422_2325;

fn main() -> io::Result<()> {
    let mut hash = START;
    for source in ["src/studies", "src/experiment", "src/formula.rs"] {
        println!("cargo::rerun-if-changed={source}");
        hash = with(Path::new(source), hash)?;
    }
    println!("cargo::rustc-env=SHEAVE_SOURCE_HASH={hash:016x}");
    println!("cargo::rustc-env=SHEAVE_LAB_REVISION={}", revision());
    Ok(())
}

/// A hash (FNV-1a), continued with the sources at a path, in the order of their names. Tests,
/// what reads records, texts and what papers print are left out.
pub(crate) fn with(path: &Path, hash: u64) -> io::Result<u64> {
    const READERS: [&str; 10] = [
        "tests",
        "claims",
        "exhibits",
        "places",
        "words",
        "pairs",
        "paper",
        "papers",
        "quantities",
        "rules",
    ];
    let is_reader = |stem: &OsStr| READERS.iter().any(|reader| stem == *reader);
    if path.file_stem().is_some_and(is_reader) {
        return Ok(hash);
    }
    if path.is_file() {
        let step =
            |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        return Ok(fs::read(path)?.into_iter().fold(hash, step));
    }
    let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
    let mut entries: Vec<_> = entries.collect::<io::Result<_>>()?;
    entries.sort();
    entries
        .iter()
        .try_fold(hash, |hash, entry| with(entry, hash))
}

/// The revision of the repository, if this is one.
fn revision() -> String {
    let output = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output();
    output
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(|| "released".to_owned(), |text| text.trim().to_owned())
}
