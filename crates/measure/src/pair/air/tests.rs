use std::time::Duration;

use super::{Air, Toward, Weather};

const WEATHER: Weather = Weather {
    delay: Duration::from_millis(10),
    lost_per_mille: 0,
    seed: 1,
};

#[test]
fn a_packet_arrives_after_the_delay_and_not_before() {
    let mut air = Air::new(WEATHER);
    air.launch(Duration::from_millis(5), Toward::Right, 'a');
    assert_eq!(air.next(), Some(Duration::from_millis(15)));
    assert_eq!(air.land(Duration::from_millis(14), Toward::Right), None);
    assert_eq!(air.land(Duration::from_millis(15), Toward::Left), None);
    assert_eq!(
        air.land(Duration::from_millis(15), Toward::Right),
        Some('a')
    );
    assert_eq!(air.next(), None);
}

#[test]
fn about_as_many_packets_are_lost_as_asked_and_none_that_goes_left() {
    let mut air = Air::new(Weather {
        lost_per_mille: 50,
        ..WEATHER
    });
    for _ in 0..100_000 {
        air.launch(Duration::ZERO, Toward::Right, ());
        air.launch(Duration::ZERO, Toward::Left, ());
    }
    assert!(
        (94_700..95_300).contains(&air.right.len()),
        "{}",
        air.right.len()
    );
    assert_eq!(air.left.len(), 100_000);
}
