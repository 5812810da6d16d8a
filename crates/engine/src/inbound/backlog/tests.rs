use bytes::Bytes;
use sheave_wire::{Ppid, Ssn, StreamId};

use super::*;
use crate::Delivery;
use crate::inbound::fragment::Payload;

fn fragment(ssn: u16, part: Part, payload: &'static [u8]) -> Fragment<'static> {
    let label = Label {
        stream: StreamId(1),
        ssn: Ssn(ssn),
        ppid: Ppid(0),
        delivery: Delivery::Ordered,
    };
    Fragment {
        label,
        origin: Default::default(),
        part,
        payload: Payload::Owned(Bytes::from_static(payload)),
    }
}

#[test]
fn a_message_is_complete_whatever_the_order_of_its_fragments() {
    let parts = [
        (10, Part::First, &b"ab"[..]),
        (11, Part::Middle, b"c"),
        (12, Part::Middle, b"d"),
        (13, Part::Last, b"e"),
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [0, 3, 1, 2], [1, 3, 0, 2]] {
        let mut backlog = Backlog::default();
        let parts = order.map(|i| parts[i]);
        let spans = parts.map(|(at, part, payload)| backlog.insert(at, fragment(0, part, payload)));
        let span = Span {
            first: 10,
            last: 13,
        };
        assert_eq!(spans, [None, None, None, Some(span)]);
        let (_, _, payload) = backlog.take(span).unwrap();
        assert_eq!(payload, "abcde");
        assert!(backlog.is_empty());
    }
}

#[test]
fn a_fragment_beside_the_end_of_a_message_must_begin_one() {
    let mut backlog = Backlog::default();
    backlog.insert(10, fragment(0, Part::Last, b"x"));
    let fault = backlog.check(11, &fragment(0, Part::Middle, b"y"));
    assert_eq!(fault, Err(PeerFault::BAD_FRAGMENT_BITS));
    assert_eq!(backlog.check(11, &fragment(1, Part::First, b"y")), Ok(()));
}

#[test]
fn a_whole_message_cannot_stand_inside_another() {
    let mut backlog = Backlog::default();
    backlog.insert(10, fragment(0, Part::First, b"x"));
    let whole = fragment(1, Part::Whole, b"y");
    assert_eq!(backlog.check(11, &whole), Err(PeerFault::BAD_FRAGMENT_BITS));
    backlog.insert(20, fragment(3, Part::Last, b"x"));
    assert_eq!(backlog.check(19, &whole), Err(PeerFault::BAD_FRAGMENT_BITS));
}

#[test]
fn fragments_of_one_message_have_one_ssn() {
    let mut backlog = Backlog::default();
    backlog.insert(10, fragment(0, Part::First, b"x"));
    let other = fragment(1, Part::Middle, b"y");
    assert_eq!(backlog.check(11, &other), Err(PeerFault::MIXED_FRAGMENTS));
}

#[test]
fn a_run_that_loses_its_end_is_incomplete_until_it_comes_again() {
    let mut backlog = Backlog::default();
    for (at, part) in [(10, Part::First), (11, Part::Middle), (12, Part::Last)] {
        backlog.insert(at, fragment(0, part, b"x"));
    }
    assert_eq!(backlog.pop_highest().unwrap().0, 12);
    assert_eq!(backlog.pop_highest().unwrap().0, 11);
    assert_eq!(backlog.insert(12, fragment(0, Part::Last, b"x")), None);
    let span = backlog.insert(11, fragment(0, Part::Middle, b"x"));
    assert!(span.is_some());
    while backlog.pop_highest().is_some() {}
    assert!(backlog.is_empty());
}

#[test]
fn only_what_the_cumulative_tsn_has_reached_moves_on() {
    let mut backlog = Backlog::default();
    backlog.insert(10, fragment(0, Part::First, b"x"));
    backlog.insert(11, fragment(0, Part::Last, b"x"));
    backlog.insert(14, fragment(1, Part::Whole, b"x"));
    assert_eq!(backlog.pop_through(11).unwrap().0, 10);
    assert_eq!(backlog.pop_through(11).unwrap().0, 11);
    assert!(backlog.pop_through(11).is_none());
    assert_eq!(backlog.highest(), Some(14));
}
