//! Peers that authenticate incorrectly (A22).

use crate::prelude::*;

use super::data_only;
use super::setup::{Hand, options, scripted};

/// The cause "Unsupported HMAC Identifier".
const UNSUPPORTED: u16 = 0x0105;

fn random() -> Parameter<'static> {
    Parameter::Random(&[9; 32])
}

fn sha1() -> Parameter<'static> {
    Parameter::RequestedHmacs(List::from(&[1]))
}

/// Sends these chunks behind a right AUTH chunk.
fn send(world: &mut World, peer: &Peer, hand: &Hand, chunks: &[Chunk<'_>]) {
    peer.inject(world, hand.packet(peer, chunks));
}

/// An AUTH chunk with this key id and algorithm id, and DATA.
fn hello(peer: &mut Peer, hand: &Hand, key: u16, algorithm: u16) -> Vec<u8> {
    let data = peer.data(0, 0, b"hello");
    hand.packet_with(peer, key, algorithm, &[Chunk::Data(data)])
}

#[test]
fn an_unknown_hmac_identifier_is_reported_and_what_follows_dropped() {
    let (mut world, mut peer, hand) = scripted(data_only());
    for id in [0, 2, 4, 0xffff] {
        let packet = hello(&mut peer, &hand, 1, id);
        peer.inject(&mut world, packet);
        let error = peer.expect(&mut world, ChunkType::ERROR);
        assert_eq!(error.causes(), [UNSUPPORTED]);
    }
    assert_eq!(world.texts(A), [""; 0]);
    peer.expect_alive(&mut world);
}

#[test]
fn an_unknown_key_is_dropped_in_silence() {
    let (mut world, mut peer, hand) = scripted(data_only());
    for id in [0, 2, 0xffff] {
        let packet = hello(&mut peer, &hand, id, 1);
        peer.inject(&mut world, packet);
    }
    peer.take(&world);
    peer.expect_silence(&mut world, secs(2));
    assert_eq!(world.stats(A).failed_authentications, 3);
    peer.expect_alive(&mut world);
}

#[test]
fn a_signed_packet_is_taken_and_an_edited_one_dropped() {
    let (mut world, mut peer, hand) = scripted(data_only());
    let packet = hello(&mut peer, &hand, 1, 1);
    for at in [20, 35, 42, packet.len() - 1] {
        let mut edited = packet.clone();
        edited[at] ^= 0x40;
        reseal(&mut edited);
        peer.inject(&mut world, edited);
    }
    world.run_for(secs(1));
    assert_eq!(world.texts(A), [""; 0]);
    assert_eq!(world.stats(A).failed_authentications, 4);
    peer.inject(&mut world, packet);
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["hello"]);
    assert_eq!(world.stats(A).unauthenticated, 0);
}

#[test]
fn a_second_auth_chunk_ends_the_packet() {
    let (mut world, mut peer, hand) = scripted(data_only());
    let data = peer.data(0, 0, b"hello");
    let inner = hand.packet(&peer, &[Chunk::Data(data)]);
    let again = RawChunk::parse(&inner[12..]).unwrap();
    send(
        &mut world,
        &peer,
        &hand,
        &[Chunk::Unknown(again), Chunk::Data(data)],
    );
    world.run_for(secs(1));
    assert_eq!(world.texts(A), [""; 0]);
    peer.expect_alive(&mut world);
}

#[test]
fn auth_chunks_of_every_length_are_survived() {
    let (mut world, mut peer, hand) = scripted(data_only());
    let right = hello(&mut peer, &hand, 1, 1);
    for len in 0..=64_u16 {
        let mut packet = right.clone();
        packet[14..16].copy_from_slice(&len.to_be_bytes());
        reseal(&mut packet);
        if len != 28 {
            peer.inject(&mut world, packet);
        }
    }
    world.run_for(secs(1));
    assert_eq!(world.texts(A), [""; 0]);
    peer.expect_alive(&mut world);
}

#[test]
fn a_peer_that_lists_what_cannot_be_authenticated_gets_it_plain() {
    let (mut world, mut peer) = Peer::before_listener(options(ChunkSet::NONE));
    let types: Vec<u8> = (0..=255).collect();
    let vector = [random(), Parameter::ChunkList(&types), sha1()];
    peer.connect(&mut world, &vector);
    let cookie_ack = world.sent_with(A, ChunkType::COOKIE_ACK).next().unwrap();
    assert_eq!(cookie_ack.types()[0], ChunkType::AUTH);
    let init_ack = world.sent_with(A, ChunkType::INIT_ACK).next().unwrap();
    assert_eq!(init_ack.types(), [ChunkType::INIT_ACK]);
}

#[test]
fn an_empty_chunk_list_asks_for_nothing() {
    let (mut world, mut peer) = Peer::before_listener(options(ChunkSet::NONE));
    peer.connect(&mut world, &[random(), Parameter::ChunkList(&[]), sha1()]);
    peer.expect_alive(&mut world);
    assert!(!world.log().iter().any(|record| record.has(ChunkType::AUTH)));
}

#[test]
fn key_vectors_that_break_the_rules_make_no_association() {
    let long: Vec<u8> = vec![0; 257];
    let many = [1; 17];
    let vectors: [&[Parameter<'_>]; 5] = [
        &[Parameter::Random(&[9; 31]), sha1()],
        &[Parameter::Random(&[9; 33]), sha1()],
        &[Parameter::Random(&[]), sha1()],
        &[random(), Parameter::ChunkList(&long), sha1()],
        &[random(), Parameter::RequestedHmacs(List::from(&many))],
    ];
    for vector in vectors {
        let (mut world, mut peer) = Peer::before_listener(options(data_only()));
        peer.send_init(&mut world, vector);
        let abort = peer.expect(&mut world, ChunkType::ABORT);
        // Protocol Violation.
        assert_eq!(abort.causes(), [13], "{vector:?}");
        assert_eq!(world.endpoint(A).stats().associations, 0);
    }
}

#[test]
fn an_init_ack_with_a_bad_key_vector_ends_the_attempt() {
    let (mut world, mut peer) = Peer::awaited(options(data_only()));
    let bad = [Parameter::Random(&[9; 31]), sha1()];
    peer.send_init_ack(&mut world, b"cookie", &bad);
    peer.expect(&mut world, ChunkType::ABORT);
    assert!(!world.is_open(A));
}

#[test]
fn half_a_key_vector_is_none() {
    let halves: [&[Parameter<'_>]; 4] = [
        &[random()],
        &[sha1()],
        &[Parameter::ChunkList(&[0]), random()],
        &[random(), Parameter::RequestedHmacs(List::from(&[2, 4]))],
    ];
    for half in halves {
        let (mut world, mut peer) = Peer::before_listener(options(data_only()));
        peer.connect(&mut world, half);
        peer.send_data(&mut world, 0, 0, b"plain");
        world.run_for(secs(1));
        assert_eq!(world.texts(A), ["plain"], "{half:?}");
    }
}

#[test]
fn without_the_option_an_auth_chunk_is_unknown() {
    let (mut world, mut peer, hand) = scripted(data_only());
    let tail = hello(&mut peer, &hand, 1, 1)[12..].to_vec();
    drop((world, peer));
    let mut plain = options(data_only());
    plain.authentication = Authentication::Off;
    (world, peer) = Peer::connected(plain);
    peer.send_bytes(&mut world, &tail);
    world.run_for(secs(1));
    // RFC 9260 §3.2: the two high bits are 00, so that what follows is not read.
    assert_eq!(world.texts(A), [""; 0]);
    peer.expect_alive(&mut world);
}

#[test]
fn data_behind_a_cookie_echo_shares_its_proof() {
    let chunks = ChunkSet::of([ChunkType::COOKIE_ECHO, ChunkType::DATA]);
    let (mut world, mut peer, hand) = scripted(chunks);
    let up = |event: &Event| matches!(event, Event::Established { .. });
    assert!(world.events(A).iter().any(up));
    let packet = hello(&mut peer, &hand, 1, 1);
    peer.inject(&mut world, packet);
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["hello"]);
}

/// User data in a chunk of that type.
fn user_data(peer: &mut Peer, chunk_type: ChunkType) -> Vec<u8> {
    let data = peer.data(0, 0, b"forged");
    let mut bytes = Vec::new();
    match chunk_type {
        ChunkType::I_DATA => IData {
            flags: data.flags,
            tsn: data.tsn,
            stream: data.stream,
            mid: Mid(0),
            ppid_or_fsn: 0,
            payload: data.payload,
        }
        .write(&mut bytes),
        ChunkType::CHECKED_DATA => {
            let mut packet = Vec::new();
            let mut writer = PacketWriter::new(&mut packet, peer.header(peer.engine_tag), 1500);
            writer.push_checked_data(&data);
            writer.finish();
            bytes.extend_from_slice(&packet[12..]);
        }
        _ => bytes.extend_from_slice(&peer.packet(&[Chunk::Data(data)])[12..]),
    }
    bytes
}

// A43, RFC 4895 §6.3: required authentication of user data applies to all its formats.
#[test]
fn user_data_without_proof_is_refused_in_every_format() {
    let formats = [ChunkType::DATA, ChunkType::I_DATA, ChunkType::CHECKED_DATA];
    for asked in formats {
        for (format, parameter) in [
            (ChunkType::DATA, [0x80, 0x08, 0, 5, 130]),
            (ChunkType::I_DATA, [0x80, 0x08, 0, 5, 64]),
            (ChunkType::CHECKED_DATA, [0x9E, 0x02, 0, 4, 0]),
            // Chunks of the wrong kind do not end the association, either.
            (ChunkType::DATA, [0x80, 0x08, 0, 5, 64]),
        ] {
            let mut options = options(ChunkSet::of([asked]));
            if format == ChunkType::CHECKED_DATA {
                options.chunk_checksum = ChunkChecksum::On;
            } else {
                options.interleaving = Interleaving::On;
            }
            let (mut world, mut peer) = Peer::before_listener(options);
            let len = usize::from(parameter[3]);
            let extension = RawParameter::parse(&parameter[..len]).unwrap();
            let extension = Parameter::Unknown(extension);
            peer.connect(&mut world, &[random(), sha1(), extension]);
            let bytes = user_data(&mut peer, format);
            peer.send_bytes(&mut world, &bytes);
            world.run_for(secs(1));
            assert_eq!(world.texts(A), [""; 0], "{asked:?} {format:?}");
            assert_eq!(world.stats(A).unauthenticated, 1, "{asked:?} {format:?}");
            peer.expect_alive(&mut world);
        }
    }
}

#[test]
fn a_peer_is_told_of_every_format_that_must_be_authenticated() {
    let mut options = options(data_only());
    options.interleaving = Interleaving::On;
    let (mut world, mut peer) = Peer::before_listener(options);
    peer.send_init(&mut world, &[random(), sha1()]);
    let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
    let parameters = answer.init().unwrap().parameters;
    let lists = parameters.iter().flatten().filter_map(|it| match it {
        Parameter::ChunkList(types) => Some(types.to_vec()),
        _ => None,
    });
    assert_eq!(lists.collect::<Vec<_>>(), [[0, 64]]);
}
