use super::*;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn nothing_is_known_before_the_first_sample() {
    assert_eq!(MinRtt::default().get(), None);
}

#[test]
fn a_least_round_trip_is_forgotten_after_a_minute() {
    let mut least = MinRtt::default();
    for (second, rtt, expected) in [(1, 20, 20), (10, 50, 20), (35, 50, 20), (70, 50, 50)] {
        least.on_sample(ms(rtt), Time::from_millis(second * 1000));
        assert_eq!(least.get(), Some(ms(expected)), "at {second} s");
    }
}
