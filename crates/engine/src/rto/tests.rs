use core::time::Duration;

use super::RtoEstimator;
use crate::{Options, Profile};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Bounds that never apply.
fn wide() -> Options {
    Options {
        rto_min: ms(10),
        ..Profile::Rfc9260.options()
    }
}

fn after(samples: &[Duration], options: &Options) -> RtoEstimator {
    let mut estimator = RtoEstimator::new(options);
    for rtt in samples {
        estimator.on_sample(*rtt, options);
    }
    estimator
}

#[test]
fn an_estimator_is_32_bytes() {
    assert!(size_of::<RtoEstimator>() <= 32);
}

#[test]
fn before_any_measurement_the_timeout_is_rto_initial() {
    let estimator = after(&[], &wide());
    assert_eq!(estimator.rto(), Duration::from_secs(1));
    assert_eq!(estimator.srtt(), None);
    assert_eq!(estimator.rttvar(), None);
}

#[test]
fn the_first_measurement_gives_three_times_itself() {
    let estimator = after(&[ms(100)], &wide());
    assert_eq!(estimator.srtt(), Some(ms(100)));
    assert_eq!(estimator.rttvar(), Some(ms(50)));
    assert_eq!(estimator.rto(), ms(300));
}

#[test]
fn the_second_measurement_weighs_an_eighth_and_its_deviation_a_quarter() {
    let estimator = after(&[ms(100), ms(200)], &wide());
    assert_eq!(estimator.srtt(), Some(Duration::from_micros(112_500)));
    assert_eq!(estimator.rttvar(), Some(Duration::from_micros(62_500)));
    assert_eq!(estimator.rto(), Duration::from_micros(362_500));
}

#[test]
fn a_shorter_round_trip_pulls_the_average_down_and_the_variation_up() {
    let estimator = after(&[ms(100), ms(200), ms(20)], &wide());
    // SRTT = 112.5 - 92.5 / 8, RTTVAR = 62.5 + (92.5 - 62.5) / 4.
    assert_eq!(estimator.srtt(), Some(Duration::from_nanos(100_937_500)));
    assert_eq!(estimator.rttvar(), Some(ms(70)));
    assert_eq!(estimator.rto(), Duration::from_nanos(380_937_500));
}

#[test]
fn the_gains_are_options() {
    let options = Options {
        rto_alpha_shift: 1,
        rto_beta_shift: 1,
        ..wide()
    };
    let estimator = after(&[ms(100), ms(200)], &options);
    assert_eq!(estimator.srtt(), Some(ms(150)));
    assert_eq!(estimator.rttvar(), Some(ms(75)));
}

#[test]
fn the_timeout_stays_between_rto_min_and_rto_max() {
    let options = Profile::Rfc9260.options();
    assert_eq!(after(&[ms(100)], &options).rto(), options.rto_min);
    let slow = after(&[Duration::from_secs(50)], &options);
    assert_eq!(slow.rto(), options.rto_max);
}

#[test]
fn back_off_doubles_up_to_rto_max_and_a_sample_ends_it() {
    let options = wide();
    let mut estimator = after(&[ms(100)], &options);
    let doubled: [u64; 9] = core::array::from_fn(|_| {
        estimator.back_off(&options);
        u64::try_from(estimator.rto().as_millis()).unwrap()
    });
    assert_eq!(
        doubled,
        [600, 1200, 2400, 4800, 9600, 19_200, 38_400, 60_000, 60_000]
    );
    estimator.on_sample(ms(100), &options);
    // RTTVAR = 50 * 3/4.
    assert_eq!(estimator.rto(), ms(250));
}

#[test]
fn back_off_keeps_what_was_measured() {
    let options = wide();
    let mut estimator = after(&[ms(100)], &options);
    estimator.back_off(&options);
    assert_eq!(estimator.srtt(), Some(ms(100)));
    assert_eq!(estimator.rttvar(), Some(ms(50)));
}

#[test]
fn steady_delay_leaves_room_for_a_timer_that_is_a_little_early() {
    let rtt = Duration::from_secs(2);
    let estimator = after(&[rtt; 200], &wide());
    assert_eq!(estimator.srtt(), Some(rtt));
    assert!(estimator.rttvar().unwrap() < Duration::from_micros(1));
    assert_eq!(estimator.rto(), rtt + ms(4));
}

#[test]
fn a_round_trip_of_no_time_at_all_is_a_measurement() {
    let estimator = after(&[Duration::ZERO], &wide());
    assert!(estimator.srtt().is_some());
    assert_eq!(estimator.rto(), ms(10));
}

#[test]
fn absurd_round_trips_do_not_overflow() {
    let options = Profile::Datacenter.options();
    let mut estimator = after(&[Duration::MAX, Duration::ZERO, Duration::MAX], &options);
    assert_eq!(estimator.rto(), options.rto_max);
    estimator.back_off(&options);
    assert_eq!(estimator.rto(), options.rto_max);
}
