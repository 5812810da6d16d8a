//! Passes the build profile's name to the crate, which prints it with measurements.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // `target/[machine/]PROFILE/build/sheave-measure-HASH/out`.
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    let folder = Path::new(&out).ancestors().nth(3).and_then(Path::file_name);
    let profile = folder.map_or("unknown".into(), |name| name.to_string_lossy());
    println!("cargo:rustc-env=SHEAVE_MEASURE_PROFILE={profile}");
}
