//! The functions that the library has.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use sheave_interop::skip;

use crate::installed::{library, run};

fn exported(library: &Path) -> BTreeSet<String> {
    let mut nm = Command::new("nm");
    let output = run(nm.args(["-D", "--defined-only"]).arg(library));
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_function_of_usrsctp_is_there_and_nothing_else() {
    let theirs = ["x86_64", "aarch64"]
        .map(|machine| format!("/usr/lib/{machine}-linux-gnu/libusrsctp.so.2"));
    let Some(theirs) = theirs.iter().find(|path| Path::new(path).exists()) else {
        return skip("no libusrsctp.so.2 of usrsctp's (Debian: libusrsctp2)");
    };
    if Command::new("nm").arg("--version").output().is_err() {
        return skip("no nm");
    }
    let ours = exported(&library().join("libusrsctp.so.2"));
    let missing: Vec<String> = exported(Path::new(theirs))
        .into_iter()
        .filter(|name| name.starts_with("usrsctp_") && !ours.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let foreign: Vec<&String> = ours
        .iter()
        .filter(|name| !name.starts_with("usrsctp_"))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}
