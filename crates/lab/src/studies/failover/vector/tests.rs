use super::Vector;
use crate::Measured;

#[test]
fn every_entry_has_the_same_weight_however_long_it_holds() {
    let entries = [(0.0, 1.0), (0.1, 1.0), (9.0, 4.0)].into_iter();
    let measured = Vector::new("rtt_s", entries).measure(Measured::new());
    let metric = |name: &str| measured.metrics[name];
    assert_eq!((metric("rtt_s_count"), metric("rtt_s_mean")), (3.0, 2.0));
    assert_eq!((metric("rtt_s_min"), metric("rtt_s_max")), (1.0, 4.0));
    assert!((metric("rtt_s_deviation") - 3.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn a_vector_without_entries_measures_nothing() {
    let measured = Vector::new("rtt_s", core::iter::empty()).measure(Measured::new());
    assert!(measured.metrics.is_empty());
}
