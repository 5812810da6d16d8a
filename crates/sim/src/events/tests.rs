use core::time::Duration;

use sheave_engine::Time;

use super::{Event, Events};
use crate::Random;
use crate::world::LinkId;

#[test]
fn events_come_in_the_order_of_time_and_then_of_planning() {
    let (mut events, mut random) = (Events::default(), Random::new(1));
    let mut expected = Vec::new();
    let mut came = Vec::new();
    for number in 0..2000 {
        let time = Time::ZERO + Duration::from_nanos(random.below(500));
        let key = events.key(time);
        events.plan(key, Event::Free(LinkId(number)));
        expected.push((key, Event::Free(LinkId(number))));
        // Takes some events while others are still being scheduled.
        if number % 3 == 0 && number < 300 {
            let first = *expected.iter().min_by_key(|(key, _)| *key).expect("one");
            expected.retain(|entry| *entry != first);
            assert_eq!(events.next_time(), Some(first.0.time));
            assert_eq!(events.pop_until(Time::MAX), Some(first));
        }
    }
    while let Some(next) = events.pop_until(Time::MAX) {
        came.push(next);
    }
    expected.sort_by_key(|(key, _)| *key);
    assert_eq!(came, expected);
    assert!(events.is_empty());
}

#[test]
fn events_after_the_end_stay() {
    let mut events = Events::default();
    let key = events.key(Time::ZERO + Duration::from_secs(2));
    events.plan(key, Event::Free(LinkId(0)));
    assert_eq!(events.pop_until(Time::ZERO + Duration::from_secs(1)), None);
    assert!(!events.is_empty());
    assert!(events.pop_until(key.time).is_some());
}
