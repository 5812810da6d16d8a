//! Zero checksums without agreement, and other wrong checksums.

use crate::prelude::*;

use super::quiet;

const DTLS: [u8; 8] = [0x80, 0x01, 0, 8, 0, 0, 0, 1];

fn willing() -> Options {
    quiet_but(|options| options.zero_checksum = ZeroChecksum::Dtls)
}

/// An engine that accepts zero checksums, and a peer that agreed.
fn agreed() -> (World, Peer) {
    let (mut world, mut peer) = Peer::before_listener(willing());
    peer.connect(&mut world, &[parameter(&DTLS)]);
    (world, peer)
}

/// A message with that checksum.
fn send_data(world: &mut World, peer: &mut Peer, checksum: [u8; 4]) {
    let data = peer.data(0, 0, b"hello");
    let mut packet = peer.packet(&[Chunk::Data(data)]);
    packet[8..12].copy_from_slice(&checksum);
    peer.inject(world, packet);
    world.run_for(secs(1));
}

fn bad_checksums(world: &mut World) -> u64 {
    world.endpoint(A).stats().bad_checksum
}

// A32
#[test]
fn a_checksum_of_zero_is_taken_from_whom_it_was_agreed_with() {
    let (mut world, mut peer) = agreed();
    send_data(&mut world, &mut peer, [0; 4]);
    assert_eq!(world.texts(A), ["hello"]);
}

// A32
#[test]
fn a_checksum_of_zero_without_an_agreement_is_wrong() {
    for (options, offer) in [
        (quiet(), Some(DTLS)),
        (willing(), None),
        // Another method.
        (willing(), Some([0x80, 0x01, 0, 8, 0, 0, 0, 2])),
    ] {
        let (mut world, mut peer) = Peer::before_listener(options);
        let offer: Vec<Parameter<'_>> = offer.iter().map(|bytes| parameter(bytes)).collect();
        peer.connect(&mut world, &offer);
        send_data(&mut world, &mut peer, [0; 4]);
        assert_eq!(world.texts(A), Vec::<String>::new());
        assert_eq!(bad_checksums(&mut world), 1);
    }
}

// A32
#[test]
fn any_other_wrong_checksum_stays_wrong() {
    let (mut world, mut peer) = agreed();
    for bit in 0..32_usize {
        let mut checksum = [0; 4];
        checksum[bit / 8] = 1 << (bit % 8);
        let data = peer.data(0, 0, b"hello");
        peer.tsn = data.tsn;
        let mut packet = peer.packet(&[Chunk::Data(data)]);
        packet[8..12].copy_from_slice(&checksum);
        peer.inject(&mut world, packet);
    }
    world.run_for(secs(1));
    assert_eq!(world.texts(A), Vec::<String>::new());
    assert_eq!(bad_checksums(&mut world), 32);
}

// A32: neither from elsewhere nor with another tag.
#[test]
fn a_checksum_of_zero_is_taken_on_its_association_only() {
    let (mut world, mut peer) = agreed();
    let data = peer.data(0, 0, b"hello");
    let mut packet = peer.packet_with(Vtag(peer.engine_tag.0 ^ 1), &[Chunk::Data(data)]);
    packet[8..12].fill(0);
    peer.inject(&mut world, packet);
    world.run_for(secs(1));
    assert_eq!(bad_checksums(&mut world), 1);
    peer.expect_silence(&mut world, secs(1));
}

// A32
#[test]
fn packets_that_set_up_associations_need_their_checksum() {
    let (mut world, mut peer) = Peer::before_listener(willing());
    let own = [parameter(&DTLS)];
    let mut init = peer.packet_with(Vtag(0), &[Chunk::Init(peer.init(&own))]);
    init[8..12].fill(0);
    peer.inject(&mut world, init);
    peer.expect_silence(&mut world, secs(1));
    let cookie = peer.ask_cookie(&mut world, &own);
    let echo = cookie_echo(&cookie);
    let mut packet = peer.packet(&[echo]);
    packet[8..12].fill(0);
    peer.inject(&mut world, packet.clone());
    peer.expect_silence(&mut world, secs(1));
    peer.send(&mut world, &[echo]);
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
    // Nor on the association that it set up.
    peer.inject(&mut world, packet);
    peer.expect_silence(&mut world, secs(1));
    assert_eq!(bad_checksums(&mut world), 3);
}

// A32: a broken parameter agrees to nothing.
#[test]
fn a_parameter_of_a_wrong_length_agrees_to_nothing() {
    for bytes in [
        &[0x80, 0x01, 0, 4][..],
        &[0x80, 0x01, 0, 6, 0, 1, 0, 0],
        &[0x80, 0x01, 0, 12, 0, 0, 0, 1, 0, 0, 0, 1],
    ] {
        let (mut world, mut peer) = Peer::before_listener(willing());
        peer.connect(&mut world, &[parameter(bytes)]);
        send_data(&mut world, &mut peer, [0; 4]);
        assert_eq!(bad_checksums(&mut world), 1, "{bytes:?}");
    }
}
