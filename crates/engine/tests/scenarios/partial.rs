//! Abandoned messages (RFC 3758, RFC 7496).

mod beside;
mod ending;
mod random;
mod scripted;
mod settling;
mod skipping;

use crate::prelude::*;

/// Both ends use partial reliability, with the changes of `edit`.
fn partial(edit: impl FnOnce(&mut Options)) -> Setup {
    Setup::quiet(|options| {
        options.partial_reliability = PartialReliability::On;
        edit(options);
    })
}

fn options(reliability: Reliability) -> SendOptions {
    SendOptions {
        reliability,
        ..SendOptions::default()
    }
}

const ONCE: Reliability = Reliability::Retransmissions(0);

fn timed(millis: u64) -> Reliability {
    Reliability::Timed(ms(millis))
}

/// Asks for a reset of A's outgoing stream 1; returns the event that tells of its success.
#[track_caller]
fn reset(world: &mut World) -> Event {
    let (streams, direction) = (vec![StreamId(1)], StreamDirection::Outgoing);
    let outcome = world.call(A, |it, now| it.reset_streams(now, &streams, direction));
    assert_eq!(outcome, Ok(()));
    Event::StreamsReset { direction, streams }
}

fn send(world: &mut World, message: Message, reliability: Reliability) {
    world.send_with(A, message, options(reliability));
}

/// Abandoned messages: policy, whether a part was sent, size.
fn abandoned(world: &World, host: HostId) -> Vec<(Policy, SendFailure, usize)> {
    let events = world.events(host);
    let told = events.iter().filter_map(|event| match event {
        Event::Abandoned {
            message,
            policy,
            failure,
            ..
        } => Some((*policy, *failure, message.payload.len())),
        _ => None,
    });
    told.collect()
}

/// The streams that each FORWARD TSN of a host names.
fn skips(world: &World, host: HostId) -> Vec<Vec<(u16, u16)>> {
    let chunks = world.sent(host).flat_map(Record::chunks);
    let skips = chunks.filter_map(|chunk| match chunk {
        Chunk::ForwardTsn(forward) => Some(forward.skipped),
        _ => None,
    });
    let streams = skips.map(|skipped| {
        skipped
            .iter()
            .map(|one| (one.stream.0, one.ssn.0))
            .collect()
    });
    streams.collect()
}

/// An association between two ends with partial reliability that loses the next DATA.
fn losing(packets: usize) -> World {
    let mut world = partial(|_| {}).established();
    world.drop_next(A, ChunkType::DATA, packets);
    world
}

/// Checks that nothing is kept of abandoned messages and that the association closes gracefully.
#[track_caller]
fn finish(world: &mut World) {
    for host in [A, Z] {
        let stats = world.stats(host);
        assert_eq!(stats.send_buffered, 0, "{stats:?}");
        assert_eq!(stats.receive_buffered, 0, "{stats:?}");
    }
    world.shutdown(A);
    world.run_for(secs(10));
    world.assert_graceful();
}

#[test]
fn a_lost_message_without_retransmissions_is_skipped_and_later_ones_are_read() {
    let mut world = losing(1);
    send(&mut world, text(1, "lost"), ONCE);
    for n in 0..5 {
        world.send(A, text(1, &format!("kept {n}")));
    }
    world.run_for(ms(500));
    let kept = ["kept 0", "kept 1", "kept 2", "kept 3", "kept 4"];
    assert_eq!(world.texts(Z), kept);
    let expected = (Policy::Retransmissions, SendFailure::Unacknowledged, 4);
    assert_eq!(abandoned(&world, A), [expected]);
    assert_eq!(skips(&world, A), [[(1, 0)]]);
    assert_eq!(world.stats(A).retransmissions, 0);
    finish(&mut world);
}

#[test]
fn a_message_is_sent_again_as_often_as_it_may() {
    for most in [1, 2] {
        let mut world = losing(1 + usize::from(most));
        let reliability = Reliability::Retransmissions(most);
        send(&mut world, text(1, "stubborn"), reliability);
        world.run_for(secs(30));
        assert_eq!(world.stats(A).retransmissions, u64::from(most));
        assert_eq!(abandoned(&world, A).len(), 1);
        assert!(world.texts(Z).is_empty());
        finish(&mut world);
    }
}

#[test]
fn a_retransmission_that_arrives_is_no_reason_to_give_up() {
    let mut world = losing(1);
    send(&mut world, text(1, "late"), Reliability::Retransmissions(1));
    world.run_for(secs(30));
    assert_eq!(world.texts(Z), ["late"]);
    assert!(abandoned(&world, A).is_empty());
    assert_eq!(world.stats(A).skips_sent, 0);
    finish(&mut world);
}

#[test]
fn a_message_whose_time_runs_out_before_it_is_sent_needs_no_skip() {
    let mut world = partial(|options| options.receive_buffer = 4096).established();
    world.set_reading(Z, Reading::Stopped);
    world.send(A, blob(0, 20_000));
    send(&mut world, text(1, "stale"), timed(300));
    world.run_for(secs(2));
    let expected = (Policy::Timed, SendFailure::Unsent, 5);
    assert_eq!(abandoned(&world, A), [expected]);
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(60));
    assert_eq!(world.messages(Z), [blob(0, 20_000)]);
    assert_eq!(world.stats(A).skips_sent, 0);
    finish(&mut world);
}

#[test]
fn a_message_is_not_sent_again_when_its_time_is_up() {
    let mut world = losing(1);
    send(&mut world, text(1, "stale"), timed(500));
    world.run_for(secs(10));
    let expected = (Policy::Timed, SendFailure::Unacknowledged, 5);
    assert_eq!(abandoned(&world, A), [expected]);
    assert_eq!(world.count(A, ChunkType::DATA), 1);
    world.send(A, text(1, "fresh"));
    world.run_for(secs(5));
    assert_eq!(world.texts(Z), ["fresh"]);
    finish(&mut world);
}

#[test]
fn a_message_that_arrives_in_time_is_not_given_up() {
    let mut world = partial(|_| {}).established();
    for host in [A, Z] {
        let agreed = world.assoc(host).partial_reliability();
        assert_eq!(agreed, PartialReliability::On);
    }
    for n in 0..20 {
        send(&mut world, text(n % 3, "in time"), timed(100));
    }
    world.run_for(secs(5));
    assert_eq!(world.texts(Z).len(), 20);
    assert!(abandoned(&world, A).is_empty());
    assert_eq!(world.stats(A).skips_sent, 0);
    finish(&mut world);
}

/// An expired message in flight still counts as in flight until it is lost: lifetimes below a round
/// trip do not bypass congestion control.
#[test]
fn a_lifetime_below_a_round_trip_does_not_widen_the_window() {
    let setup = partial(|options| options.max_burst = None);
    let mut world = setup.linked(|link| link.delay = ms(100)).established();
    for _ in 0..200 {
        send(&mut world, blob(0, 1400), timed(30));
    }
    world.run_for(ms(99));
    let sent = world.stats(A).bytes_sent;
    assert!(sent <= 4404 + 1500, "{sent} bytes in the first window");
    world.run_for(secs(5));
    let told = abandoned(&world, A).len();
    assert_eq!(world.messages(Z).len() + told, 200);
    finish(&mut world);
}

#[test]
fn a_message_is_given_up_whole_also_the_part_that_was_never_sent() {
    let mut world = partial(|_| {}).established();
    world.cut_path(1);
    send(&mut world, blob(2, 30_000), timed(1500));
    world.run_for(secs(2));
    world.mend();
    world.send(A, text(2, "next"));
    world.run_for(secs(60));
    let expected = (Policy::Timed, SendFailure::Unacknowledged, 30_000);
    assert_eq!(abandoned(&world, A), [expected]);
    assert_eq!(world.texts(Z), ["next"]);
    finish(&mut world);
}

/// A has a send buffer of 10,000 bytes, and 6000 bytes for a reader that has stopped.
fn stuck() -> World {
    let setup = partial(set("send_buffer=10000, receive_buffer=4 KiB"));
    let mut world = setup.established();
    world.set_reading(Z, Reading::Stopped);
    world.send(A, blob(0, 6000));
    world.run_for(secs(1));
    world
}

#[test]
fn a_more_important_message_pushes_less_important_ones_out_of_a_full_buffer() {
    let mut world = stuck();
    let half = (10_000 - world.stats(A).send_buffered) / 2;
    send(&mut world, blob(1, half - 100), Reliability::Priority(5));
    send(&mut world, blob(1, half - 200), Reliability::Priority(7));
    assert_eq!(world.waiting(A), 0);
    send(&mut world, blob(2, 1500), Reliability::Priority(6));
    world.pump();
    let least = (Policy::Priority, SendFailure::Unsent, half - 200);
    assert_eq!(abandoned(&world, A), [least]);
    world.send(A, blob(3, 2 * half - 100));
    world.pump();
    assert_eq!(abandoned(&world, A).len(), 3);
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(60));
    assert_eq!(world.messages(Z), [blob(0, 6000), blob(3, 2 * half - 100)]);
    assert_eq!(world.stats(A).skips_sent, 0);
    finish(&mut world);
}

#[test]
fn a_message_pushes_out_nothing_as_important_as_itself_and_nothing_in_vain() {
    let mut world = stuck();
    let room = 10_000 - world.stats(A).send_buffered;
    send(&mut world, blob(1, room - 500), Reliability::Priority(5));
    for (len, reliability) in [
        (3000, Reliability::Priority(5)),
        (3000, Reliability::Priority(6)),
        (9950, Reliability::Reliable),
    ] {
        let outcome = world.try_send(A, blob(2, len), options(reliability));
        assert_eq!(outcome, Err(SendError::BufferFull(blob(2, len))));
    }
    assert!(abandoned(&world, A).is_empty());
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(60));
    assert_eq!(world.messages(Z), [blob(0, 6000), blob(1, room - 500)]);
    finish(&mut world);
}

#[test]
fn without_the_peers_agreement_every_message_is_reliable() {
    for (without, setup) in unwanted().both_ways() {
        let mut world = setup.established();
        for host in [A, Z] {
            let agreed = world.assoc(host).partial_reliability();
            assert_eq!(agreed, PartialReliability::Off, "{without}");
        }
        world.drop_next(A, ChunkType::DATA, 2);
        send(&mut world, text(1, "once"), ONCE);
        send(&mut world, text(1, "soon"), timed(1));
        world.run_for(secs(30));
        assert_eq!(world.texts(Z), ["once", "soon"], "{without}");
        assert!(abandoned(&world, A).is_empty(), "{without}");
        finish(&mut world);
    }
}

/// Z does not use partial reliability.
fn unwanted() -> Setup {
    partial(|_| {}).z(|options| options.partial_reliability = PartialReliability::Off)
}

#[test]
fn messages_become_reliable_if_the_peer_turns_out_not_to_agree() {
    let mut world = unwanted().connecting();
    send(&mut world, text(1, "once"), ONCE);
    send(&mut world, text(1, "soon"), timed(400));
    world.drop_next(A, ChunkType::DATA, 2);
    world.run_for(secs(30));
    assert_eq!(world.texts(Z), ["once", "soon"]);
    finish(&mut world);
}

#[test]
fn abandoned_messages_are_counted_by_policy_and_stream() {
    let mut world = partial(|_| {}).established();
    world.cut_path(1);
    send(&mut world, text(1, "a"), ONCE);
    send(&mut world, text(2, "b"), timed(200));
    for _ in 0..9 {
        send(&mut world, blob(2, 1400), timed(300));
    }
    world.run_for(ms(400));
    world.mend();
    world.run_for(secs(20));
    let count = |world: &mut World, policy| world.assoc(A).abandonments(policy);
    assert_eq!(count(&mut world, Policy::Retransmissions).sent, 1);
    let timed = count(&mut world, Policy::Timed);
    assert_eq!(timed.total() + world.messages(Z).len() as u64, 10);
    assert!(timed.sent > 0 && timed.unsent > 0, "{timed:?}");
    assert_eq!(count(&mut world, Policy::Priority).total(), 0);
    let on = |world: &mut World, stream| {
        let assoc = world.assoc(A);
        assoc.abandonments_on(StreamId(stream), Policy::Timed)
    };
    assert_eq!(on(&mut world, 2), timed);
    assert_eq!(on(&mut world, 1).total(), 0);
    assert_eq!(world.stats(A).messages_abandoned, timed.total() + 1);
    finish(&mut world);
}

#[test]
fn a_window_that_stays_closed_lets_messages_grow_stale_and_then_goes_on() {
    let mut world = partial(|options| options.receive_buffer = 4096).established();
    world.set_reading(Z, Reading::Stopped);
    for n in 0..40 {
        send(&mut world, blob(n % 4, 1000), timed(5000));
    }
    world.run_for(secs(30));
    world.set_reading(Z, Reading::Eager);
    world.send(A, text(0, "fresh"));
    world.run_for(secs(60));
    assert_eq!(world.texts(Z).last().map(String::as_str), Some("fresh"));
    assert!(world.messages(Z).len() + abandoned(&world, A).len() >= 41);
    assert!(!abandoned(&world, A).is_empty());
    finish(&mut world);
}
