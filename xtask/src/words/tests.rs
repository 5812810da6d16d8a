use super::{Count, count};

fn counted(source: &str) -> Count {
    let mut count = Count::default();
    count.add(source);
    count
}

#[test]
fn only_the_first_line_of_a_comment_counts() {
    let count = counted("/// Bytes in flight,\n/// what was sent and not acknowledged.\nfn f() {}");
    assert_eq!((count.lines, count.subjectless), (1, 0));
}

#[test]
fn a_first_line_without_its_subject_is_found() {
    let count =
        counted("    /// What is in flight.\n    fn f() {}\n/// `Its` name.\n//// not a doc");
    assert_eq!((count.lines, count.subjectless), (2, 2));
}

#[test]
fn a_crate_in_twenty_lines_may_have_one() {
    let bound = Count {
        lines: 20,
        subjectless: 1,
    };
    assert!(!bound.exceeds_bound());
    let above = Count { lines: 19, ..bound };
    assert!(above.exceeds_bound());
}

#[test]
fn every_crate_names_its_subjects_first() {
    let counts = count(crate::root()).unwrap();
    assert!(counts.len() > 10, "{counts:?}");
    let exceeding: Vec<_> = counts
        .iter()
        .filter(|(_, count)| count.exceeds_bound())
        .map(|(name, count)| format!("{name}: {count}"))
        .collect();
    assert!(exceeding.is_empty(), "{exceeding:?}");
}
