use super::*;

#[test]
fn times_are_summed_up_as_ping_does() {
    let mut statistics = Statistics {
        transmitted: 4,
        ..Statistics::default()
    };
    assert_eq!(statistics.times(), None);
    for rtt in [10, 20, 30] {
        statistics.add(Duration::from_millis(rtt));
    }
    let times = statistics.times().unwrap();
    assert_eq!(times.min, Duration::from_millis(10));
    assert_eq!(times.mean, Duration::from_millis(20));
    assert_eq!(times.max, Duration::from_millis(30));
    assert_eq!(times.deviation.as_micros(), 8164);
    assert_eq!(statistics.loss_percent(), 25);
    assert!(!statistics.is_complete());
    statistics.errors += 1;
    assert!(statistics.is_complete());
}
