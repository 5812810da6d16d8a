//! The README says which extensions there are and which tests show them: it must be true.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const README: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"));

/// Names of all functions in the sources below a directory.
fn functions_in(directory: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).expect("it can be read") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            functions_in(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).expect("it is text");
            let tests = source.split("#[test]").skip(1);
            let found = tests.filter_map(|test| test.split_once("fn ")?.1.split('(').next());
            names.extend(found.map(String::from));
        }
    }
}

#[test]
fn every_extension_in_the_readme_has_tests_and_every_test_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut tests = BTreeSet::new();
    functions_in(&root.join("crates"), &mut tests);
    functions_in(&root.join("interop"), &mut tests);
    let (_, table) = README.split_once("### Extensions").expect("a section");
    let rows = table.lines().skip_while(|line| !line.starts_with("| ---"));
    let rows = rows.skip(1).take_while(|line| line.starts_with('|'));
    let mut seen = 0;
    for row in rows {
        let named: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test shows {row}");
        for name in named {
            assert!(tests.contains(name), "{name} is not there");
        }
        seen += 1;
    }
    assert!(seen > 10, "only {seen} rows");
}
