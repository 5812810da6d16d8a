//! Builds the library of `preload/`, which the crate carries as bytes: without the standard library
//! and without a C library, so that one file serves programs on any.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=preload");
    println!("cargo::rustc-check-cfg=cfg(freestanding)");
    let variable = |name: &str| env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}"));
    let target = variable("TARGET");
    let built = PathBuf::from(variable("OUT_DIR")).join("preload.so");
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    let mut rustc = Command::new(variable("RUSTC"));
    rustc
        .args(["preload/lib.rs", "--crate-name", "preload"])
        .args(["--crate-type", "cdylib", "--edition", "2024"])
        .args(["--cfg", "freestanding", "--cap-lints", "allow"])
        .args(["-C", "panic=abort", "-C", "force-unwind-tables=yes"])
        // One unit, in which a symbol that is declared weak is weak.
        .args(["-C", "opt-level=2", "-C", "codegen-units=1"])
        .args(["-C", "linker=rust-lld", "-C", "linker-flavor=ld.lld"])
        .args(["-C", "link-self-contained=no", "-C", "strip=symbols"])
        .args(["-C", "target-feature=-crt-static"])
        .arg("--target")
        .arg(&target)
        .arg("-o")
        .arg(&built);
    let done = is_linux && rustc.status().is_ok_and(|status| status.success());
    if !done {
        if is_linux {
            println!("cargo::warning=the library for `sheave run --door preload` was not built");
        }
        fs::write(&built, []).expect("the build's folder can be written to");
    }
}
