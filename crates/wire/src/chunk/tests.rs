use std::string::ToString;
use std::vec::Vec;

use crate::captured::{hex, packet_of};
use crate::{Chunk, ChunkType, Packet, RawChunk, UnknownAction};

#[test]
fn the_two_high_bits_say_what_to_do_with_an_unknown_type() {
    let actions = [
        (0x3f, UnknownAction::StopSilently),
        (0x40, UnknownAction::StopAndReport),
        (0x81, UnknownAction::SkipSilently),
        (0xff, UnknownAction::SkipAndReport),
    ];
    for (chunk_type, action) in actions {
        assert_eq!(ChunkType(chunk_type).unknown_action(), action);
    }
}

#[test]
fn a_type_with_a_name_is_never_an_unknown_chunk() {
    let known: Vec<ChunkType> = ChunkType::known().collect();
    for chunk_type in (0..=u8::MAX).map(ChunkType) {
        let bytes = [&[chunk_type.0, 0, 0, 40][..], &[0; 36]].concat();
        let unknown = matches!(Chunk::parse(&bytes), Ok(Chunk::Unknown(_)));
        assert_eq!(unknown, !known.contains(&chunk_type), "{chunk_type}");
    }
}

#[test]
fn a_walk_over_unread_bodies_goes_on_behind_a_malformed_one() {
    let packet = packet_of(&hex("c0000007 000001 00 0b000004"));
    let chunks = Packet::parse(&packet).unwrap().chunks();
    let types: Vec<_> = chunks.raw().map(|raw| raw.unwrap().chunk_type).collect();
    assert_eq!(types, [ChunkType::FORWARD_TSN, ChunkType::COOKIE_ACK]);
}

#[test]
fn only_types_whose_bodies_rfc_9260_defines_are_basic() {
    let basic: Vec<u8> = (0..=u8::MAX)
        .filter(|number| ChunkType(*number).is_basic())
        .collect();
    assert_eq!(basic, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14]);
}

#[test]
fn a_raw_chunk_is_bounded_by_its_length() {
    assert_eq!(
        RawChunk::parse(&hex("40000006 01020304")).unwrap().value,
        [1, 2]
    );
    assert_eq!(
        RawChunk::parse(&hex("40000009 01020304")).unwrap_err().what,
        "length past the end"
    );
    assert_eq!(
        RawChunk::parse(&hex("40000003")).unwrap_err().what,
        "length below four"
    );
    assert_eq!(RawChunk::parse(&[]).unwrap_err().what, "no chunk");
}

#[test]
fn every_known_type_has_its_own_name() {
    let names: Vec<_> = (0..=14)
        .map(|number| ChunkType(number).to_string())
        .collect();
    assert!(
        names.iter().all(|name| !name.starts_with("chunk type")),
        "{names:?}"
    );
    let mut distinct = names.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), names.len());
}
