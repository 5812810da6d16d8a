//! Packets without a CRC32c, by agreement (RFC 9653).

use crate::prelude::*;

const DTLS: [u8; 8] = [0x80, 0x01, 0, 8, 0, 0, 0, 1];

fn zero(options: &mut Options) {
    options.zero_checksum = ZeroChecksum::Dtls;
}

fn has_zero(record: &Record) -> bool {
    record.packet().checksum() == 0
}

/// Exchanges data with these settings.
fn exchange(a: ZeroChecksum, z: ZeroChecksum) -> World {
    let mut setup = Setup::quiet(|_| {});
    setup.a.zero_checksum = a;
    setup.z.zero_checksum = z;
    let mut world = setup.established();
    for _ in 0..20 {
        world.send(A, blob(0, 5000));
        world.send(Z, blob(0, 5000));
    }
    world.run_for(secs(5));
    assert_eq!(world.messages(A).len(), 20);
    assert_eq!(world.messages(Z).len(), 20);
    world
}

#[test]
fn all_but_the_handshake_goes_without_a_checksum_once_both_want_it() {
    let mut world = exchange(ZeroChecksum::Dtls, ZeroChecksum::Dtls);
    world.shutdown(A);
    world.run_for(secs(5));
    for record in world.log() {
        let handshake = [
            ChunkType::INIT,
            ChunkType::INIT_ACK,
            ChunkType::COOKIE_ECHO,
            // From now on, the peer may have forgotten the association.
            ChunkType::SHUTDOWN,
            ChunkType::SHUTDOWN_ACK,
            ChunkType::SHUTDOWN_COMPLETE,
        ];
        let sealed = handshake.into_iter().any(|chunk| record.has(chunk));
        assert_eq!(has_zero(record), !sealed, "{record}");
        assert!(!sealed || record.packet().checksum_is_valid(), "{record}");
    }
    assert!(world.close_reason(A).is_some() && world.close_reason(Z).is_some());
}

#[test]
fn a_peer_that_does_not_want_it_gets_checksums() {
    let pairs = [
        (ZeroChecksum::Dtls, ZeroChecksum::Off),
        (ZeroChecksum::Off, ZeroChecksum::Dtls),
        (ZeroChecksum::Dtls, ZeroChecksum::Memory),
        (ZeroChecksum::Memory, ZeroChecksum::Dtls),
    ];
    for (a, z) in pairs {
        let world = exchange(a, z);
        let mut log = world.log().iter();
        let broken = log.find(|record| !record.packet().checksum_is_valid());
        assert!(broken.is_none(), "{a:?} {z:?}: {broken:?}");
    }
}

#[test]
fn a_lost_shutdown_complete_is_repeated_where_packets_go_without_checksums() {
    let mut world = Setup::quiet(zero).established();
    world.drop_next(A, ChunkType::SHUTDOWN_COMPLETE, 1);
    world.shutdown(A);
    world.run_for(secs(5));
    world.assert_graceful();
}

#[test]
fn a_peer_that_has_forgotten_us_says_so_where_packets_go_without_checksums() {
    let setup = Setup::quiet(zero);
    let mut world = setup.established();
    let engine = setup.engine(&mut world, &setup.z_addresses.clone());
    world.reboot(Z, engine);
    world.send(A, text(0, "are you there"));
    world.run_for(secs(5));
    assert!(world.was_aborted(A), "{:?}", world.close_reason(A));
}

#[test]
fn a_peer_that_comes_back_without_it_is_sent_checksums_again() {
    let setup = Setup::quiet(zero);
    let mut world = setup.established();
    let plain = Setup::quiet(|_| {});
    let engine = plain.engine(&mut world, &plain.a_addresses.clone());
    world.reboot(A, engine);
    plain.connect(&mut world);
    world.run_for(secs(2));
    let before = world.log().len();
    world.send(Z, text(0, "still there"));
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["still there"]);
    let mut since = world.log()[before..].iter();
    assert!(since.all(|record| record.packet().checksum_is_valid()));
}

#[test]
fn an_init_ack_without_a_checksum_will_do() {
    let (mut world, mut peer) = Peer::awaited(Setup::quiet(zero).a);
    let parameters = [Parameter::StateCookie(b"cookie"), parameter(&DTLS)];
    let mut packet = peer.packet(&[Chunk::InitAck(peer.init(&parameters))]);
    packet[8..12].fill(0);
    peer.inject(&mut world, packet);
    let echo = peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    assert!(echo.packet().checksum_is_valid());
}
