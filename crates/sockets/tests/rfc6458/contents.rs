//! Checks the table in `docs/sockets.md`: each section of RFC 6458 has a row, and each row has
//! tests or a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The number of a section.
type Section = Vec<u32>;

/// The last subsection of each section from §3 to §9, by the RFC's table of contents.
const CONTENTS: &str = "3.1:6 3.2:0 3.3:0 4.1:9 5.1:0 5.2:3 5.3:10 6.1:11 6.2:2 7:5 8.1:32 8.2:6 8.3:5 \
    9.1:0 9.2:0 9.3:0 9.4:0 9.5:0 9.6:0 9.7:0 9.8:0 9.9:4";

/// A row of the table: its test files, or why it has no tests.
#[derive(Debug)]
enum Row {
    Tests(Vec<String>),
    Reason,
}

fn number(text: &str) -> Section {
    text.split('.').map(|part| part.parse().unwrap()).collect()
}

fn sections() -> BTreeSet<Section> {
    let mut all = BTreeSet::new();
    for entry in CONTENTS.split(' ') {
        let (above, count) = entry.split_once(':').unwrap();
        let (above, count) = (number(above), count.parse().unwrap());
        match above[..] {
            // §9.9 to §9.13.
            [9, 9] => all.extend((9..=9 + count).map(|last| vec![9, last])),
            _ if count == 0 => _ = all.insert(above),
            _ => all.extend((1..=count).map(|last| [&above[..], &[last]].concat())),
        }
    }
    all
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rows() -> BTreeMap<Section, Row> {
    let text = fs::read_to_string(folder().join("../../docs/sockets.md")).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("| §"));
    let mut rows = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [section, subject, tests, ""] = cells[..] else {
            panic!("{line}");
        };
        assert!(!subject.is_empty() && !tests.is_empty(), "{line}");
        let files = tests.split('`').skip(1).step_by(2).map(str::to_owned);
        let files: Vec<String> = files.collect();
        let row = match tests.starts_with('`') {
            true => Row::Tests(files),
            false => Row::Reason,
        };
        assert!(rows.insert(number(section), row).is_none(), "§{section}");
    }
    rows
}

/// The sections at the start of a test's name: `section_8_1_9_...`,
/// `sections_8_3_3_to_8_3_5_and_6_1_8_...`.
fn named(test: &str) -> BTreeSet<Section> {
    let prefixes = ["section_", "sections_"].into_iter();
    let Some(rest) = prefixes
        .filter_map(|prefix| test.strip_prefix(prefix))
        .next()
    else {
        return BTreeSet::new();
    };
    let mut named = BTreeSet::new();
    let mut section = Section::new();
    let mut first_of_range: Option<Section> = None;
    for word in rest.split('_') {
        if let Ok(part) = word.parse() {
            section.push(part);
            continue;
        }
        let whole = std::mem::take(&mut section);
        if whole.is_empty() {
            break;
        }
        match first_of_range.take() {
            Some(first) => named.extend(range(&first, &whole)),
            None => _ = named.insert(whole.clone()),
        }
        match word {
            "and" => {}
            "to" => first_of_range = Some(whole),
            _ => break,
        }
    }
    named
}

fn range(first: &[u32], last: &[u32]) -> Vec<Section> {
    let ([above @ .., from], [other @ .., to]) = (first, last) else {
        panic!("{first:?} to {last:?}");
    };
    assert_eq!(above, other, "a range within one section");
    (*from..=*to)
        .map(|last| [above, &[last]].concat())
        .collect()
}

/// For each section, the files with tests that name it.
fn tests() -> BTreeMap<Section, BTreeSet<String>> {
    let mut found: BTreeMap<Section, BTreeSet<String>> = BTreeMap::new();
    for entry in fs::read_dir(folder().join("tests/rfc6458")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let file = path.file_stem().unwrap().to_str().unwrap();
        let tests = text.split("#[test]\nfn ").skip(1);
        for test in tests.filter_map(|test| test.split('(').next()) {
            for section in named(test) {
                found.entry(section).or_default().insert(file.to_owned());
            }
        }
    }
    found
}

#[test]
fn the_table_has_a_row_for_each_section_and_no_other() {
    let rows: BTreeSet<Section> = rows().into_keys().collect();
    let wanted = sections();
    let missing: Vec<_> = wanted.difference(&rows).collect();
    let strange: Vec<_> = rows.difference(&wanted).collect();
    assert!(
        missing.is_empty() && strange.is_empty(),
        "{missing:?}, {strange:?}"
    );
}

#[test]
fn each_row_names_the_files_in_which_tests_name_its_section() {
    let tests = tests();
    for (section, row) in rows() {
        let found = tests.get(&section).cloned().unwrap_or_default();
        match row {
            Row::Tests(files) => assert_eq!(files, Vec::from_iter(found), "{section:?}"),
            Row::Reason => assert!(found.is_empty(), "{section:?}: {found:?}"),
        }
    }
}

#[test]
fn no_test_names_a_section_that_there_is_not() {
    let known = sections();
    for (section, files) in tests() {
        assert!(known.contains(&section), "{section:?} in {files:?}");
    }
}

#[test]
fn names_of_tests_begin_with_sections_alone() {
    let all = |test: &str| Vec::from_iter(named(test));
    let three = [vec![6, 1, 8], vec![8, 3, 4], vec![8, 3, 5]];
    assert_eq!(all("sections_8_3_4_to_8_3_5_and_6_1_8_keys"), three);
    assert_eq!(all("section_3_2_a_backlog_of_0"), [vec![3, 2]]);
    assert!(all("the_section_3_2_").is_empty());
}
