use bytes::Bytes;
use sheave_wire::Ppid;

use super::*;
use crate::{Delivery, Message, Part};

fn message(stream: u16) -> Box<Received> {
    let message = Message {
        stream: StreamId(stream),
        ppid: Ppid(0),
        delivery: Delivery::Ordered,
        payload: Bytes::from_static(b"x"),
    };
    Box::new(Received::new(message, Part::Whole))
}

#[test]
fn every_stream_starts_at_zero_and_has_its_own_turn() {
    let mut order = StreamOrder::new(10);
    assert!(order.is_next(StreamId(9), Ssn(0)));
    assert!(order.advance(StreamId(3)).is_none());
    assert!(order.is_next(StreamId(3), Ssn(1)));
    assert!(order.is_next(StreamId(2), Ssn(0)));
}

#[test]
fn a_held_message_comes_when_its_turn_does_across_the_wrap() {
    let mut order = StreamOrder::new(1);
    let stream = StreamId(0);
    order.set_due(stream, Ssn(u16::MAX));
    let held = Held::Arrived(message(0));
    order.hold(stream, Ssn(0), held).unwrap();
    let next = order.advance(stream);
    assert!(matches!(next, Some(Held::Arrived(_))));
}

#[test]
fn two_messages_cannot_wait_for_one_turn() {
    let mut order = StreamOrder::new(1);
    let held = || Held::Arrived(message(0));
    order.hold(StreamId(0), Ssn(5), held()).unwrap();
    let fault = order.hold(StreamId(0), Ssn(5), held());
    assert_eq!(fault, Err(PeerFault::REUSED_SSN));
}

#[test]
fn a_message_that_lost_a_chunk_no_longer_waits() {
    let mut order = StreamOrder::new(1);
    let span = Span { first: 5, last: 7 };
    let stream = StreamId(0);
    order.hold(stream, Ssn(1), Held::Beyond(span)).unwrap();
    order.renege(stream, Ssn(1), 8);
    assert_eq!(order.held.len(), 1);
    order.renege(stream, Ssn(1), 7);
    assert!(order.held.is_empty());
}
