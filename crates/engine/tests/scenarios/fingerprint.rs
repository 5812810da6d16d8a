//! Reproducible runs: the same seed gives the same bytes, in debug and release builds.

use core::fmt::Write as _;

use crate::lossy::Scenario;

/// The fingerprints of a few scenarios as they were when the engine's behaviour last changed.
const STORED: &str = include_str!("fingerprints.txt");

fn fingerprints() -> String {
    let mut lines = String::new();
    for seed in 0..40 {
        let world = Scenario::new(seed).play();
        writeln!(lines, "{seed} {:016x}", world.fingerprint()).unwrap();
    }
    lines
}

#[test]
fn the_same_seed_gives_the_same_run() {
    assert_eq!(fingerprints(), fingerprints());
}

/// Detects changes to network behaviour; `SHEAVE_BLESS=1` stores the new fingerprints, in a commit
/// that explains them.
#[test]
fn the_runs_are_those_that_were_stored() {
    let now = fingerprints();
    if std::env::var_os("SHEAVE_BLESS").is_some() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/scenarios/fingerprints.txt"
        );
        std::fs::write(path, &now).unwrap();
        return;
    }
    assert_eq!(now, STORED, "behaviour changed: see SHEAVE_BLESS");
}
