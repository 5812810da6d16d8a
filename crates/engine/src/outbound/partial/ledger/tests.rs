use std::vec::Vec;

use sheave_wire::StreamId;

use super::{Ledger, Location, Terms};
use crate::outbound::queue::Ticket;
use crate::{Policy, Reliability, Time};

const STREAM: StreamId = StreamId(1);

/// Tickets from `last` on, for messages with these terms.
fn ledger(last: u32, terms: &[Terms]) -> (Ledger, Vec<Ticket>) {
    let mut ledger = Ledger::default();
    let mut ticket = Ticket(last);
    let tickets = terms.iter().map(|terms| {
        ticket = ticket.next();
        ledger.pledge(ticket, STREAM, *terms);
        ticket
    });
    let tickets = tickets.collect();
    (ledger, tickets)
}

fn until(millis: u64) -> Terms {
    Terms::Until(Time::from_millis(millis))
}

#[test]
fn tickets_wrap_and_none_is_none() {
    let (_, tickets) = ledger(u32::MAX - 1, &[until(1), until(2), until(3)]);
    assert_eq!(tickets, [Ticket(u32::MAX), Ticket(1), Ticket(2)]);
}

#[test]
fn times_run_out_in_their_order() {
    let (mut ledger, tickets) = ledger(u32::MAX - 1, &[until(30), until(10), until(20)]);
    assert_eq!(ledger.next_deadline(), Some(Time::from_millis(10)));
    assert!(ledger.pop_expired(Time::from_millis(9)).is_none());
    let mut expired = Vec::new();
    while let Some((ticket, _)) = ledger.pop_expired(Time::from_millis(20)) {
        expired.push(ticket);
    }
    assert_eq!(expired, [tickets[1], tickets[2]]);
    assert_eq!(ledger.next_deadline(), Some(Time::from_millis(30)));
}

#[test]
fn the_least_important_and_of_these_the_newest_goes_first() {
    let terms = [3, 9, 9, 5].map(Terms::Priority);
    let (ledger, tickets) = ledger(0, &terms);
    let less = |terms| ledger.less_important(terms).collect::<Vec<_>>();
    let all = [tickets[2], tickets[1], tickets[3], tickets[0]];
    assert_eq!(less(None), all);
    assert_eq!(less(Some(until(1))), all);
    assert_eq!(less(Some(Terms::Priority(5))), all[..2]);
    assert_eq!(less(Some(Terms::Priority(9))), []);
    assert_eq!(less(Some(Terms::Priority(u32::MAX))), []);
}

#[test]
fn a_begun_message_makes_no_room_any_more() {
    let (mut ledger, tickets) = ledger(0, &[Terms::Priority(1)]);
    ledger.on_begun(tickets[0], 0, 0);
    assert!(ledger.get(tickets[0]).is_none());
    assert_eq!(ledger.less_important(None).count(), 0);
}

#[test]
fn a_chunk_is_spent_after_its_last_retransmission_or_in_time() {
    let (ledger, tickets) = ledger(0, &[Terms::Retransmissions(2), until(50)]);
    let now = Time::from_millis(49);
    let spent = |at: usize, count, now| ledger.is_spent(tickets[at], count, now);
    assert!(!spent(0, 1, now) && spent(0, 2, now) && spent(0, 255, now));
    assert!(!spent(1, 255, now) && spent(1, 0, Time::from_millis(50)));
    assert!(!ledger.is_spent(Ticket::NONE, 255, now));
}

#[test]
fn it_is_counted_by_policy_stream_and_whether_a_part_was_sent() {
    let (mut ledger, tickets) = ledger(0, &[until(1), until(2)]);
    ledger.on_begun(tickets[1], 7, 0);
    for ticket in tickets {
        let pledge = ledger.release(ticket).unwrap();
        assert_eq!(ledger.count(STREAM, &pledge), Policy::Timed);
        assert_eq!(
            matches!(pledge.location, Location::Queued(_)),
            ticket == Ticket(1)
        );
    }
    for stream in [None, Some(STREAM)] {
        let counted = ledger.abandonments(Policy::Timed, stream);
        assert_eq!((counted.unsent, counted.sent), (1, 1));
    }
    let other = ledger.abandonments(Policy::Timed, Some(StreamId(2)));
    assert_eq!(other.total(), 0);
    assert_eq!(ledger.abandonments(Policy::Priority, None).total(), 0);
}

#[test]
fn a_reliable_message_has_no_terms() {
    assert_eq!(Terms::of(Reliability::Reliable, Time::ZERO), None);
}
