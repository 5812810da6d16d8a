use super::*;

#[test]
fn a_run_in_which_timers_were_late_is_made_again_and_skipped_in_the_end() {
    let mut runs = 0;
    let late = Duration::from_secs(2);
    let measured = on_time(Duration::from_secs(1), || {
        runs += 1;
        Ok((Measured::new(), late))
    });
    assert!(measured.is_ok_and(|measured| measured.skipped.is_some()));
    assert_eq!(runs, TRIES);
}

#[test]
fn a_run_in_which_timers_were_on_time_counts() {
    let measured = on_time(Duration::from_secs(1), || {
        Ok((Measured::new().with("bytes", 1.0), Duration::ZERO))
    });
    let metrics = measured.map(|measured| measured.metrics["bytes"]);
    assert_eq!(metrics, Ok(1.0));
}
