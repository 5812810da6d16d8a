//! Amplification: small input must not cause large output.

use crate::prelude::*;

use super::quiet;

/// A chunk of an unknown type that asks to be reported.
fn unknown(len: usize) -> Vec<u8> {
    let mut bytes = vec![0xfa, 0];
    bytes.extend_from_slice(&(len as u16).to_be_bytes());
    bytes.resize(len, b'?');
    bytes
}

// A7
#[test]
fn many_unknown_chunks_bring_one_packet_at_most() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let bytes = unknown(8);
    let chunk = Chunk::Unknown(RawChunk::parse(&bytes).unwrap());
    peer.send(&mut world, &vec![chunk; 180]);
    let arrived = peer.listen(&mut world, secs(1));
    assert!(arrived.len() <= 1, "{} packets", arrived.len());
    assert!(arrived.iter().all(|record| record.ip_len() <= 1500));
    peer.expect_alive(&mut world);
}

// A8
#[test]
fn many_heartbeats_in_a_packet_bring_one_packet_at_most() {
    let (mut world, mut peer) = Peer::connected(quiet());
    peer.send(&mut world, &[heartbeat(b"12345678"); 90]);
    let arrived = peer.listen(&mut world, secs(1));
    assert!(arrived.len() <= 1, "{} packets", arrived.len());
    peer.expect_alive(&mut world);
}

// A7, A8: any packet causes at most one answer, which is not longer.
#[test]
fn no_packet_of_known_chunks_brings_more_than_one_back() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let unknown = unknown(16);
    let unknown = Chunk::Unknown(RawChunk::parse(&unknown).unwrap());
    let heartbeat = heartbeat(b"12345678");
    let wrong_stream = Chunk::Data(peer.data(999, 0, b"x"));
    for chunks in [
        vec![unknown, heartbeat, wrong_stream],
        vec![wrong_stream; 60],
        vec![heartbeat, unknown, heartbeat, unknown],
        vec![Chunk::CookieAck, unknown, Chunk::CookieAck],
    ] {
        world.run_for(secs(1));
        peer.take(&world);
        let len: usize = peer.packet(&chunks).len();
        peer.send(&mut world, &chunks);
        let arrived = peer.listen(&mut world, ms(150));
        assert!(
            arrived.len() <= 1,
            "{} packets for {chunks:?}",
            arrived.len()
        );
        assert!(arrived.iter().all(|record| record.bytes.len() <= len + 64));
    }
}

// A9
#[test]
fn an_init_ack_is_small() {
    let (mut world, mut peer) = Peer::before(&Setup::with(quiet()).paths(2));
    peer.send_init(&mut world, &[]);
    let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
    assert!(answer.bytes.len() <= 400, "{} bytes", answer.bytes.len());
}

// A9
#[test]
fn an_init_ack_stays_within_the_mtu_whatever_the_init_holds() {
    for kind in 0..3 {
        let (mut world, mut peer) = Peer::before_listener(quiet());
        let novel: Vec<Vec<u8>> = (0..100_u16)
            .map(|n| {
                let mut bytes = (0xf000 + n).to_be_bytes().to_vec();
                bytes.extend_from_slice(&[0, 12, 1, 2, 3, 4, 5, 6, 7, 8]);
                bytes
            })
            .collect();
        let parameters: Vec<Parameter<'_>> = match kind {
            0 => novel
                .iter()
                .map(|bytes| Parameter::parse(bytes).unwrap())
                .collect(),
            1 => (0..150)
                .map(|n| Parameter::Ipv4Address(Ipv4Addr::new(172, 16, 0, n)))
                .collect(),
            _ => vec![
                Parameter::CookiePreservative {
                    increment: u32::MAX
                };
                100
            ],
        };
        peer.send_init(&mut world, &parameters);
        let arrived = peer.listen(&mut world, secs(1));
        assert!(arrived.len() <= 1);
        let largest = arrived.iter().map(Record::ip_len).max().unwrap_or(0);
        assert!(largest <= 1500, "{largest} bytes, kind {kind}");
    }
}

// A10
#[test]
fn a_flood_of_inits_leaves_nothing_behind() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    for n in 1..=20_000_u32 {
        peer.tag = Vtag(n);
        peer.port = (n % 60_000 + 1) as u16;
        peer.send_init(&mut world, &[]);
        if n % 100 == 0 {
            world.run_for(ms(1));
        }
    }
    world.run_for(secs(1));
    let stats = world.endpoint(A).stats();
    assert_eq!((stats.associations, stats.buffered), (0, 0));
    assert_eq!(world.endpoint(A).poll_timeout(), None);
    assert_eq!(world.sent(A).count(), 20_000);
}

// A10: replies that the driver cannot send are dropped, not accumulated.
#[test]
fn replies_that_cannot_leave_are_bounded() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let now = world.now();
    for n in 1..=200_000_u32 {
        peer.tag = Vtag(n);
        let packet = peer.packet_with(Vtag(0), &[Chunk::Init(peer.init(&[]))]);
        peer.hand(&mut world, &packet);
    }
    let mut buf = Vec::new();
    let mut replies = 0_u32;
    while world.endpoint(A).poll_transmit(now, &mut buf, 1).is_some() {
        replies += 1;
    }
    assert!(replies <= 20_000, "{replies} replies were kept");
    assert!(replies >= 1);
}
