//! Verification tags (RFC 9260 §8.5, §8.5.1).

use crate::prelude::*;

// RFC 9260 §3, §8.5.1 B, C: whatever stands in front.
#[test]
fn chunks_that_must_stand_alone_do_not_hide_behind_data() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let first = peer.data(0, 0, b"x");
    for last in [
        abort(TagReflection::Reflected),
        shutdown_complete(TagReflection::Own),
    ] {
        peer.send(&mut world, &[Chunk::Data(first), last]);
        world.run_for(ms(50));
        assert!(world.is_open(A));
    }
    let (mut world, mut peer) = Peer::awaited(quiet());
    let first = peer.data(0, 0, b"x");
    let cookie = [Parameter::StateCookie(b"cookie")];
    let init_ack = peer.init(&cookie);
    peer.send(&mut world, &[Chunk::Data(first), Chunk::InitAck(init_ack)]);
    world.run_for(ms(50));
    assert_eq!(world.assoc(A).phase(), Phase::CookieWait);
}

fn inject(world: &mut World, peer: &Peer, tag: Vtag, chunk: Chunk<'_>) {
    peer.send_tagged(world, tag, &[chunk]);
    world.run_for(ms(50));
}

#[test]
fn every_packet_carries_the_tag_that_its_receiver_chose() {
    let mut world = Setup::default().established();
    world.send(A, blob(0, 100_000));
    world.run_for(secs(5));
    world.shutdown(A);
    world.run_for(secs(5));
    let chosen = |host, chunk| {
        let record = world.sent_with(host, chunk).next().unwrap();
        record.init().unwrap().initiate_tag
    };
    let of_a = chosen(A, ChunkType::INIT);
    let of_z = chosen(Z, ChunkType::INIT_ACK);
    assert!(world.sent(A).skip(1).all(|record| record.vtag() == of_z));
    assert!(world.sent(Z).all(|record| record.vtag() == of_a));
}

#[test]
fn a_packet_with_a_wrong_tag_is_discarded_in_silence() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let right = peer.engine_tag;
    for wrong in [right.0 ^ 1, peer.tag.0, 0, u32::MAX] {
        let data = peer.data(0, 0, b"x");
        peer.tsn = data.tsn;
        for chunk in [
            Chunk::Data(data),
            heartbeat(b"hello"),
            shutdown(peer.engine_tsn.prev()),
            Chunk::CookieAck,
        ] {
            inject(&mut world, &peer, Vtag(wrong), chunk);
        }
    }
    peer.expect_silence(&mut world, secs(5));
    assert!(world.endpoint(A).stats().bad_tag >= 12);
    assert!(world.received(A).is_empty());
    assert_eq!(world.assoc(A).phase(), Phase::Established);
}

/// Whether a chunk without a T bit, or with one, counts with our tag, and with the peer's.
const COUNTS: [(bool, TagReflection, bool); 4] = [
    (true, TagReflection::Own, true),
    (true, TagReflection::Reflected, false),
    (false, TagReflection::Own, false),
    (false, TagReflection::Reflected, true),
];

// Exception B
#[test]
fn an_abort_counts_with_our_tag_or_with_the_peers_reflected() {
    for (own, reflected, closes) in COUNTS {
        let (mut world, peer) = Peer::connected(quiet());
        let tag = if own { peer.engine_tag } else { peer.tag };
        inject(&mut world, &peer, tag, abort(reflected));
        assert_eq!(!world.is_open(A), closes, "own {own}, {reflected:?}");
    }
}

#[test]
fn an_abort_with_neither_tag_is_discarded() {
    let (mut world, mut peer) = Peer::connected(quiet());
    for reflected in [TagReflection::Own, TagReflection::Reflected] {
        for tag in [0, 1, peer.tag.0 ^ 2, peer.engine_tag.0 ^ 2] {
            inject(&mut world, &peer, Vtag(tag), abort(reflected));
        }
    }
    peer.expect_alive(&mut world);
}

// Exceptions A to D, and §3: what stands beside such a chunk is not looked at.
#[test]
fn a_chunk_that_must_be_alone_or_has_a_wrong_tag_spoils_its_whole_packet() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let heartbeat = heartbeat(b"hello");
    let init = Chunk::Init(peer.init(&[]));
    let complete = shutdown_complete(TagReflection::Own);
    let wrong = abort(TagReflection::Reflected);
    let echo = cookie_echo(b"forged");
    let (none, ours, strange) = (Vtag(0), peer.engine_tag, Vtag(peer.engine_tag.0 ^ 1));
    for (tag, [one, other]) in [
        (none, [init, heartbeat]),
        (ours, [init, heartbeat]),
        (ours, [Chunk::InitAck(peer.init(&[])), heartbeat]),
        (ours, [complete, heartbeat]),
        (ours, [wrong, heartbeat]),
        (strange, [echo, wrong]),
        (strange, [echo, heartbeat]),
    ] {
        for chunks in [[one, other], [other, one]] {
            peer.send_tagged(&mut world, tag, &chunks);
        }
    }
    let mut malformed = peer.packet_with(none, &[init]);
    malformed.extend_from_slice(&[0, 0, 0, 3]);
    reseal(&mut malformed);
    peer.inject(&mut world, malformed);
    peer.expect_silence(&mut world, ms(500));
    peer.expect_alive(&mut world);
}

// In COOKIE-WAIT the peer's tag is not known: no reflected tag can match.
#[test]
fn a_reflected_tag_ends_no_attempt_to_connect() {
    let (mut world, peer) = Peer::awaited(quiet());
    for tag in [Vtag(0), Vtag(1), peer.tag, peer.engine_tag] {
        inject(&mut world, &peer, tag, abort(TagReflection::Reflected));
    }
    inject(&mut world, &peer, Vtag(0), abort(TagReflection::Own));
    assert_eq!(world.assoc(A).phase(), Phase::CookieWait);
}

// Exception C
#[test]
fn a_shutdown_complete_counts_with_our_tag_or_with_the_peers_reflected() {
    for (own, reflected, closes) in COUNTS {
        let (mut world, mut peer) = Peer::connected(quiet());
        peer.send_shutdown(&mut world, 0);
        peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
        let tag = if own { peer.engine_tag } else { peer.tag };
        inject(&mut world, &peer, tag, shutdown_complete(reflected));
        assert_eq!(!world.is_open(A), closes, "own {own}, {reflected:?}");
        if closes {
            assert_eq!(world.close_reason(A), Some(CloseReason::Graceful));
        }
    }
}

// Exception A
#[test]
fn an_init_with_a_tag_is_discarded() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let init = Chunk::Init(peer.init(&[]));
    for tag in [peer.engine_tag.0, peer.tag.0, 1] {
        inject(&mut world, &peer, Vtag(tag), init);
    }
    let arrived = peer.take(&world);
    assert!(!any_has(&arrived, ChunkType::INIT_ACK));
    peer.expect_alive(&mut world);
}

// Exception D and §5.1.5 (3)
#[test]
fn a_cookie_echo_needs_the_tag_in_its_cookie() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let cookie = peer.ask_cookie(&mut world, &[]);
    let echo = cookie_echo(&cookie);
    for tag in [0, 1, peer.tag.0, peer.engine_tag.0 ^ 1] {
        inject(&mut world, &peer, Vtag(tag), echo);
    }
    let arrived = peer.take(&world);
    assert!(!any_has(&arrived, ChunkType::COOKIE_ACK));
    assert_eq!(world.endpoint(A).stats().associations, 0);
    inject(&mut world, &peer, peer.engine_tag, echo);
    assert_eq!(world.endpoint(A).stats().associations, 1);
}

#[test]
fn a_bad_checksum_is_discarded_in_silence_and_counted() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let data = peer.data(0, 0, b"x");
    let packet = peer.packet(&[Chunk::Data(data)]);
    for bit in 0..packet.len() * 8 {
        let mut bad = packet.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        peer.inject(&mut world, bad);
    }
    peer.expect_silence(&mut world, secs(5));
    let bits = packet.len() as u64 * 8;
    assert_eq!(world.endpoint(A).stats().bad_checksum, bits);
    assert!(world.received(A).is_empty());
}

#[test]
fn corruption_on_the_way_costs_a_retransmission_and_nothing_else() {
    let mut world = Setup::default().established();
    let mut nth = 0;
    world.add_rule(move |record| {
        nth += 1;
        if nth % 5 != 0 {
            return Verdict::Deliver;
        }
        let mut bytes = record.bytes.clone();
        let at = nth % bytes.len();
        bytes[at] = !bytes[at];
        Verdict::Replace(bytes)
    });
    world.send_by_turns(A, 50, 10, 3000);
    world.run_for(secs(120));
    assert_eq!(world.messages(Z).len(), 50);
    assert!(world.endpoint(Z).stats().bad_checksum > 5);
}
