//! Messages that are given up (RFC 3758, RFC 7496).

mod by_hand;
mod random;

use core::time::Duration;

use sheave_engine::wire::{Chunk, ChunkType, ForwardTsn, StreamId};
use sheave_engine::{
    CloseReason, Event, Interleaving, Message, Options, PartialReliability, PeerRequests, Phase,
    Policy, Reconfiguration, Reliability, SendError, SendFailure, SendOptions, StreamScheduler,
};

use crate::world::{A, HostId, Reading, Setup, World, Z, address, blob, ms, secs, text};

/// Both ends give up what they may, but for what `edit` changes.
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

fn send(world: &mut World, message: Message, reliability: Reliability) {
    world.send_with(A, message, options(reliability));
}

/// Why messages were given up, whether a part had left, and how long they were.
fn abandoned(world: &World, host: HostId) -> Vec<(Policy, SendFailure, usize)> {
    let events = world.events(host);
    events
        .iter()
        .filter_map(|event| match event {
            Event::Abandoned {
                message,
                policy,
                failure,
                ..
            } => Some((*policy, *failure, message.payload.len())),
            _ => None,
        })
        .collect()
}

/// The streams that each FORWARD TSN of a host names.
fn skips(world: &World, host: HostId) -> Vec<Vec<(u16, u16)>> {
    let mut skips = Vec::new();
    for record in world.sent(host) {
        for chunk in record.chunks() {
            let Chunk::Unknown(raw) = chunk else { continue };
            if let Some(forward) = ForwardTsn::from_raw(&raw) {
                let named = forward.skipped.iter();
                skips.push(named.map(|one| (one.stream.0, one.ssn.0)).collect());
            }
        }
    }
    skips
}

/// Nothing is kept of what was given up, and the association closes in order.
#[track_caller]
fn finish(world: &mut World) {
    for host in [A, Z] {
        let stats = world.stats(host);
        assert_eq!(stats.send_buffered, 0, "{stats:?}");
        assert_eq!(stats.receive_buffered, 0, "{stats:?}");
    }
    world.shutdown(A);
    world.run_for(secs(10));
    assert_eq!(world.close_reason(A), Some(CloseReason::Graceful));
    assert_eq!(world.close_reason(Z), Some(CloseReason::Graceful));
}

#[test]
fn a_lost_message_without_retransmissions_is_skipped_and_later_ones_are_read() {
    let mut world = partial(|_| {}).established();
    world.drop_next(A, ChunkType::DATA, 1);
    send(&mut world, text(1, "lost"), ONCE);
    for n in 0..5 {
        world.send(A, text(1, &format!("kept {n}")));
    }
    world.run_for(ms(500));
    assert_eq!(
        world.texts(Z),
        ["kept 0", "kept 1", "kept 2", "kept 3", "kept 4"]
    );
    let expected = (Policy::Retransmissions, SendFailure::Unacknowledged, 4);
    assert_eq!(abandoned(&world, A), [expected]);
    assert_eq!(skips(&world, A), [[(1, 0)]]);
    assert_eq!(world.stats(A).retransmissions, 0);
    finish(&mut world);
}

#[test]
fn a_message_is_sent_again_as_often_as_it_may() {
    for most in [1, 2] {
        let mut world = partial(|_| {}).established();
        world.drop_next(A, ChunkType::DATA, 1 + usize::from(most));
        send(
            &mut world,
            text(1, "stubborn"),
            Reliability::Retransmissions(most),
        );
        world.run_for(secs(30));
        assert_eq!(world.stats(A).retransmissions, u64::from(most));
        assert_eq!(abandoned(&world, A).len(), 1);
        assert!(world.texts(Z).is_empty());
        finish(&mut world);
    }
}

#[test]
fn a_retransmission_that_arrives_is_no_reason_to_give_up() {
    let mut world = partial(|_| {}).established();
    world.drop_next(A, ChunkType::DATA, 1);
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
    let mut world = partial(|_| {}).established();
    world.drop_next(A, ChunkType::DATA, 1);
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
    for n in 0..20 {
        send(&mut world, text(n % 3, "in time"), timed(100));
    }
    world.run_for(secs(5));
    assert_eq!(world.texts(Z).len(), 20);
    assert!(abandoned(&world, A).is_empty());
    assert_eq!(world.stats(A).skips_sent, 0);
    finish(&mut world);
}

/// What is on its way when its time is up is not counted out before it is lost: lifetimes below a
/// round trip lift no limit of congestion control.
#[test]
fn a_lifetime_below_a_round_trip_does_not_widen_the_window() {
    let mut setup = partial(|options| options.max_burst = None);
    setup.link.delay = ms(100);
    let mut world = setup.established();
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

/// All that was sent has arrived and is acknowledged: only a TSN that stands for the rest can tell
/// the peer that no more comes.
#[test]
fn the_rest_of_a_message_whose_beginning_arrived_is_skipped_with_a_tsn_of_its_own() {
    let mut world = partial(|options| {
        options.receive_buffer = 8192;
        options.partial_delivery_point = 1 << 20;
    })
    .established();
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
    let mut world = partial(|options| {
        options.partial_delivery_point = 2000;
        options.rto_min = ms(100);
        options.rto_initial = ms(100);
    })
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
    let mut world = partial(|options| {
        options.outbound_streams = 2000;
        options.initial_pmtu = 576;
        options.max_burst = None;
    })
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
    assert!(longest.map(crate::world::Record::ip_len).max() <= Some(576));
    assert_eq!(abandoned(&world, A).len() + world.messages(Z).len(), 940);
    finish(&mut world);
}

#[test]
fn a_more_important_message_pushes_less_important_ones_out_of_a_full_buffer() {
    let mut world = partial(|options| {
        options.send_buffer = 10_000;
        options.receive_buffer = 4096;
    })
    .established();
    world.set_reading(Z, Reading::Stopped);
    world.send(A, blob(0, 6000));
    world.run_for(secs(1));
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
    let mut world = partial(|options| {
        options.send_buffer = 10_000;
        options.receive_buffer = 4096;
    })
    .established();
    world.set_reading(Z, Reading::Stopped);
    world.send(A, blob(0, 6000));
    world.run_for(secs(1));
    let room = 10_000 - world.stats(A).send_buffered;
    send(&mut world, blob(1, room - 500), Reliability::Priority(5));
    let now = world.now();
    for (len, reliability) in [
        (3000, Reliability::Priority(5)),
        (3000, Reliability::Priority(6)),
        (9950, Reliability::Reliable),
    ] {
        let outcome = world.assoc(A).send(now, blob(2, len), options(reliability));
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
    let mut setup = partial(|_| {});
    setup.z.partial_reliability = PartialReliability::Off;
    for (connects, listens) in [(setup.a.clone(), setup.z.clone()), (setup.z, setup.a)] {
        let setup = Setup {
            a: connects,
            z: listens,
            ..Setup::default()
        };
        let mut world = setup.established();
        for host in [A, Z] {
            let agreed = world.assoc(host).partial_reliability();
            assert_eq!(agreed, PartialReliability::Off);
        }
        world.drop_next(A, ChunkType::DATA, 2);
        send(&mut world, text(1, "once"), ONCE);
        send(&mut world, text(1, "soon"), timed(1));
        world.run_for(secs(30));
        assert_eq!(world.texts(Z), ["once", "soon"]);
        assert!(abandoned(&world, A).is_empty());
        finish(&mut world);
    }
}

#[test]
fn what_was_sent_before_the_peer_was_heard_becomes_reliable_if_it_does_not_agree() {
    let mut setup = partial(|_| {});
    setup.z.partial_reliability = PartialReliability::Off;
    let mut world = setup.connecting();
    send(&mut world, text(1, "once"), ONCE);
    send(&mut world, text(1, "soon"), timed(400));
    world.drop_next(A, ChunkType::DATA, 2);
    world.run_for(secs(30));
    assert_eq!(world.texts(Z), ["once", "soon"]);
    finish(&mut world);
}

#[test]
fn both_ends_know_that_they_agreed() {
    let mut world = partial(|_| {}).established();
    for host in [A, Z] {
        let agreed = world.assoc(host).partial_reliability();
        assert_eq!(agreed, PartialReliability::On);
    }
}

#[test]
fn what_is_given_up_is_counted_by_policy_and_stream() {
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
fn a_shutdown_waits_until_the_peer_has_skipped_what_was_given_up() {
    let mut world = partial(|_| {}).established();
    world.drop_next(A, ChunkType::DATA, 1);
    send(&mut world, text(1, "lost"), ONCE);
    world.shutdown(A);
    world.run_for(ms(300));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownPending);
    world.run_for(secs(20));
    assert_eq!(world.close_reason(A), Some(CloseReason::Graceful));
    assert_eq!(world.close_reason(Z), Some(CloseReason::Graceful));
}

#[test]
fn a_shutdown_goes_on_when_all_that_is_left_is_out_of_time() {
    let mut world = partial(|options| options.receive_buffer = 4096).established();
    world.set_reading(Z, Reading::Stopped);
    world.send(A, blob(0, 3000));
    world.run_for(secs(1));
    send(&mut world, blob(1, 3000), timed(800));
    world.shutdown(A);
    world.run_for(secs(20));
    assert_eq!(world.close_reason(A), Some(CloseReason::Graceful));
    assert_eq!(abandoned(&world, A).len(), 1);
}

#[test]
fn the_peers_shutdown_waits_for_our_forward_tsn() {
    let mut world = partial(|_| {}).established();
    world.drop_next(A, ChunkType::DATA, 1);
    send(&mut world, text(1, "lost"), ONCE);
    world.run_for(ms(100));
    world.shutdown(Z);
    world.run_for(secs(20));
    assert!(world.count(A, ChunkType::FORWARD_TSN) > 0);
    assert_eq!(world.close_reason(A), Some(CloseReason::Graceful));
    assert_eq!(world.close_reason(Z), Some(CloseReason::Graceful));
}

#[test]
fn drained_is_told_when_the_rest_is_given_up() {
    let mut world = partial(|_| {}).established();
    world.drop_next(A, ChunkType::DATA, 1);
    send(&mut world, text(1, "lost"), ONCE);
    world.wait_for(A, &Event::Drained, secs(10));
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

/// A loss counts for the window whether the chunk is sent again or not (RFC 3758 §3.5, F5).
#[test]
fn a_loss_that_is_not_repaired_halves_the_window_nonetheless() {
    let cwnd = |reliability| {
        let mut world = partial(|_| {}).established();
        world.drop_nth(A, ChunkType::DATA, &[30]);
        for _ in 0..80 {
            send(&mut world, blob(0, 1400), reliability);
        }
        world.run_for(secs(5));
        let path = world.path(A, address(Z, 1));
        (path.ssthresh, path.fast_retransmissions)
    };
    let (reliable, repaired) = cwnd(Reliability::Reliable);
    let (partial, skipped) = cwnd(ONCE);
    assert_eq!((repaired, skipped), (1, 0));
    assert_eq!(reliable, partial);
}

#[test]
fn go_back_n_goes_on_behind_what_was_given_up() {
    use sheave_engine::LossRecovery;
    let mut world = partial(|options| options.loss_recovery = LossRecovery::GoBackN).established();
    world.drop_nth(A, ChunkType::DATA, &[3, 7, 11]);
    for n in 0..60 {
        let reliability = if n % 2 == 0 {
            ONCE
        } else {
            Reliability::Reliable
        };
        send(&mut world, blob(n % 3, 1300 + usize::from(n)), reliability);
    }
    world.run_for(secs(60));
    let told = abandoned(&world, A).len();
    assert!(told > 0);
    assert!(world.messages(Z).len() + told >= 60);
    finish(&mut world);
}

#[test]
fn losses_found_by_time_are_given_up_too_and_tails_are_not_probed_in_vain() {
    use sheave_engine::LossDetection;
    let mut world = partial(|options| options.loss_detection = LossDetection::Rack).established();
    world.drop_nth(A, ChunkType::DATA, &[2, 19]);
    for n in 0..20 {
        send(&mut world, blob(n % 3, 1300), ONCE);
    }
    world.run_for(secs(60));
    assert_eq!(world.stats(A).retransmissions, 0);
    assert_eq!(abandoned(&world, A).len(), 2);
    assert_eq!(world.messages(Z).len(), 18);
    finish(&mut world);
}

#[test]
fn a_damaged_chunk_is_sent_again_only_as_often_as_it_may() {
    use sheave_engine::ChunkChecksum;
    let mut setup = partial(|options| options.chunk_checksum = ChunkChecksum::On);
    setup.link.corrupt = 150;
    let mut world = setup.established();
    for n in 0..100 {
        send(&mut world, blob(n % 4, 900), ONCE);
    }
    world.run_for(secs(60));
    assert_eq!(world.stats(A).retransmissions, 0);
    assert!(world.stats(A).messages_abandoned > 0);
    assert_eq!(world.messages(Z).len() + abandoned(&world, A).len(), 100);
}

#[test]
fn streams_can_be_reset_behind_what_was_given_up() {
    use sheave_engine::{PeerRequests, Reconfiguration, StreamDirection};
    let mut world = partial(|options| {
        options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
    })
    .established();
    world.cut_path(1);
    send(&mut world, text(1, "lost"), ONCE);
    let now = world.now();
    let outgoing = StreamDirection::Outgoing;
    let outcome = world.assoc(A).reset_streams(now, &[StreamId(1)], outgoing);
    assert_eq!(outcome, Ok(()));
    send(&mut world, text(1, "held and stale"), timed(100));
    world.send(A, text(1, "new"));
    world.run_for(ms(500));
    world.mend();
    world.run_for(secs(20));
    assert_eq!(world.texts(Z), ["new"]);
    assert_eq!(abandoned(&world, A).len(), 2);
    let reset = Event::StreamsReset {
        direction: outgoing,
        streams: vec![StreamId(1)],
    };
    assert!(world.saw(A, &reset));
    finish(&mut world);
}

#[test]
fn another_path_carries_the_forward_tsn_when_the_first_is_dead() {
    let mut setup = partial(|options| {
        options.path_max_retrans = 1;
        options.rto_min = ms(200);
        options.rto_initial = ms(200);
        options.rto_max = secs(1);
    });
    setup = setup.paths(2);
    let mut world = setup.established();
    world.run_for(secs(10));
    world.cut_path(1);
    for _ in 0..3 {
        send(&mut world, text(1, "lost"), ONCE);
        world.run_for(secs(1));
    }
    world.run_for(secs(10));
    world.send(A, text(1, "fresh"));
    world.run_for(secs(10));
    assert_eq!(world.texts(Z).last().map(String::as_str), Some("fresh"));
    assert_eq!(world.stats(A).send_buffered, 0);
}

#[test]
fn tickets_ssns_and_tsns_may_wrap_while_messages_are_given_up() {
    // Streams of 65,536 messages and more: SSNs wrap, every 50th message is lost (A30).
    let mut setup = partial(|options| options.max_burst = None);
    setup.link.delay = Duration::from_micros(100);
    let mut world = setup.established();
    let mut nth = 0_u32;
    world.add_rule(move |record| {
        nth += u32::from(record.has(ChunkType::DATA));
        if record.has(ChunkType::DATA) && nth.is_multiple_of(50) {
            crate::world::Verdict::Drop
        } else {
            crate::world::Verdict::Deliver
        }
    });
    let mut told = 0;
    let mut read = 0;
    for _ in 0..70 {
        for _ in 0..1000 {
            send(&mut world, text(1, "x"), ONCE);
        }
        world.run_for(secs(8));
        read += world.received(Z).len();
        world.forget_received(Z);
        told = abandoned(&world, A).len();
    }
    assert!(told > 100, "{told}");
    assert_eq!(read + told, 70_000);
    finish(&mut world);
}

#[test]
fn messages_are_given_up_after_the_numbers_began_anew_too() {
    for interleaving in [Interleaving::Off, Interleaving::On] {
        let mut world = partial(|options| {
            options.interleaving = interleaving;
            options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
        })
        .established();
        let now = world.now();
        assert_eq!(world.assoc(A).reset_tsns(now), Ok(()));
        world.run_for(secs(5));
        // The end of a message of several chunks, and the beginning of another.
        world.drop_nth(A, ChunkType::DATA, &[2, 3]);
        world.drop_nth(A, ChunkType::I_DATA, &[2, 3]);
        for len in [4000, 4000, 10] {
            send(&mut world, blob(1, len), ONCE);
        }
        world.run_for(secs(20));
        assert_eq!(world.messages(Z), [blob(1, 10)], "{interleaving:?}");
        assert!(world.stats(Z).skips_received > 0);
        finish(&mut world);
    }
}

/// As [`partial`], with messages interleaved.
fn interleaved(edit: impl FnOnce(&mut Options)) -> Setup {
    partial(|options| {
        options.interleaving = Interleaving::On;
        options.scheduler = StreamScheduler::RoundRobin;
        edit(options);
    })
}

#[test]
fn interleaved_messages_are_skipped_with_i_forward_tsn() {
    let mut world = interleaved(|_| {}).established();
    world.drop_nth(A, ChunkType::I_DATA, &[0, 3]);
    send(&mut world, text(1, "lost"), ONCE);
    send(&mut world, text(2, "lost too").unordered(), ONCE);
    for n in 0..8 {
        world.send(A, text(1, &format!("kept {n}")));
    }
    world.run_for(secs(5));
    assert_eq!(
        world
            .texts(Z)
            .iter()
            .filter(|text| text.starts_with("kept"))
            .count(),
        8
    );
    assert!(!abandoned(&world, A).is_empty());
    assert!(world.count(A, ChunkType::I_FORWARD_TSN) > 0);
    assert_eq!(world.count(A, ChunkType::FORWARD_TSN), 0);
    finish(&mut world);
}

#[test]
fn a_large_message_is_given_up_between_the_chunks_of_others() {
    let mut world = interleaved(|options| {
        options.rto_min = ms(100);
        options.rto_initial = ms(100);
    })
    .established();
    let cut = world.now() + ms(25);
    send(&mut world, blob(1, 60_000), timed(600));
    send(&mut world, blob(2, 60_000).unordered(), timed(600));
    world.send(A, blob(3, 60_000));
    world.cut_path_during(1, cut..cut + secs(1));
    world.run_for(secs(3));
    world.send(A, text(1, "next"));
    world.run_for(secs(60));
    assert_eq!(abandoned(&world, A).len(), 2);
    assert_eq!(world.messages(Z), [blob(3, 60_000), text(1, "next")]);
    finish(&mut world);
}

#[test]
fn a_peer_without_i_forward_tsn_gets_interleaved_messages_whole() {
    let mut setup = interleaved(|_| {});
    setup.z.partial_reliability = PartialReliability::Off;
    let mut world = setup.established();
    let agreed = world.assoc(A).partial_reliability();
    assert_eq!(agreed, PartialReliability::Off);
    world.drop_next(A, ChunkType::I_DATA, 1);
    send(&mut world, text(1, "once"), ONCE);
    world.run_for(secs(10));
    assert_eq!(world.texts(Z), ["once"]);
    finish(&mut world);
}
