use super::*;

#[test]
fn a_figure_beyond_its_bound_misses_the_goal() {
    assert_eq!(Goal::AtMost(1.2).cell(1.2), "<= 1.2");
    assert_eq!(Goal::AtMost(1.2).cell(1.21), "<= 1.2, missed");
    assert_eq!(Goal::AtLeast(0.6).cell(0.5), ">= 0.6, missed");
    assert_eq!(Goal::AtLeast(0.6).cell(0.6), ">= 0.6");
}

#[test]
fn a_figure_that_was_not_measured_misses_the_goal() {
    assert!(!Goal::AtMost(1.0).is_met(f64::NAN));
    assert!(!Goal::AtLeast(1.0).is_met(f64::NAN));
}
