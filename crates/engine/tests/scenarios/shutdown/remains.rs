//! The fate of data when an association ends.

use crate::prelude::*;

#[test]
fn undelivered_messages_come_back_with_their_context() {
    let mut world = Setup::quiet(|_| {}).established();
    world.cut_path(1);
    for context in 1..=30 {
        let options = SendOptions {
            context,
            ..SendOptions::default()
        };
        world.send_with(A, blob(0, 1400), options);
    }
    world.run_for(ms(100));
    world.abort(A, "the line is dead");
    let mut failures = Vec::new();
    for event in world.events(A) {
        if let Event::SendFailed {
            message,
            context,
            failure,
        } = event
        {
            assert_eq!(message, blob(0, 1400));
            failures.push((context, failure));
        }
    }
    let contexts: Vec<u64> = failures.iter().map(|(context, _)| *context).collect();
    assert_eq!(contexts, (1..=30).collect::<Vec<u64>>());
    assert_eq!(failures[0].1, SendFailure::Unacknowledged);
    assert_eq!(failures[29].1, SendFailure::Unsent);
}

#[test]
fn send_failures_come_before_closed() {
    let mut world = Setup::quiet(|_| {}).established();
    world.cut_path(1);
    world.send(A, text(0, "lost"));
    world.abort(A, "");
    let events = world.events(A);
    assert!(matches!(events.last(), Some(Event::Closed { .. })));
    assert!(matches!(events[events.len() - 2], Event::SendFailed { .. }));
}

#[test]
fn a_closed_association_hands_over_what_was_not_read() {
    for graceful in [true, false] {
        let mut world = Setup::quiet(|_| {}).established();
        world.set_reading(Z, Reading::Stopped);
        world.send(A, text(0, "one"));
        world.send(A, text(0, "two"));
        world.send(A, text(3, "three"));
        world.run_for(secs(1));
        if graceful {
            world.shutdown(A);
        } else {
            world.abort(A, "bye");
        }
        world.run_for(secs(1));
        let Some(Event::Closed { unread, .. }) = world.events(Z).pop() else {
            panic!("{:?}", world.events(Z));
        };
        let unread = unread.into_iter().map(|received| received.message);
        let unread: Vec<_> = unread.collect();
        assert_eq!(unread, [text(0, "one"), text(0, "two"), text(3, "three")]);
        assert_eq!(world.endpoint(Z).stats().buffered, 0);
    }
}

#[test]
fn an_association_with_a_dead_peer_ends_after_association_max_retrans() {
    let mut world = Setup::quiet(|options| options.association_max_retrans = 4).established();
    world.cut_path(1);
    let began = world.now();
    world.send(A, text(0, "anyone?"));
    world.run_for(secs(300));
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
    let times: Vec<_> = world.delays(A, ChunkType::DATA, began);
    assert_eq!(times, [secs(0), secs(1), secs(3), secs(7), secs(15)]);
    let failed = |event: &Event| matches!(event, Event::SendFailed { .. });
    assert!(world.events(A).iter().any(failed), "the message comes back");
}

#[test]
fn an_id_means_nothing_once_its_association_is_closed() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.established();
    let old = world.id(A);
    world.abort(A, "");
    world.run_for(secs(1));
    setup.connect(&mut world);
    world.run_for(secs(1));
    assert_ne!(world.id(A), old);
    assert!(world.endpoint(A).assoc(old).is_none());
}
