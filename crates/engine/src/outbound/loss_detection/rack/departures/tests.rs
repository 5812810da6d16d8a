use super::*;

const PATH: PathIndex = PathIndex(0);

#[test]
fn retransmitted_chunks_are_kept_once_in_the_order_of_leaving() {
    let mut departures = RackDepartures::default();
    let at = Time::from_nanos;
    for (sent_at, seq) in [(at(5), 2), (at(3), 9), (at(5), 1), (at(3), 9)] {
        departures.on_again(sent_at, seq);
    }
    assert_eq!(departures.again, [(at(3), 9), (at(5), 1), (at(5), 2)]);
}

#[test]
fn entries_of_chunks_that_are_gone_are_dropped() {
    let mut departures = RackDepartures::default();
    departures.on_again(Time::ZERO, 7);
    let ring = Ring::new(sheave_wire::Tsn(1));
    assert!(departures.oldest(&ring, PATH, u64::MAX).is_none());
    assert!(departures.again.is_empty());
}
