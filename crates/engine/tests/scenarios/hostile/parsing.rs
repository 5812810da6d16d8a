//! Bytes that are not SCTP, or nearly.

use crate::prelude::*;

use super::quiet;

/// A packet with these bytes added to its first chunk.
fn lengthened(mut packet: Vec<u8>, more: &[u8]) -> Vec<u8> {
    packet.extend_from_slice(more);
    let len = (packet.len() - 12) as u16;
    packet[14..16].copy_from_slice(&len.to_be_bytes());
    reseal(&mut packet);
    packet
}

// A25
#[test]
fn packets_too_short_for_a_chunk_are_counted_and_dropped() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let packet = peer.packet_of(&[4, 0, 0, 4]);
    for len in 0..16 {
        let mut short = packet[..len].to_vec();
        if len >= 12 {
            reseal(&mut short);
        }
        peer.hand(&mut world, &short);
    }
    peer.expect_silence(&mut world, secs(1));
    assert_eq!(world.endpoint(A).stats().malformed, 16);
    peer.expect_alive(&mut world);
}

// A25
#[test]
fn every_chunk_length_of_every_type_is_survived() {
    for phase in [Phase::CookieWait, Phase::CookieEchoed, Phase::Established] {
        for chunk_type in (0..=20).chain([63, 64, 127, 128, 191, 192, 193, 255]) {
            let (mut world, mut peer) = match phase {
                Phase::CookieWait => Peer::awaited(quiet()),
                Phase::CookieEchoed => Peer::echoed(quiet()),
                _ => Peer::connected(quiet()),
            };
            for len in (0..=48).chain([65_532, 65_535]) {
                for tag in [peer.engine_tag, Vtag(0)] {
                    let mut chunk = vec![chunk_type, 0];
                    chunk.extend_from_slice(&u16::to_be_bytes(len));
                    chunk.resize(48, 1);
                    let mut packet = peer.packet_of(&chunk);
                    packet[4..8].copy_from_slice(&tag.0.to_be_bytes());
                    reseal(&mut packet);
                    peer.hand(&mut world, &packet);
                }
            }
            world.run_for(secs(1));
            assert!(peer.take(&world).len() <= 120);
        }
    }
}

// A25: a zero length must not loop for ever; preceding chunks are handled.
#[test]
fn a_chunk_of_no_length_ends_the_packet() {
    for len in 0..4 {
        let (mut world, mut peer) = Peer::connected(quiet());
        let data = peer.data(0, 0, b"good");
        let mut packet = peer.packet(&[Chunk::Data(data)]);
        packet.extend_from_slice(&[0xc0, 0, 0, len, 0, 0, 0, 0]);
        reseal(&mut packet);
        peer.hand(&mut world, &packet);
        world.run_for(secs(1));
        assert_eq!(world.texts(A), ["good"]);
    }
}

// A25
#[test]
fn missing_and_non_zero_padding_is_accepted() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let data = peer.data(0, 0, b"12345");
    let mut packet = peer.packet(&[Chunk::Data(data)]);
    packet.truncate(12 + 16 + 5);
    reseal(&mut packet);
    peer.hand(&mut world, &packet);
    let data = peer.data(0, 1, b"67890");
    let mut packet = peer.packet(&[Chunk::Data(data)]);
    for byte in &mut packet[12 + 16 + 5..] {
        *byte = 0xff;
    }
    reseal(&mut packet);
    peer.hand(&mut world, &packet);
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["12345", "67890"]);
}

// A27: parameters are parsed once: the checked values are the used ones.
#[test]
fn parameters_with_wrong_lengths_make_no_association() {
    for bad in [
        &[0, 5, 0, 0][..],
        &[0, 5, 0, 3],
        &[0, 5, 0, 4],
        &[0, 5, 0, 7, 10, 1, 0],
        &[0, 5, 0, 8, 10, 1],
        &[0, 5, 0xff, 0xff, 10, 1, 0, 2],
        &[0, 5, 0, 12, 10, 1, 0, 2, 10, 1, 0, 3],
        &[0, 6, 0, 8, 10, 1, 0, 2],
        &[0, 6, 0, 20, 1, 2, 3, 4],
        &[0, 12, 0, 5, 9],
        &[0, 9, 0, 5, 0],
        &[0x80, 8, 0, 2],
    ] {
        let (mut world, mut peer) = Peer::before_listener(quiet());
        let packet = peer.packet_with(Vtag(0), &[Chunk::Init(peer.init(&[]))]);
        peer.hand(&mut world, &lengthened(packet, bad));
        let arrived = peer.listen(&mut world, secs(1));
        assert!(!any_has(&arrived, ChunkType::INIT_ACK), "{bad:?}");
        assert_eq!(world.endpoint(A).stats().associations, 0);
    }
}

// A27
#[test]
fn an_init_ack_with_wrong_parameter_lengths_sets_nothing_up() {
    for bad in [
        &[0, 5, 0, 0][..],
        &[0, 5, 0, 7, 10, 1, 0],
        &[0, 6, 0, 200, 1, 2, 3, 4],
    ] {
        let (mut world, mut peer) = Peer::awaited(quiet());
        let parameters = [Parameter::StateCookie(b"cook")];
        let packet = peer.packet(&[Chunk::InitAck(peer.init(&parameters))]);
        peer.hand(&mut world, &lengthened(packet, bad));
        let arrived = peer.listen(&mut world, ms(500));
        assert!(!any_has(&arrived, ChunkType::COOKIE_ECHO), "{bad:?}");
    }
}

// A28
#[test]
fn an_unknown_chunk_larger_than_the_mtu_is_echoed_in_part() {
    let (mut world, mut peer) = Peer::connected(quiet());
    for len in [1400_u16, 1444, 1460, 9000, 60_000] {
        let mut chunk = vec![0xfa, 0];
        chunk.extend_from_slice(&len.to_be_bytes());
        chunk.resize(usize::from(len), b'?');
        let packet = peer.packet_of(&chunk);
        peer.hand(&mut world, &packet);
        let arrived = peer.listen(&mut world, secs(1));
        assert!(arrived.len() <= 1);
        for record in &arrived {
            assert!(record.ip_len() <= 1500);
            assert_eq!(record.causes(), [6], "Unrecognized Chunk Type");
        }
    }
    peer.expect_alive(&mut world);
}

// A28: causes that are cut off or nested.
#[test]
fn broken_error_causes_are_survived() {
    let (mut world, mut peer) = Peer::connected(quiet());
    for body in [
        &[9, 0, 0, 6, 0, 1][..],
        &[9, 0, 0, 8, 0, 1, 0, 0],
        &[9, 0, 0, 8, 0, 1, 0, 3],
        &[9, 0, 0, 8, 0, 1, 0xff, 0xff],
        &[9, 0, 0, 12, 0, 2, 0, 8, 0, 0, 0, 9],
        &[9, 0, 0, 12, 0, 2, 0, 8, 0xff, 0xff, 0xff, 0xff],
        &[9, 0, 0, 12, 0, 3, 0, 6, 0, 0, 0, 0],
        &[9, 0, 0, 16, 0, 6, 0, 12, 9, 0, 0, 8, 0, 6, 0, 4],
    ] {
        let packet = peer.packet_of(body);
        peer.hand(&mut world, &packet);
        world.run_for(ms(50));
        peer.expect_alive(&mut world);
    }
}
