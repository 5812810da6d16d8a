use alloc::vec::Vec;

use sheave_wire::StreamId;

use super::*;

const DELAY: Duration = Duration::from_millis(200);

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn seen(arrival: Arrival) -> PacketSeen {
    let mut seen = PacketSeen::default();
    seen.add(arrival);
    seen
}

/// An acknowledger that has sent the first, hasty SACK.
fn settled(frequency: u8) -> Standard {
    let mut acknowledger = Standard::new(DELAY, frequency);
    acknowledger.on_packet(at(0), seen(Arrival::New));
    acknowledger.on_sent(at(0));
    acknowledger
}

fn quick() -> Standard {
    Standard {
        calm: Calm::new(SackStart::Quick),
        ..Standard::new(DELAY, 2)
    }
}

/// Whether a packet in order is acknowledged at once, for so many of them.
fn answered(acknowledger: &mut Standard, packets: usize) -> Vec<bool> {
    let mut answered = Vec::new();
    for _ in 0..packets {
        acknowledger.on_packet(at(1), seen(Arrival::New));
        answered.push(acknowledger.is_due(at(1)));
        if acknowledger.is_due(at(1)) {
            acknowledger.on_sent(at(1));
        }
    }
    answered
}

#[test]
fn each_of_the_first_sixteen_packets_is_acknowledged_where_sacks_start_quickly() {
    let answered = answered(&mut quick(), 20);
    let mut expected = [true; 20];
    (expected[16], expected[18]) = (false, false);
    assert_eq!(answered, expected);
}

#[test]
fn sacks_start_quickly_again_after_a_gap() {
    let mut acknowledger = quick();
    answered(&mut acknowledger, 20);
    acknowledger.on_packet(at(1), seen(Arrival::OutOfOrder));
    acknowledger.on_sent(at(1));
    let answered = answered(&mut acknowledger, 18);
    assert!(answered[..15].iter().all(|at_once| *at_once));
    assert_eq!(answered[15..], [false, true, false]);
}

#[test]
fn the_delay_counts_from_the_first_packet() {
    let mut acknowledger = settled(64);
    for _ in 0..100 {
        acknowledger.on_packet(at(1), seen(Arrival::New));
        if acknowledger.is_due(at(1)) {
            acknowledger.on_sent(at(1));
        }
    }
    acknowledger.on_sent(at(1));
    acknowledger.on_packet(at(10), seen(Arrival::New));
    acknowledger.on_packet(at(100), seen(Arrival::New));
    assert_eq!(acknowledger.deadline(), Some(at(210)));
}

#[test]
fn whatever_is_irregular_is_acknowledged_at_once() {
    for arrival in [
        Arrival::OutOfOrder,
        Arrival::FilledGap,
        Arrival::Duplicate,
        Arrival::NoRoom,
        Arrival::InvalidStream(StreamId(9)),
    ] {
        let mut acknowledger = settled(2);
        acknowledger.on_packet(at(1), seen(arrival));
        assert!(acknowledger.is_due(at(1)), "{arrival:?}");
    }
}

#[test]
fn one_sack_answers_one_trigger() {
    let mut acknowledger = settled(2);
    acknowledger.on_packet(at(1), seen(Arrival::Duplicate));
    acknowledger.request_now();
    acknowledger.on_sent(at(1));
    assert!(!acknowledger.is_pending());
    assert_eq!(acknowledger.deadline(), None);
}

#[test]
fn a_packet_without_data_is_not_acknowledged() {
    let mut acknowledger = settled(1);
    acknowledger.on_packet(at(1), PacketSeen::default());
    assert!(!acknowledger.is_pending());
}

#[test]
fn rare_sacks_begin_when_the_flow_is_under_way() {
    let mut acknowledger = settled(7);
    let mut sacks = 0;
    for _ in 0..30 {
        acknowledger.on_packet(at(1), seen(Arrival::New));
        if acknowledger.is_due(at(1)) {
            acknowledger.on_sent(at(1));
            sacks += 1;
        }
    }
    assert_eq!(sacks, 15);
    for _ in 0..70 {
        acknowledger.on_packet(at(1), seen(Arrival::New));
        if acknowledger.is_due(at(1)) {
            acknowledger.on_sent(at(1));
            sacks += 1;
        }
    }
    assert_eq!(sacks, 25);
}
