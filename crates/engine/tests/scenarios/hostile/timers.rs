//! Peers that send so much that no timer of ours would expire if every packet counted (A44).

use crate::prelude::*;

use super::quiet;

/// Sends packets that an engine answers in any state.
fn say_something(world: &mut World, peer: &Peer, nth: usize) {
    // A chunk of an unknown type, to be skipped and reported.
    let unknown = RawChunk::parse(&[0xfe, 0, 0, 4]).unwrap();
    let chunks = [
        heartbeat(b"still here"),
        Chunk::Unknown(unknown),
        Chunk::CookieAck,
    ];
    peer.send(world, &chunks[nth % 3..=nth % 3]);
}

/// Talks ten times a second.
fn talk(world: &mut World, peer: &Peer, span: Duration) {
    let until = world.now() + span;
    for nth in 0.. {
        if world.now() >= until || !world.is_open(A) {
            return;
        }
        say_something(world, peer, nth);
        world.run_for(ms(100));
    }
}

/// A SHUTDOWN is sent at 0, 1, 3 and 7 s.
#[test]
fn a_peer_that_talks_does_not_put_off_a_lost_shutdown() {
    let (mut world, peer) = Peer::shutting_down(quiet());
    talk(&mut world, &peer, secs(8));
    assert_eq!(world.count(A, ChunkType::SHUTDOWN), 4);
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownSent);
}

/// Whether a SHUTDOWN, a SHUTDOWN ACK or data is never answered.
#[test]
fn a_peer_that_talks_and_answers_nothing_is_given_up() {
    let options = || quiet_but(|options| options.association_max_retrans = 3);
    let data = {
        let (mut world, peer) = Peer::serving(options());
        world.send(A, text(0, "never acknowledged"));
        (world, peer)
    };
    let shutdown_ack = {
        let (mut world, mut peer) = Peer::serving(options());
        peer.send_shutdown(&mut world, 0);
        peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
        (world, peer)
    };
    for (unanswered, (mut world, peer)) in [
        ("SHUTDOWN", Peer::shutting_down(options())),
        ("SHUTDOWN ACK", shutdown_ack),
        ("DATA", data),
    ] {
        talk(&mut world, &peer, secs(20));
        let reason = world.close_reason(A);
        assert_eq!(reason, Some(CloseReason::TimedOut), "{unanswered}");
    }
}

/// A timely SACK that does not cover a FORWARD TSN does not answer it.
#[test]
fn a_peer_that_acknowledges_and_never_skips_is_given_up() {
    let options = quiet_but(set("association_max_retrans=3, partial_reliability=on"));
    let setup = Setup::with(options).linked(|link| link.mtu = 65_535);
    let (mut world, mut peer) = Peer::announcing(&setup, &[&[0xC0, 0, 0, 4]]);
    let once = SendOptions::default().with_max_retransmissions(0);
    world.send_with(A, text(0, "never acknowledged"), once);
    peer.expect(&mut world, ChunkType::FORWARD_TSN);
    for _ in 0..300 {
        if world.is_open(A) {
            peer.send_sack(&mut world, 0);
            world.run_for(ms(100));
        }
    }
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}
