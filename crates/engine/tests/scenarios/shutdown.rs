//! Ending an association (RFC 9260 §9).

use core::time::Duration;

use sheave_engine::wire::{
    Abort, Cause, Causes, Chunk, ChunkType, CookieEcho, Shutdown, ShutdownComplete, TagReflection,
    Tsn, Vtag,
};
use sheave_engine::{
    CloseReason, Event, Heartbeats, Options, Phase, SendError, SendFailure, SendOptions,
    ShutdownError,
};

use crate::world::{
    A, HostId, Peer, Reading, Record, Setup, Verdict, World, Z, blob, ms, secs, text,
};

fn quiet() -> Options {
    Options {
        heartbeats: Heartbeats::Off,
        ..Options::default()
    }
}

fn both_closed(world: &mut World) -> bool {
    [A, Z]
        .into_iter()
        .all(|host| world.endpoint(host).stats().associations == 0)
}

#[track_caller]
fn assert_graceful(world: &mut World) {
    assert!(both_closed(world));
    for host in [A, Z] {
        assert_eq!(world.close_reason(host), Some(CloseReason::Graceful));
        assert_eq!(world.endpoint(host).stats().buffered, 0);
    }
}

#[test]
fn a_shutdown_takes_three_packets() {
    let mut world = Setup::quiet(|_| {}).established();
    let before = world.log().len();
    world.shutdown(A);
    world.run_for(secs(10));
    let types: Vec<_> = world.log()[before..]
        .iter()
        .flat_map(Record::types)
        .collect();
    assert_eq!(
        types,
        [
            ChunkType::SHUTDOWN,
            ChunkType::SHUTDOWN_ACK,
            ChunkType::SHUTDOWN_COMPLETE,
        ]
    );
    assert_graceful(&mut world);
}

#[test]
fn the_other_end_is_told_that_the_peer_shuts_down() {
    let mut world = Setup::quiet(|_| {}).established();
    world.shutdown(A);
    world.run_for(secs(1));
    assert!(world.saw(Z, &Event::PeerShutdown));
    assert!(!world.saw(A, &Event::PeerShutdown));
}

#[test]
fn after_a_shutdown_nothing_is_left_to_wait_for() {
    use sheave_engine::Node;
    let mut world = Setup::default().established();
    world.shutdown(A);
    world.run_for(secs(1));
    for host in [A, Z] {
        let at = world.endpoint(host).poll_timeout();
        assert_eq!(at, None, "no timer outlives the association");
    }
}

#[track_caller]
fn survives_the_loss_of(sender: HostId, chunk: ChunkType, times: usize) {
    let mut world = Setup::quiet(|_| {}).established();
    world.drop_next(sender, chunk, times);
    world.shutdown(A);
    world.run_for(secs(120));
    assert_graceful(&mut world);
}

#[test]
fn a_lost_shutdown_is_retransmitted() {
    survives_the_loss_of(A, ChunkType::SHUTDOWN, 1);
    survives_the_loss_of(A, ChunkType::SHUTDOWN, 4);
}

#[test]
fn a_lost_shutdown_ack_is_retransmitted() {
    survives_the_loss_of(Z, ChunkType::SHUTDOWN_ACK, 1);
    survives_the_loss_of(Z, ChunkType::SHUTDOWN_ACK, 4);
}

#[test]
fn a_lost_shutdown_complete_is_repeated_out_of_the_blue() {
    survives_the_loss_of(A, ChunkType::SHUTDOWN_COMPLETE, 1);
    survives_the_loss_of(A, ChunkType::SHUTDOWN_COMPLETE, 4);
}

#[test]
fn shutdowns_that_cross_end_gracefully() {
    for after in (0..60).step_by(3) {
        let mut world = Setup::quiet(|_| {}).established();
        world.shutdown(A);
        world.run_for(ms(after));
        if world.is_open(Z) && world.assoc(Z).phase() == Phase::Established {
            world.shutdown(Z);
        }
        world.run_for(secs(60));
        assert_graceful(&mut world);
    }
}

#[test]
fn shutdowns_that_cross_survive_the_loss_of_any_one_packet() {
    for lost in 1..=8 {
        for after in [0, 5, 9] {
            let mut world = Setup::quiet(|_| {}).established();
            let mut nth = 0;
            world.add_rule(move |_| {
                nth += 1;
                if nth == lost {
                    Verdict::Drop
                } else {
                    Verdict::Deliver
                }
            });
            world.send(A, text(0, "last words of A"));
            world.send(Z, text(0, "last words of Z"));
            world.shutdown(A);
            world.run_for(ms(after));
            if world.assoc(Z).phase() == Phase::Established {
                world.shutdown(Z);
            }
            world.run_for(secs(120));
            assert_graceful(&mut world);
            assert_eq!(world.texts(Z), ["last words of A"]);
            assert_eq!(world.texts(A), ["last words of Z"]);
        }
    }
}

#[test]
fn what_was_sent_before_the_shutdown_is_delivered() {
    for loss in [0, 100] {
        let mut setup = Setup::quiet(|_| {});
        setup.link.loss = loss;
        let mut world = setup.established();
        for n in 0..20 {
            world.send(A, blob(n % 10, 30_000));
            world.send(Z, blob(n % 10, 30_000));
        }
        world.shutdown(A);
        world.run_for(secs(600));
        assert_graceful(&mut world);
        assert_eq!(world.messages(Z).len(), 20);
        assert_eq!(world.messages(A).len(), 20, "the peer's data too");
    }
}

#[test]
fn a_shutdown_waits_for_a_reader_that_is_slow() {
    let mut world = Setup::quiet(|options| options.receive_buffer = 20_000).established();
    world.set_reading(Z, Reading::Stopped);
    for _ in 0..10 {
        world.send(A, blob(0, 10_000));
    }
    world.shutdown(A);
    world.run_for(secs(30));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownPending);
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(120));
    assert_graceful(&mut world);
    assert_eq!(world.messages(Z).len(), 10);
}

#[test]
fn nothing_is_accepted_once_a_shutdown_began() {
    let mut world = Setup::quiet(|_| {}).established();
    world.shutdown(A);
    world.wait_for(Z, &Event::PeerShutdown, secs(1));
    let now = world.now();
    for host in [A, Z] {
        let Some(_) = world.is_open(host).then_some(()) else {
            continue;
        };
        let refused = world
            .assoc(host)
            .send(now, text(0, "too late"), SendOptions::default());
        assert_eq!(refused, Err(SendError::ShuttingDown));
    }
    assert_eq!(
        world.assoc(A).shutdown(now),
        Err(ShutdownError::AlreadyShuttingDown)
    );
}

#[test]
fn a_shutdown_of_an_association_not_yet_up_delivers_what_was_sent() {
    let mut world = Setup::quiet(|_| {}).connecting();
    world.send(A, text(0, "in passing"));
    world.shutdown(A);
    world.run_for(secs(60));
    assert!(both_closed(&mut world));
    assert_eq!(world.texts(Z), ["in passing"]);
}

#[test]
fn shutdowns_back_off_and_end_after_association_max_retrans() {
    let (mut world, mut peer) = Peer::serving(Options {
        association_max_retrans: 3,
        ..quiet()
    });
    let began = world.now();
    world.shutdown(A);
    let arrived = peer.listen(&mut world, secs(300));
    let times: Vec<_> = world.times(A, ChunkType::SHUTDOWN);
    let times: Vec<Duration> = times.iter().map(|at| at.since(began)).collect();
    assert_eq!(times, [secs(0), secs(1), secs(3), secs(7)]);
    assert_eq!(
        arrived
            .iter()
            .filter(|record| record.has(ChunkType::SHUTDOWN))
            .count(),
        4
    );
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

#[test]
fn shutdown_acks_back_off_and_end_after_association_max_retrans() {
    let (mut world, mut peer) = Peer::serving(Options {
        association_max_retrans: 3,
        ..quiet()
    });
    let cumulative_tsn_ack = peer.engine_tsn.prev();
    peer.send(
        &mut world,
        &[Chunk::Shutdown(Shutdown { cumulative_tsn_ack })],
    );
    world.run_for(secs(300));
    peer.take(&world);
    assert_eq!(world.count(A, ChunkType::SHUTDOWN_ACK), 4);
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

fn shutdown_sent(options: Options) -> (World, Peer) {
    let (mut world, mut peer) = Peer::serving(options);
    world.shutdown(A);
    peer.expect(&mut world, ChunkType::SHUTDOWN);
    (world, peer)
}

fn shutdown_ack_sent(options: Options) -> (World, Peer) {
    let (mut world, mut peer) = Peer::serving(options);
    let cumulative_tsn_ack = peer.engine_tsn.prev();
    peer.send(
        &mut world,
        &[Chunk::Shutdown(Shutdown { cumulative_tsn_ack })],
    );
    peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
    (world, peer)
}

#[test]
fn data_after_our_shutdown_is_answered_with_a_shutdown_at_once() {
    let (mut world, mut peer) = shutdown_sent(quiet());
    peer.send_data(&mut world, 0, 0, b"late");
    let tsn = peer.tsn.prev();
    let arrived = peer.listen(&mut world, ms(25));
    let shutdowns = arrived
        .iter()
        .flat_map(Record::chunks)
        .filter_map(|chunk| match chunk {
            Chunk::Shutdown(shutdown) => Some(shutdown.cumulative_tsn_ack),
            _ => None,
        });
    assert_eq!(shutdowns.collect::<Vec<_>>(), [tsn]);
    assert_eq!(world.texts(A), ["late"]);
}

#[test]
fn a_gap_after_our_shutdown_is_told_in_a_sack_as_well() {
    let (mut world, mut peer) = shutdown_sent(quiet());
    peer.tsn = peer.tsn.next();
    peer.send_data(&mut world, 0, 1, b"out of order");
    let arrived = peer.listen(&mut world, ms(25));
    assert!(arrived.iter().any(|record| record.has(ChunkType::SHUTDOWN)));
    let sack = arrived.iter().find_map(Record::sack).expect("a SACK");
    assert_eq!(sack.gap_blocks.len(), 1);
}

#[test]
fn a_peer_that_keeps_sending_holds_the_shutdown_open() {
    let (mut world, mut peer) = shutdown_sent(Options {
        association_max_retrans: 2,
        ..quiet()
    });
    for n in 0..60 {
        peer.send_data(&mut world, 0, n, b"still talking");
        world.run_for(ms(900));
    }
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownSent);
    assert_eq!(world.messages(A).len(), 60);
}

#[test]
fn a_shutdown_after_our_own_is_answered_with_a_shutdown_ack() {
    let (mut world, mut peer) = shutdown_sent(quiet());
    let cumulative_tsn_ack = peer.engine_tsn.prev();
    peer.send(
        &mut world,
        &[Chunk::Shutdown(Shutdown { cumulative_tsn_ack })],
    );
    peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownAckSent);
}

#[test]
fn a_shutdown_ack_after_our_own_completes() {
    let (mut world, mut peer) = shutdown_ack_sent(quiet());
    peer.send(&mut world, &[Chunk::ShutdownAck]);
    let complete = peer.expect(&mut world, ChunkType::SHUTDOWN_COMPLETE);
    assert_eq!(complete.vtag(), peer.tag);
    assert_eq!(world.close_reason(A), Some(CloseReason::Graceful));
}

// RFC 9260 §9.2
#[test]
fn a_shutdown_acknowledges_what_it_says() {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.send(A, text(0, "the last message"));
    peer.expect(&mut world, ChunkType::DATA);
    let cumulative_tsn_ack = peer.engine_tsn;
    peer.send(
        &mut world,
        &[Chunk::Shutdown(Shutdown { cumulative_tsn_ack })],
    );
    let arrived = peer.listen(&mut world, ms(25));
    assert!(
        arrived
            .iter()
            .any(|record| record.has(ChunkType::SHUTDOWN_ACK))
    );
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownAckSent);
}

#[test]
fn a_shutdown_before_all_is_acknowledged_waits_for_the_rest() {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.send(A, text(0, "not there yet"));
    peer.expect(&mut world, ChunkType::DATA);
    let cumulative_tsn_ack = peer.engine_tsn.prev();
    peer.send(
        &mut world,
        &[Chunk::Shutdown(Shutdown { cumulative_tsn_ack })],
    );
    world.run_for(ms(500));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownReceived);
    assert_eq!(world.count(A, ChunkType::SHUTDOWN_ACK), 0);
    peer.send_sack(&mut world, 1);
    peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
}

#[test]
fn a_shutdown_acknowledges_nothing_if_it_names_what_was_never_sent() {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.send(A, text(0, "still to be acknowledged"));
    peer.expect(&mut world, ChunkType::DATA);
    let cumulative_tsn_ack = peer.engine_tsn.plus(5);
    peer.send(
        &mut world,
        &[Chunk::Shutdown(Shutdown { cumulative_tsn_ack })],
    );
    world.run_for(ms(500));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownReceived);
    assert_eq!(world.count(A, ChunkType::SHUTDOWN_ACK), 0);
    peer.send_sack(&mut world, 1);
    peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
}

// RFC 9260 §6
#[test]
fn data_after_the_peers_own_shutdown_is_discarded() {
    let (mut world, mut peer) = shutdown_ack_sent(quiet());
    peer.send_data(&mut world, 0, 0, b"after all");
    let arrived = peer.listen(&mut world, ms(500));
    assert!(arrived.iter().all(|record| record.sack().is_none()));
    assert!(world.received(A).is_empty());
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownAckSent);
}

#[test]
fn a_shutdown_complete_ends_the_wait() {
    let (mut world, mut peer) = shutdown_ack_sent(quiet());
    let reflected = TagReflection::Own;
    peer.send(
        &mut world,
        &[Chunk::ShutdownComplete(ShutdownComplete { reflected })],
    );
    peer.expect_silence(&mut world, secs(10));
    assert_eq!(world.close_reason(A), Some(CloseReason::Graceful));
}

// RFC 9260 §8.5.1 C
#[test]
fn a_shutdown_complete_in_any_other_phase_is_ignored() {
    let (mut world, mut peer) = Peer::serving(quiet());
    let reflected = TagReflection::Own;
    peer.send(
        &mut world,
        &[Chunk::ShutdownComplete(ShutdownComplete { reflected })],
    );
    peer.expect_silence(&mut world, secs(1));
    peer.expect_alive(&mut world);
    let (mut world, peer) = shutdown_sent(quiet());
    peer.send(
        &mut world,
        &[Chunk::ShutdownComplete(ShutdownComplete { reflected })],
    );
    world.run_for(ms(100));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownSent);
}

#[test]
fn a_shutdown_while_connecting_is_discarded() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    let tag = peer.engine_tag;
    let cumulative_tsn_ack = Tsn(0);
    let packet = peer.packet_with(tag, &[Chunk::Shutdown(Shutdown { cumulative_tsn_ack })]);
    peer.inject(&mut world, packet);
    peer.expect_silence(&mut world, ms(500));
    assert_eq!(world.assoc(A).phase(), Phase::CookieWait);
}

// RFC 9260 §9.2: an INIT that meets SHUTDOWN-ACK-SENT brings the SHUTDOWN ACK again.
#[test]
fn an_init_while_waiting_for_the_shutdown_complete_brings_the_shutdown_ack_again() {
    let (mut world, mut peer) = shutdown_ack_sent(quiet());
    let again = Peer {
        tag: Vtag(0x1234),
        ..peer.clone()
    };
    again.send_init(&mut world, &[]);
    let arrived = peer.listen(&mut world, ms(100));
    assert!(
        arrived
            .iter()
            .any(|record| record.has(ChunkType::SHUTDOWN_ACK))
    );
    assert!(!arrived.iter().any(|record| record.has(ChunkType::INIT_ACK)));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownAckSent);
}

// RFC 9260 §5.2.4 A, last paragraph.
#[test]
fn a_restart_while_waiting_for_the_shutdown_complete_is_refused() {
    let (mut world, mut peer) = Peer::serving(quiet());
    let mut again = Peer {
        tag: Vtag(0x1234),
        ..peer.clone()
    };
    let cookie = again.ask_cookie(&mut world, &[]);
    peer.take(&world);
    let cumulative_tsn_ack = peer.engine_tsn.prev();
    peer.send(
        &mut world,
        &[Chunk::Shutdown(Shutdown { cumulative_tsn_ack })],
    );
    peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
    again.send(
        &mut world,
        &[Chunk::CookieEcho(CookieEcho { cookie: &cookie })],
    );
    let arrived = peer.listen(&mut world, ms(100));
    assert!(
        arrived
            .iter()
            .any(|record| record.has(ChunkType::SHUTDOWN_ACK))
    );
    let causes: Vec<u16> = arrived.iter().flat_map(Record::causes).collect();
    assert_eq!(causes, [10], "Cookie Received While Shutting Down");
    assert!(!world.saw(A, &Event::Restarted));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownAckSent);
}

// RFC 9260 §9.2, §8.5.1 E
#[test]
fn a_shutdown_ack_while_connecting_is_out_of_the_blue() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    let packet = peer.packet_with(Vtag(0xabcd), &[Chunk::ShutdownAck]);
    peer.inject(&mut world, packet);
    let answer = peer.expect(&mut world, ChunkType::SHUTDOWN_COMPLETE);
    assert_eq!(answer.vtag(), Vtag(0xabcd));
    let Chunk::ShutdownComplete(complete) = answer.chunks()[0] else {
        unreachable!()
    };
    assert_eq!(complete.reflected, TagReflection::Reflected);
    assert_eq!(world.assoc(A).phase(), Phase::CookieWait);
}

// ---- ABORT, RFC 9260 §9.1 ----

#[test]
fn an_abort_tells_its_reason() {
    for (aborter, other) in [(A, Z), (Z, A)] {
        let mut world = Setup::quiet(|_| {}).established();
        world.abort(aborter, "out of patience");
        world.run_for(secs(1));
        assert_eq!(world.close_reason(aborter), Some(CloseReason::Aborted));
        assert_eq!(
            world.close_reason(other),
            Some(CloseReason::AbortedByPeer {
                cause: Some(12),
                detail: "out of patience".into(),
            })
        );
        assert!(both_closed(&mut world));
        let aborts = world.sent_with(aborter, ChunkType::ABORT).count();
        assert_eq!(aborts, 1);
    }
}

#[test]
fn an_abort_is_not_answered() {
    let (mut world, mut peer) = Peer::serving(quiet());
    let causes = [Cause::UserInitiatedAbort(b"enough")];
    let causes = Causes::from(&causes[..]);
    peer.send(
        &mut world,
        &[Chunk::Abort(Abort {
            reflected: TagReflection::Own,
            causes,
        })],
    );
    peer.expect_silence(&mut world, secs(10));
    assert_eq!(
        world.close_reason(A),
        Some(CloseReason::AbortedByPeer {
            cause: Some(12),
            detail: "enough".into(),
        })
    );
}

#[test]
fn a_lost_abort_is_repeated_to_whoever_still_talks() {
    let mut world = Setup::quiet(|_| {}).established();
    world.drop_next(A, ChunkType::ABORT, 1);
    world.abort(A, "gone");
    world.run_for(secs(1));
    assert!(world.is_open(Z));
    world.send(Z, text(0, "hello?"));
    world.run_for(secs(1));
    assert!(!world.is_open(Z));
}

#[test]
fn an_abort_while_connecting_ends_the_attempt() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    let causes = Causes::EMPTY;
    peer.send(
        &mut world,
        &[Chunk::Abort(Abort {
            reflected: TagReflection::Own,
            causes,
        })],
    );
    peer.expect_silence(&mut world, secs(10));
    assert_eq!(
        world.close_reason(A),
        Some(CloseReason::AbortedByPeer {
            cause: None,
            detail: Default::default(),
        })
    );
}

#[test]
fn aborting_while_connecting_leaves_nothing() {
    let mut world = Setup::quiet(|_| {}).connecting();
    world.run_for(ms(5));
    world.abort(A, "changed my mind");
    world.run_for(secs(60));
    assert_eq!(world.endpoint(A).stats().associations, 0);
    assert_eq!(world.close_reason(A), Some(CloseReason::Aborted));
}

#[test]
fn a_long_reason_is_cut_to_the_packet() {
    let mut world = Setup::quiet(|_| {}).established();
    let now = world.now();
    world.assoc(A).abort(now, vec![b'x'; 100_000].into());
    world.run_for(secs(1));
    assert!(both_closed(&mut world));
    let abort = world.sent_with(A, ChunkType::ABORT).next().unwrap();
    assert!(abort.ip_len() <= 1500);
}

// ---- what becomes of the data ----

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
        let unread: Vec<_> = unread
            .into_iter()
            .map(|received| received.message)
            .collect();
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
    let times: Vec<_> = world
        .times(A, ChunkType::DATA)
        .iter()
        .map(|at| at.since(began))
        .collect();
    assert_eq!(times, [secs(0), secs(1), secs(3), secs(7), secs(15)]);
    let failed = world
        .events(A)
        .iter()
        .any(|event| matches!(event, Event::SendFailed { .. }));
    assert!(failed, "the message comes back");
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
