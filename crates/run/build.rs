//! Builds the library of `preload/`, which the crate embeds, without the standard library or a C
//! library, so that one file works with any C library.
//!
//! The build fails if the library cannot be built, unless `SHEAVE_WITHOUT_PRELOAD` is set.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Linkers in the order of attempts, with their flavors: the toolchain's, LLVM's, and the machine's
/// own, which links only for this machine.
const LINKERS: [(&str, &str); 3] = [("rust-lld", "ld.lld"), ("ld.lld", "ld.lld"), ("ld", "ld")];
/// The environment variable that allows a build without the library.
const WAIVER: &str = "SHEAVE_WITHOUT_PRELOAD";

fn main() {
    println!("cargo::rerun-if-changed=preload");
    println!("cargo::rerun-if-env-changed={WAIVER}");
    println!("cargo::rustc-check-cfg=cfg(freestanding)");
    let built = PathBuf::from(variable("OUT_DIR")).join("preload.so");
    // Other targets have no `sheave run`.
    if !runs_programs() {
        return without(&built);
    }
    if LINKERS
        .iter()
        .any(|(linker, flavor)| is_built(linker, flavor, &built))
    {
        return;
    }
    if env::var_os(WAIVER).is_some() {
        println!("cargo::warning=built without the library for `sheave run --door preload`");
        return without(&built);
    }
    println!(
        "cargo::error=the library for `sheave run --door preload` cannot be linked: none of {} works for {}. \
         Install LLVM's lld, or set {WAIVER}=1 for a tool without that door",
        LINKERS.map(|(linker, _)| linker).join(", "),
        variable("TARGET").display()
    );
}

/// Whether the target supports `sheave run`.
fn runs_programs() -> bool {
    let is = |name: &str, known: &[&str]| {
        env::var(name).is_ok_and(|value| known.contains(&value.as_str()))
    };
    is("CARGO_CFG_TARGET_OS", &["linux"]) && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
}

fn is_built(linker: &str, flavor: &str, built: &Path) -> bool {
    let mut rustc = Command::new(variable("RUSTC"));
    rustc
        .args(["preload/lib.rs", "--crate-name", "preload"])
        .args(["--crate-type", "cdylib", "--edition", "2024"])
        .args(["--cfg", "freestanding", "--cap-lints", "allow"])
        .args(["-C", "panic=abort", "-C", "force-unwind-tables=yes"])
        // A single codegen unit keeps symbols declared weak as weak.
        .args(["-C", "opt-level=2", "-C", "codegen-units=1"])
        .args(["-C", &format!("linker={linker}")])
        .args(["-C", &format!("linker-flavor={flavor}")])
        .args(["-C", "link-self-contained=no", "-C", "strip=symbols"])
        .args(["-C", "target-feature=-crt-static"])
        .arg("--target")
        .arg(variable("TARGET"))
        .arg("-o")
        .arg(built);
    rustc.status().is_ok_and(|status| status.success())
}

/// Embeds an empty library.
fn without(built: &Path) {
    fs::write(built, []).expect("the build's folder can be written to");
}

fn variable(name: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}"))
}
