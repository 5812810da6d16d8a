use alloc::vec::Vec;

use super::*;

const PACKET: u64 = 1452;

/// A round of so many packets, each acknowledged with that round trip: the answer to the last one,
/// or that slow start is over if any says so.
fn round(start: &mut HyStart, packets: u64, rtt: Duration) -> Growth {
    let mut growth = Growth::Whole;
    for _ in 0..packets {
        let answer = start.on_ack(&Ack {
            srtt: Some(rtt),
            rtt: Some(rtt),
            ..Ack::of(PACKET, (packets + 1) * PACKET)
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

/// Growth after the last of these rounds; each has a number of packets and a round trip in
/// milliseconds.
fn last_of(rounds: &[(u64, u64)]) -> Growth {
    let mut start = HyStart::new();
    let answers = rounds
        .iter()
        .map(|(packets, rtt)| round(&mut start, *packets, ms(*rtt)));
    answers.last().unwrap()
}

#[test]
fn growth_depends_on_the_round_trips_of_the_last_rounds() {
    for (name, rounds, expected) in [
        (
            "an eighth longer: it grows by a quarter",
            &[(10, 100), (10, 100), (10, 113)][..],
            Growth::Part(4),
        ),
        (
            "longer by less than four milliseconds: no sign",
            &[(10, 8), (10, 8), (10, 11)],
            Growth::Whole,
        ),
        (
            "seven round trips: too few",
            &[(10, 100), (7, 100), (7, 200)],
            Growth::Whole,
        ),
        (
            "below that of the first cautious round: slow start is resumed",
            &[(10, 100), (10, 100), (10, 150), (10, 120), (10, 120)],
            Growth::Whole,
        ),
    ] {
        assert_eq!(last_of(rounds), expected, "{name}");
    }
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
