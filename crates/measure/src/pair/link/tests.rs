use std::time::Duration;

use super::{Impairment, Link, Toward};

const WEATHER: Impairment = Impairment {
    delay: Duration::from_millis(10),
    lost_per_mille: 0,
    seed: 1,
};

#[test]
fn a_packet_arrives_after_the_delay_and_not_before() {
    let mut link = Link::new(WEATHER);
    link.send(Duration::from_millis(5), Toward::Right, 'a');
    assert_eq!(link.next(), Some(Duration::from_millis(15)));
    assert_eq!(link.arrive(Duration::from_millis(14), Toward::Right), None);
    assert_eq!(link.arrive(Duration::from_millis(15), Toward::Left), None);
    assert_eq!(
        link.arrive(Duration::from_millis(15), Toward::Right),
        Some('a')
    );
    assert_eq!(link.next(), None);
}

#[test]
fn about_as_many_packets_are_lost_as_asked_and_none_that_goes_left() {
    let mut link = Link::new(Impairment {
        lost_per_mille: 50,
        ..WEATHER
    });
    for _ in 0..100_000 {
        link.send(Duration::ZERO, Toward::Right, ());
        link.send(Duration::ZERO, Toward::Left, ());
    }
    assert!(
        (94_700..95_300).contains(&link.right.len()),
        "{}",
        link.right.len()
    );
    assert_eq!(link.left.len(), 100_000);
}
