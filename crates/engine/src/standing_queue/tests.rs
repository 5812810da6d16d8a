use super::*;
use crate::Profile;

const PMDCS: u64 = 1000;
const FLOOR: u64 = LEAST_PACKETS * PMDCS;

fn us(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

/// A queue with a bound of 100 us and a minimum round trip of 100 us.
fn queue() -> StandingQueue {
    let options = Options {
        standing_queue: Some(us(100)),
        ..Profile::Modern.options()
    };
    let mut queue = *StandingQueue::chosen(&options).unwrap();
    measure(&mut queue, 100, FLOOR);
    queue
}

/// Measures as many equal round trips as one evaluation needs.
fn measure(queue: &mut StandingQueue, micros: u64, flight: u64) {
    for _ in 0..SAMPLES {
        queue.on_round_trip(us(micros), flight, PMDCS);
    }
}

#[test]
fn without_the_option_there_is_none() {
    assert!(StandingQueue::chosen(&Profile::Modern.options()).is_none());
}

#[test]
fn a_round_trip_within_bounds_limits_nothing() {
    let mut queue = queue();
    measure(&mut queue, 200, 1 << 40);
    assert!(queue.has_room(1 << 50));
}

#[test]
fn a_round_trip_twice_as_long_as_it_may_be_halves_what_is_in_flight() {
    let mut queue = queue();
    measure(&mut queue, 400, 1_000_000);
    assert!(queue.has_room(499_999));
    assert!(!queue.has_room(500_000));
}

#[test]
fn a_single_late_answer_counts_for_nothing() {
    let mut queue = queue();
    for micros in [10_000, 10_000, 10_000, 150] {
        queue.on_round_trip(us(micros), 1_000_000, PMDCS);
    }
    assert!(queue.has_room(1 << 50));
}

#[test]
fn a_limit_that_is_reached_grows_again() {
    let mut queue = queue();
    measure(&mut queue, 400, 1_000_000);
    measure(&mut queue, 150, 100_000);
    assert!(!queue.has_room(500_000));
    measure(&mut queue, 150, 500_000);
    assert!(queue.has_room(562_499));
    assert!(!queue.has_room(562_500));
}

#[test]
fn ten_packets_are_always_let_go() {
    let mut queue = queue();
    measure(&mut queue, 1_000_000, FLOOR);
    assert!(queue.has_room(FLOOR - 1));
    assert!(!queue.has_room(FLOOR));
}

#[test]
fn a_longer_route_is_taken_for_one_when_the_queue_must_be_empty() {
    let mut queue = queue();
    for _ in 0..20 {
        measure(&mut queue, 10_000, FLOOR);
    }
    assert!(queue.has_room(FLOOR));
}
