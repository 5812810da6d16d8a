//! Shutdowns with a scripted peer.

use crate::prelude::*;

use super::quiet;

fn shutdown_ack_sent(options: Options) -> (World, Peer) {
    let (mut world, mut peer) = Peer::serving(options);
    peer.send_shutdown(&mut world, 0);
    peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
    (world, peer)
}

#[test]
fn data_after_our_shutdown_is_answered_with_a_shutdown_at_once() {
    let (mut world, mut peer) = Peer::shutting_down(quiet());
    peer.send_data(&mut world, 0, 0, b"late");
    let tsn = peer.tsn.prev();
    let arrived = peer.listen(&mut world, ms(25));
    let chunks = arrived.iter().flat_map(Record::chunks);
    let shutdowns = chunks.filter_map(|chunk| match chunk {
        Chunk::Shutdown(shutdown) => Some(shutdown.cumulative_tsn_ack),
        _ => None,
    });
    assert_eq!(shutdowns.collect::<Vec<_>>(), [tsn]);
    assert_eq!(world.texts(A), ["late"]);
}

#[test]
fn a_gap_after_our_shutdown_is_told_in_a_sack_as_well() {
    let (mut world, mut peer) = Peer::shutting_down(quiet());
    peer.tsn = peer.tsn.next();
    peer.send_data(&mut world, 0, 1, b"out of order");
    let arrived = peer.listen(&mut world, ms(25));
    assert!(any_has(&arrived, ChunkType::SHUTDOWN));
    let sack = arrived.iter().find_map(Record::sack).expect("a SACK");
    assert_eq!(sack.gap_blocks.len(), 1);
}

#[test]
fn a_peer_that_keeps_sending_holds_the_shutdown_open() {
    let options = quiet_but(|options| options.association_max_retrans = 2);
    let (mut world, mut peer) = Peer::shutting_down(options);
    for n in 0..60 {
        peer.send_data(&mut world, 0, n, b"still talking");
        world.run_for(ms(900));
    }
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownSent);
    assert_eq!(world.messages(A).len(), 60);
}

#[test]
fn a_shutdown_after_our_own_is_answered_with_a_shutdown_ack() {
    let (mut world, mut peer) = Peer::shutting_down(quiet());
    peer.send_shutdown(&mut world, 0);
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
    peer.send_shutdown(&mut world, 1);
    let arrived = peer.listen(&mut world, ms(25));
    assert!(any_has(&arrived, ChunkType::SHUTDOWN_ACK));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownAckSent);
}

/// A SHUTDOWN that does not name the last TSN acknowledges nothing: its answer waits for the SACK.
#[test]
fn a_shutdown_that_names_too_little_or_what_was_never_sent_waits_for_the_rest() {
    for named in [0, 6] {
        let (mut world, mut peer) = Peer::serving(quiet());
        world.send(A, text(0, "still to be acknowledged"));
        peer.expect(&mut world, ChunkType::DATA);
        peer.send_shutdown(&mut world, named);
        world.run_for(ms(500));
        assert_eq!(world.assoc(A).phase(), Phase::ShutdownReceived, "{named}");
        assert_eq!(world.count(A, ChunkType::SHUTDOWN_ACK), 0, "{named}");
        peer.send_sack(&mut world, 1);
        peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
    }
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
    peer.send_shutdown_complete(&mut world, TagReflection::Own);
    peer.expect_silence(&mut world, secs(10));
    assert_eq!(world.close_reason(A), Some(CloseReason::Graceful));
}

// RFC 9260 §8.5.1 C
#[test]
fn a_shutdown_complete_in_any_other_phase_is_ignored() {
    let (mut world, mut peer) = Peer::serving(quiet());
    let reflected = TagReflection::Own;
    peer.send_shutdown_complete(&mut world, reflected);
    peer.expect_silence(&mut world, secs(1));
    peer.expect_alive(&mut world);
    let (mut world, peer) = Peer::shutting_down(quiet());
    peer.send_shutdown_complete(&mut world, reflected);
    world.run_for(ms(100));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownSent);
}

#[test]
fn a_shutdown_while_connecting_is_discarded() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    peer.send(&mut world, &[shutdown(Tsn(0))]);
    peer.expect_silence(&mut world, ms(500));
    assert_eq!(world.assoc(A).phase(), Phase::CookieWait);
}

// RFC 9260 §9.2: an INIT that meets SHUTDOWN-ACK-SENT brings the SHUTDOWN ACK again.
#[test]
fn an_init_while_waiting_for_the_shutdown_complete_brings_the_shutdown_ack_again() {
    let (mut world, mut peer) = shutdown_ack_sent(quiet());
    let again = peer.with_tag(0x1234);
    again.send_init(&mut world, &[]);
    let arrived = peer.listen(&mut world, ms(100));
    assert!(any_has(&arrived, ChunkType::SHUTDOWN_ACK));
    assert!(!arrived.iter().any(|record| record.has(ChunkType::INIT_ACK)));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownAckSent);
}

// RFC 9260 §5.2.4 A, last paragraph.
#[test]
fn a_restart_while_waiting_for_the_shutdown_complete_is_refused() {
    let (mut world, mut peer) = Peer::serving(quiet());
    let mut again = peer.with_tag(0x1234);
    let cookie = again.ask_cookie(&mut world, &[]);
    peer.take(&world);
    peer.send_shutdown(&mut world, 0);
    peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
    again.echo_cookie(&mut world, &cookie);
    let arrived = peer.listen(&mut world, ms(100));
    assert!(any_has(&arrived, ChunkType::SHUTDOWN_ACK));
    let causes: Vec<u16> = arrived.iter().flat_map(Record::causes).collect();
    assert_eq!(causes, [10], "Cookie Received While Shutting Down");
    assert!(!world.saw(A, &Event::Restarted));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownAckSent);
}

// RFC 9260 §9.2, §8.5.1 E
#[test]
fn a_shutdown_ack_while_connecting_is_out_of_the_blue() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    for phase in [Phase::CookieWait, Phase::CookieEchoed] {
        for tag in [Vtag(0xabcd), peer.tag, peer.engine_tag] {
            peer.send_tagged(&mut world, tag, &[Chunk::ShutdownAck]);
            let answer = peer.expect(&mut world, ChunkType::SHUTDOWN_COMPLETE);
            assert_eq!(answer.vtag(), tag);
            let Chunk::ShutdownComplete(complete) = answer.chunks()[0] else {
                unreachable!()
            };
            assert_eq!(complete.reflected, TagReflection::Reflected);
            assert_eq!(world.assoc(A).phase(), phase);
        }
        if phase == Phase::CookieWait {
            peer.send_init_ack(&mut world, b"cookie", &[]);
            peer.expect(&mut world, ChunkType::COOKIE_ECHO);
        }
    }
}

// RFC 9260 §9.2: only the sender of SHUTDOWN runs the guard timer.
#[test]
fn the_sender_of_a_shutdown_ack_has_no_guard() {
    let options = quiet_but(set("rto_max=1 s, association_max_retrans=30"));
    let (mut world, _) = shutdown_ack_sent(options);
    world.run_for(secs(20));
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownAckSent);
    world.run_for(secs(20));
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}
