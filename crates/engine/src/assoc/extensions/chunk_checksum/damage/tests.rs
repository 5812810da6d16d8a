use std::vec::Vec;

use super::*;

fn reported(damage: &mut Damage, arrived: &[u32]) -> Vec<(u32, u32)> {
    let list = damage.report(100, |tsn| arrived.contains(&tsn.0));
    list.iter()
        .map(|event| (event.tsn.0, event.found_at))
        .collect()
}

#[test]
fn an_event_is_repeated_until_its_chunk_arrives() {
    let mut damage = Damage::default();
    damage.on_damaged(Time::from_millis(3), Tsn(7));
    damage.on_damaged(Time::from_millis(4), Tsn(9));
    assert_eq!(reported(&mut damage, &[]), [(7, 3000), (9, 4000)]);
    assert_eq!(reported(&mut damage, &[7]), [(9, 4000)]);
    assert_eq!(reported(&mut damage, &[7, 9]), []);
}

#[test]
fn a_chunk_that_is_damaged_again_has_a_new_time() {
    let mut damage = Damage::default();
    damage.on_damaged(Time::from_millis(3), Tsn(7));
    damage.on_damaged(Time::from_millis(90), Tsn(7));
    assert_eq!(reported(&mut damage, &[]), [(7, 90_000)]);
    assert_eq!(damage.found(), 2);
}

#[test]
fn no_more_events_are_kept_than_64() {
    let mut damage = Damage::default();
    for tsn in 0..1000 {
        damage.on_damaged(Time::ZERO, Tsn(tsn));
    }
    assert_eq!(reported(&mut damage, &[]).len(), MAX_EVENTS);
    assert_eq!(damage.report(3, |_| false).len(), 3);
}
