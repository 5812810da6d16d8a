//! Cargo, called by a command that cargo itself may have started.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo in the repository, without what the cargo that started this command says of its package:
/// some build scripts take that for news, and all that depends on them is built once more, each time.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    for (name, _) in env::vars_os() {
        if is_of_a_package(&name) {
            cargo.env_remove(name);
        }
    }
    cargo
}

fn is_of_a_package(name: &OsStr) -> bool {
    const PREFIXES: [&str; 5] = [
        "CARGO_PKG_",
        "CARGO_MANIFEST_",
        "CARGO_CRATE_",
        "CARGO_BIN_",
        "CARGO_PRIMARY_",
    ];
    let name = name.to_string_lossy();
    name == "OUT_DIR" || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The folder of what cargo builds.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

#[test]
fn settings_stay_and_words_of_a_package_go() {
    let goes = |name: &str| is_of_a_package(OsStr::new(name));
    assert!(goes("CARGO_PKG_NAME") && goes("CARGO_MANIFEST_DIR") && goes("OUT_DIR"));
    assert!(!goes("CARGO_TARGET_DIR") && !goes("CARGO_PROFILE_DEV_DEBUG") && !goes("CARGO"));
}
