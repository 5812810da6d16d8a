use std::vec::Vec;

use sheave_wire::{
    Abort, Causes, Chunk, ChunkType, CommonHeader, ErrorChunk, Packet, PacketWriter,
    ShutdownComplete, TagReflection,
};

use super::Contents;
use crate::cookie::stale_cause;

/// The contents of a packet of these chunks.
pub(crate) fn contents(chunks: &[Chunk<'_>]) -> Contents {
    Contents::of(&Packet::parse(&bytes(chunks)).unwrap())
}

fn bytes(chunks: &[Chunk<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, CommonHeader::default(), 1500);
    chunks.iter().for_each(|chunk| writer.push(chunk));
    writer.finish();
    bytes
}

/// An ABORT without causes.
pub(crate) const fn abort(reflected: TagReflection) -> Chunk<'static> {
    Chunk::Abort(Abort {
        reflected,
        causes: Causes::EMPTY,
    })
}

pub(crate) const fn shutdown_complete(reflected: TagReflection) -> Chunk<'static> {
    Chunk::ShutdownComplete(ShutdownComplete { reflected })
}

/// `contents`, with a chunk of length 3 at the end.
pub(crate) fn malformed_after(chunks: &[Chunk<'_>]) -> Contents {
    let mut bytes = bytes(chunks);
    bytes.extend_from_slice(&[0, 0, 0, 3]);
    Contents::of(&Packet::parse(&bytes).unwrap())
}

#[test]
fn the_kinds_of_all_chunks_are_seen() {
    let contents = contents(&[Chunk::CookieAck, Chunk::ShutdownAck]);
    assert!(contents.has(ChunkType::COOKIE_ACK));
    assert!(contents.has(ChunkType::SHUTDOWN_ACK));
    assert!(!contents.has(ChunkType::ABORT));
    assert!(contents.begins_with(ChunkType::COOKIE_ACK));
    assert!(!contents.begins_with(ChunkType::SHUTDOWN_ACK));
    assert!(!contents.is_only(ChunkType::COOKIE_ACK));
}

#[test]
fn a_chunk_beside_one_that_is_malformed_is_not_alone() {
    let contents = malformed_after(&[Chunk::CookieAck]);
    assert!(contents.has(ChunkType::COOKIE_ACK));
    assert!(contents.is_malformed());
    assert!(!contents.is_only(ChunkType::COOKIE_ACK));
}

#[test]
fn a_type_beyond_the_rfc_is_not_taken_for_another() {
    let mut bytes = bytes(&[Chunk::CookieAck]);
    bytes.extend_from_slice(&[6 + 16, 0, 0, 4, 6 + 64, 0, 0, 4, 255, 0, 0, 4]);
    let contents = Contents::of(&Packet::parse(&bytes).unwrap());
    assert!(!contents.has(ChunkType::ABORT));
    assert!(!contents.has(ChunkType(22)));
    assert!(!contents.is_malformed());
}

#[test]
fn t_bits_are_told() {
    for reflected in [TagReflection::Own, TagReflection::Reflected] {
        let aborted = contents(&[abort(reflected)]);
        assert_eq!(aborted.abort(), Some(reflected));
        assert_eq!(aborted.shutdown_complete(), None);
        let complete = contents(&[shutdown_complete(reflected)]);
        assert_eq!(complete.shutdown_complete(), Some(reflected));
    }
}

#[test]
fn a_stale_cookie_is_found_among_causes() {
    let causes = [
        sheave_wire::Cause::OutOfResource,
        stale_cause(core::time::Duration::ZERO),
    ];
    let error = |causes| Chunk::Error(ErrorChunk { causes });
    assert!(contents(&[error(Causes::from(&causes))]).has_stale_cookie());
    assert!(!contents(&[error(Causes::EMPTY)]).has_stale_cookie());
}

#[test]
fn a_packet_whose_first_chunk_is_malformed_holds_nothing() {
    let contents = malformed_after(&[]);
    assert!(contents.is_malformed());
    assert!((0..=255).all(|number| !contents.has(ChunkType(number))));
}
