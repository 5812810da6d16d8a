//! Packets that belong to no association (RFC 9260 §8.4).

use crate::prelude::*;

const TAG: Vtag = Vtag(0x0dd_ba11);

fn stranger() -> (World, Peer) {
    let (world, mut peer) = Peer::before_listener(quiet());
    peer.engine_tag = TAG;
    (world, peer)
}

#[test]
fn a_strangers_packet_is_aborted_with_its_own_tag_reflected() {
    let (mut world, mut peer) = stranger();
    peer.send_data(&mut world, 0, 0, b"hello");
    let answer = peer.expect(&mut world, ChunkType::ABORT);
    assert_eq!(answer.vtag(), TAG);
    assert_eq!(answer.abort().unwrap().reflected, TagReflection::Reflected);
    assert_eq!(world.endpoint(A).stats().out_of_the_blue, 1);
}

#[test]
fn a_strangers_shutdown_ack_is_completed() {
    let (mut world, mut peer) = stranger();
    peer.send(&mut world, &[Chunk::ShutdownAck]);
    let answer = peer.expect(&mut world, ChunkType::SHUTDOWN_COMPLETE);
    assert_eq!(answer.vtag(), TAG);
    let Chunk::ShutdownComplete(complete) = answer.chunks()[0] else {
        unreachable!()
    };
    assert_eq!(complete.reflected, TagReflection::Reflected);
}

fn error(causes: &[Cause<'static>]) -> Vec<u8> {
    let causes = Causes::from(causes);
    written(&Chunk::Error(ErrorChunk { causes }))
}

// HOSTILE A12; rules 2 to 8.
#[test]
fn each_packet_out_of_the_blue_has_its_answer() {
    const NOTHING: Option<ChunkType> = None;
    const ABORTED: Option<ChunkType> = Some(ChunkType::ABORT);
    const COMPLETED: Option<ChunkType> = Some(ChunkType::SHUTDOWN_COMPLETE);
    let (mut world, mut peer) = stranger();
    let data = Chunk::Data(peer.data(0, 0, b"x"));
    let init = Chunk::Init(peer.init(&[]));
    let init_ack = Chunk::InitAck(peer.init(&[]));
    let echo = cookie_echo(b"not a cookie of ours");
    let stale = [Cause::OutOfResource, Cause::StaleCookie { staleness: 1 }];
    let (stale, plain) = (error(&stale), error(&[]));
    let [stale, plain] = [&stale, &plain].map(|bytes| Chunk::parse(bytes).unwrap());
    let (own, reflected) = (TagReflection::Own, TagReflection::Reflected);
    let zero = Vtag(0);
    for (tag, chunks, answer) in [
        // The ABORT may be anywhere in the packet.
        (TAG, &[abort(own)][..], NOTHING),
        (TAG, &[abort(reflected)], NOTHING),
        (TAG, &[data, abort(own)], NOTHING),
        (TAG, &[echo, abort(reflected)], NOTHING),
        (TAG, &[Chunk::ShutdownAck, abort(own)], NOTHING),
        (zero, &[init], Some(ChunkType::INIT_ACK)),
        (zero, &[init, data], NOTHING),
        (zero, &[init, init], NOTHING),
        (zero, &[echo], NOTHING),
        (zero, &[Chunk::ShutdownAck], NOTHING),
        (zero, &[data], NOTHING),
        (zero, &[init_ack], NOTHING),
        (TAG, &[init], ABORTED),
        (TAG, &[echo], NOTHING),
        (TAG, &[echo, data], NOTHING),
        (TAG, &[data, echo], ABORTED),
        (TAG, &[Chunk::ShutdownAck], COMPLETED),
        (TAG, &[data, Chunk::ShutdownAck], COMPLETED),
        (TAG, &[shutdown_complete(own)], NOTHING),
        (TAG, &[shutdown_complete(reflected)], NOTHING),
        (TAG, &[stale], NOTHING),
        (TAG, &[Chunk::CookieAck], NOTHING),
        (TAG, &[Chunk::CookieAck, data], NOTHING),
        (TAG, &[plain], ABORTED),
        (TAG, &[data], ABORTED),
        (TAG, &[shutdown(Tsn(1))], ABORTED),
        (TAG, &[init_ack], ABORTED),
    ] {
        peer.send_tagged(&mut world, tag, chunks);
        let answers = peer.listen(&mut world, ms(50));
        let types = answers.iter().flat_map(Record::types);
        assert_eq!(
            types.collect::<Vec<_>>(),
            Vec::from_iter(answer),
            "{tag} {chunks:?}"
        );
    }
    // Types that are no ABORT, although their low bits are those of one.
    peer.send_bytes(&mut world, &[22, 0, 0, 4, 70, 0, 0, 4, 255, 0, 0, 4]);
    peer.expect(&mut world, ChunkType::ABORT);
    for chunks in [&[][..], &[data], &[Chunk::ShutdownAck], &[echo]] {
        let mut bytes = Vec::new();
        for chunk in chunks {
            chunk.write(&mut bytes);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        peer.send_bytes(&mut world, &[&bytes[..], &[0, 0, 0, 3]].concat());
        peer.expect_silence(&mut world, ms(50));
    }
}

#[test]
fn a_packet_to_an_address_that_is_not_unicast_is_not_answered() {
    let (mut world, mut peer) = stranger();
    let packet = peer.packet(&[heartbeat(b"hello")]);
    // Passed directly to the engine: no host owns a multicast address.
    for (local, remote) in [
        ("224.0.0.1", "10.1.0.2"),
        ("10.1.0.1", "224.0.0.1"),
        ("255.255.255.255", "10.1.0.2"),
        ("10.1.0.1", "0.0.0.0"),
        ("ff02::1", "fd00::2"),
    ] {
        let there = peer.at(remote.parse().unwrap());
        let there = there.towards(local.parse().unwrap());
        there.hand(&mut world, &packet);
    }
    peer.expect_silence(&mut world, secs(1));
    assert_eq!(world.sent(A).count(), 0);
}

#[test]
fn a_port_that_nobody_uses_is_answered_like_any_other() {
    let (mut world, mut peer) = stranger();
    peer.engine_port = 9;
    peer.send(&mut world, &[heartbeat(b"hello")]);
    assert_eq!(peer.expect(&mut world, ChunkType::ABORT).vtag(), TAG);
    peer.send_init(&mut world, &[]);
    assert_eq!(peer.expect(&mut world, ChunkType::ABORT).vtag(), peer.tag);
}

#[test]
fn no_answer_is_longer_than_what_it_answers() {
    let (mut world, mut peer) = stranger();
    peer.send(&mut world, &[heartbeat(&[0; 1000])]);
    let answer = peer.expect(&mut world, ChunkType::ABORT);
    assert!(answer.bytes.len() <= 64, "{} bytes", answer.bytes.len());
}

#[test]
fn init_with_an_unusable_source_port_is_not_answered_with_more_than_an_abort() {
    let (mut world, mut peer) = stranger();
    peer.port = 0;
    peer.send_init(&mut world, &[]);
    let arrived = peer.listen(&mut world, secs(1));
    assert!(!any_has(&arrived, ChunkType::INIT_ACK));
}
