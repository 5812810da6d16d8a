//! Checks the tests named in each row of `docs/hostile.md`.

use std::collections::BTreeSet;
use std::path::Path;

const TABLE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/hostile.md"
));

/// The rows on RFC 9260 and the implemented extensions; the others follow with their extensions.
fn rows() -> impl Iterator<Item = u32> {
    (1..=38).chain(40..=48).chain([50])
}

/// Names of all test functions below a directory.
fn tests_in(directory: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_in(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            let mut lines = source.lines().map(str::trim);
            while let Some(line) = lines.next() {
                if line == "#[test]" {
                    let signature = lines.next().unwrap_or_default();
                    let name = signature.trim_start_matches("fn ").split('(').next();
                    names.extend(name.map(String::from));
                }
            }
        }
    }
}

/// The names between backticks in the row that begins with this id.
fn named_for(row: u32) -> Vec<&'static str> {
    let start = format!("| A{row} |");
    let lines = TABLE.lines().filter(|line| line.starts_with(&start));
    lines
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect()
}

#[test]
fn every_row_has_tests_and_every_test_named_exists() {
    let mut tests = BTreeSet::new();
    tests_in(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")),
        &mut tests,
    );
    for row in rows() {
        let named = named_for(row);
        assert!(!named.is_empty(), "no test for row A{row}");
        for name in named {
            assert!(
                tests.contains(name),
                "row A{row} names a test that is not there: {name}"
            );
        }
    }
}
