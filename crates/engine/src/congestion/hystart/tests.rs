use alloc::vec::Vec;

use super::*;
use crate::Time;
use crate::congestion::{Cumulative, Recovery};

const PACKET: u64 = 1452;

/// A round of so many packets, each acknowledged with that round trip: the answer to the last one,
/// or that slow start is over if any says so.
fn round(start: &mut HyStart, packets: u64, rtt: Duration) -> Growth {
    let mut growth = Growth::Whole;
    for _ in 0..packets {
        let answer = start.on_ack(&Ack {
            now: Time::ZERO,
            bytes: PACKET,
            flight_before: (packets + 1) * PACKET,
            flight: packets * PACKET,
            cumulative: Cumulative::Advanced,
            recovery: Recovery::Open,
            srtt: Some(rtt),
            rtt: Some(rtt),
        });
        if growth != Growth::Over {
            growth = answer;
        }
    }
    growth
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn it_leaves_slow_start_alone_while_round_trips_stay() {
    let mut start = HyStart::new();
    for packets in [10, 20, 40, 80, 160] {
        assert_eq!(round(&mut start, packets, ms(100)), Growth::Whole);
    }
}

#[test]
fn it_grows_by_a_quarter_once_round_trips_are_an_eighth_longer() {
    let mut start = HyStart::new();
    round(&mut start, 10, ms(100));
    round(&mut start, 10, ms(100));
    assert_eq!(round(&mut start, 10, ms(113)), Growth::Part(4));
}

#[test]
fn growth_of_less_than_four_milliseconds_is_no_sign() {
    let mut start = HyStart::new();
    round(&mut start, 10, ms(8));
    round(&mut start, 10, ms(8));
    assert_eq!(round(&mut start, 10, ms(11)), Growth::Whole);
}

#[test]
fn seven_round_trips_are_too_few() {
    let mut start = HyStart::new();
    round(&mut start, 10, ms(100));
    round(&mut start, 7, ms(100));
    assert_eq!(round(&mut start, 7, ms(200)), Growth::Whole);
}

#[test]
fn five_cautious_rounds_end_it() {
    let mut start = HyStart::new();
    round(&mut start, 10, ms(100));
    round(&mut start, 10, ms(100));
    let rounds: Vec<Growth> = (0..8).map(|_| round(&mut start, 10, ms(150))).collect();
    assert!(rounds.contains(&Growth::Part(4)), "{rounds:?}");
    assert!(rounds.contains(&Growth::Over), "{rounds:?}");
}

#[test]
fn a_round_trip_below_that_of_the_first_cautious_round_resumes_slow_start() {
    let mut start = HyStart::new();
    round(&mut start, 10, ms(100));
    round(&mut start, 10, ms(100));
    round(&mut start, 10, ms(150));
    round(&mut start, 10, ms(120));
    assert_eq!(round(&mut start, 10, ms(120)), Growth::Whole);
}
