//! FORWARD TSN: notifying the peer of abandoned messages (RFC 3758 §3.5).

use crate::prelude::*;

use super::{ONCE, abandoned, finish, partial, send, skips, timed};

/// Everything sent was acknowledged: only an extra TSN can tell the peer that the rest will not
/// come.
#[test]
fn the_rest_of_a_message_whose_beginning_arrived_is_skipped_with_a_tsn_of_its_own() {
    let mut world =
        partial(set("receive_buffer=8 KiB, partial_delivery_point=1 MiB")).established();
    world.set_reading(Z, Reading::Stopped);
    world.send(A, blob(0, 6000));
    send(&mut world, blob(1, 12_000), timed(2000));
    world.run_for(secs(4));
    assert_eq!(abandoned(&world, A).len(), 1);
    world.set_reading(Z, Reading::Eager);
    world.send(A, text(1, "next"));
    world.run_for(secs(60));
    let messages = world.messages(Z);
    assert_eq!(messages, [blob(0, 6000), text(1, "next")]);
    assert!(world.stats(A).skips_sent > 0);
    finish(&mut world);
}

#[test]
fn a_message_of_which_parts_were_handed_over_is_broken_off_and_the_reader_is_told() {
    let mut world = partial(set(
        "partial_delivery_point=2000, rto_min=100 ms, rto_initial=100 ms",
    ))
    .established();
    let cut = world.now() + ms(15);
    send(&mut world, blob(3, 60_000), timed(700));
    world.cut_path_during(1, cut..cut + secs(2));
    world.run_for(secs(3));
    world.send(A, text(3, "next"));
    world.run_for(secs(30));
    assert_eq!(abandoned(&world, A).len(), 1);
    let stream = StreamId(3);
    assert!(world.saw(Z, &Event::PartialDeliveryAborted { stream }));
    assert_eq!(world.texts(Z), ["next"]);
    finish(&mut world);
}

#[test]
fn unordered_messages_are_skipped_without_naming_a_stream() {
    let mut world = partial(|_| {}).established();
    world.drop_next(A, ChunkType::DATA, 1);
    send(&mut world, text(1, "lost").unordered(), ONCE);
    for n in 0..4 {
        world.send(A, text(1, &format!("kept {n}")).unordered());
    }
    world.run_for(secs(1));
    assert_eq!(world.texts(Z).len(), 4);
    assert_eq!(skips(&world, A), [[]]);
    finish(&mut world);
}

#[test]
fn each_stream_is_named_once_with_its_last_ssn() {
    let mut world = partial(|_| {}).established();
    world.cut_path(1);
    for _ in 0..4 {
        send(&mut world, text(1, "a"), ONCE);
        send(&mut world, text(2, "b"), ONCE);
    }
    world.run_for(ms(500));
    world.mend();
    world.run_for(secs(10));
    assert_eq!(skips(&world, A).last(), Some(&vec![(1, 3), (2, 3)]));
    finish(&mut world);
}

#[test]
fn a_forward_tsn_that_is_lost_is_sent_again() {
    let mut world = partial(|_| {}).established();
    world.drop_next(A, ChunkType::DATA, 1);
    world.drop_next(A, ChunkType::FORWARD_TSN, 2);
    send(&mut world, text(1, "lost"), ONCE);
    world.run_for(secs(30));
    assert_eq!(world.count(A, ChunkType::FORWARD_TSN), 3);
    assert_eq!(world.stats(Z).skips_received, 1);
    finish(&mut world);
}

#[test]
fn a_forward_tsn_that_nobody_answers_ends_the_association() {
    let mut world = partial(|options| options.association_max_retrans = 4).established();
    world.cut_path(1);
    send(&mut world, text(1, "lost"), ONCE);
    world.run_for(secs(300));
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

#[test]
fn a_forward_tsn_that_names_many_streams_stays_within_the_mtu() {
    let mut world = partial(set(
        "outbound_streams=2000, initial_pmtu=576, max_burst=off",
    ))
    .established();
    for stream in 0..40 {
        // The window grows, so that many messages fit.
        world.send(A, blob(stream, 5000));
    }
    world.run_for(secs(5));
    world.cut_path(1);
    for stream in 0..900 {
        send(&mut world, text(stream, "x"), ONCE);
    }
    world.run_for(ms(500));
    world.mend();
    world.run_for(secs(60));
    let named = skips(&world, A);
    let most = named.iter().map(Vec::len).max();
    assert!(
        most > Some(100) && most <= Some((576 - 20 - 12 - 8) / 4),
        "{most:?}"
    );
    let longest = world.sent_with(A, ChunkType::FORWARD_TSN);
    assert!(longest.map(Record::ip_len).max() <= Some(576));
    assert_eq!(abandoned(&world, A).len() + world.messages(Z).len(), 940);
    finish(&mut world);
}
