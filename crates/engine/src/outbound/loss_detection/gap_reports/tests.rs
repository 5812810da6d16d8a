use super::*;

#[test]
fn a_chunk_is_suspect_at_its_third_miss_indication() {
    let mut reports = GapReports::new();
    assert!(reports.on_report(5, 3).is_empty());
    assert!(reports.on_report(6, 3).is_empty());
    assert_eq!(reports.on_report(7, 3), 0..5);
    assert_eq!(reports.on_report(8, 3), 5..6);
}

#[test]
fn repeated_reports_of_one_number_are_separate_indications() {
    let mut reports = GapReports::new();
    reports.on_report(5, 3);
    reports.on_report(5, 3);
    assert_eq!(reports.on_report(5, 3), 0..5);
}

#[test]
fn a_report_from_below_does_not_count_for_chunks_above_it() {
    let mut reports = GapReports::new();
    reports.on_report(10, 3);
    reports.on_report(10, 3);
    assert_eq!(reports.on_report(3, 3), 0..3);
    assert_eq!(reports.on_report(11, 3), 3..10);
}

#[test]
fn after_a_restart_old_reports_are_forgotten() {
    let mut reports = GapReports::new();
    reports.on_report(10, 3);
    reports.on_report(10, 3);
    reports.restart(4);
    assert!(reports.on_report(12, 3).is_empty());
    assert!(reports.on_report(12, 3).is_empty());
    assert_eq!(reports.on_report(12, 3), 4..12);
}

#[test]
fn the_number_of_miss_indications_can_be_chosen() {
    for needed in 1..=4 {
        let mut reports = GapReports::new();
        for _ in 1..needed {
            assert!(reports.on_report(9, needed).is_empty());
        }
        assert_eq!(reports.on_report(9, needed), 0..9);
    }
}
