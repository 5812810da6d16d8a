//! Names the crate's sources by a hash: `sheave-lab` keeps results under the hashes of the code that made them. The
//! condition `linux` holds for Android, too, which has the same kernel.

use std::path::Path;
use std::{env, fs, io};

const START: u64 = 0xcbf2_9ce4_8422_2325;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rustc-check-cfg=cfg(linux)");
    let system = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if matches!(&*system, "linux" | "android") {
        println!("cargo::rustc-cfg=linux");
    }
    let hash = with(Path::new("src"), START)?;
    println!("cargo::rustc-env=SHEAVE_SOURCE_HASH={hash:016x}");
    Ok(())
}

/// A hash (FNV-1a), continued with the sources at a path, in the order of their names. Tests are left out.
fn with(path: &Path, hash: u64) -> io::Result<u64> {
    if path.file_stem().is_some_and(|stem| stem == "tests") {
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
