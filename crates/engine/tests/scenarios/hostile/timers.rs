//! Peers that send so much that no timer of ours would expire if every packet counted (A44).

use core::time::Duration;

use sheave_engine::wire::{Chunk, ChunkType, Heartbeat, Parameter, RawChunk, RawParameter};
use sheave_engine::{CloseReason, Options, PartialReliability, Phase, Reliability, SendOptions};

use super::quiet;
use crate::world::{A, Peer, Setup, World, ms, quiet_but, secs, text};

/// Sends packets that an engine answers in any state.
fn say_something(world: &mut World, peer: &Peer, nth: usize) {
    let info = b"still here";
    // A chunk of an unknown type, to be skipped and reported.
    let unknown = RawChunk::parse(&[0xfe, 0, 0, 4]).unwrap();
    let chunks = [
        Chunk::Heartbeat(Heartbeat { info }),
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

fn shutdown_sent(options: Options) -> (World, Peer) {
    let (mut world, mut peer) = Peer::serving(options);
    world.shutdown(A);
    peer.expect(&mut world, ChunkType::SHUTDOWN);
    (world, peer)
}

#[test]
fn a_peer_that_talks_does_not_put_off_a_lost_shutdown() {
    let (mut world, peer) = shutdown_sent(quiet());
    talk(&mut world, &peer, secs(8));
    assert_eq!(world.count(A, ChunkType::SHUTDOWN), 4, "at 0, 1, 3 and 7 s");
    assert_eq!(world.assoc(A).phase(), Phase::ShutdownSent);
}

#[test]
fn a_peer_that_talks_does_not_keep_a_shutdown_from_its_end() {
    let (mut world, peer) = shutdown_sent(quiet_but(|options| options.association_max_retrans = 3));
    talk(&mut world, &peer, secs(20));
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

#[test]
fn a_peer_that_talks_does_not_keep_the_wait_for_its_shutdown_complete_from_its_end() {
    let (mut world, mut peer) =
        Peer::serving(quiet_but(|options| options.association_max_retrans = 3));
    let cumulative_tsn_ack = peer.engine_tsn.prev();
    let shutdown = sheave_engine::wire::Shutdown { cumulative_tsn_ack };
    peer.send(&mut world, &[Chunk::Shutdown(shutdown)]);
    peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
    talk(&mut world, &peer, secs(20));
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

#[test]
fn a_peer_that_talks_and_acknowledges_nothing_is_given_up() {
    let (mut world, peer) = Peer::serving(quiet_but(|options| options.association_max_retrans = 3));
    world.send(A, text(0, "never acknowledged"));
    talk(&mut world, &peer, secs(20));
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

/// A timely SACK that does not cover a FORWARD TSN does not answer it.
#[test]
fn a_peer_that_acknowledges_and_never_skips_is_given_up() {
    let mut setup = Setup::with(Options {
        association_max_retrans: 3,
        partial_reliability: PartialReliability::On,
        ..quiet()
    });
    setup.link.mtu = 65_535;
    let (mut world, mut peer) = Peer::before(&setup);
    let supported = RawParameter::parse(&[0xC0, 0, 0, 4]).unwrap();
    peer.connect(&mut world, &[Parameter::Unknown(supported)]);
    let once = SendOptions {
        reliability: Reliability::Retransmissions(0),
        ..SendOptions::default()
    };
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
