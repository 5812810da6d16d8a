//! Plain packets accepted between the agreement on protection and its enforcement.

use sheave_wire::{CheckedData, Chunk, ChunkType, Packet, Ppid, RawChunk, StreamId, dtls};

/// Whether a plain packet is accepted before protection is enforced. Only chunks of the handshake,
/// of path management, and messages of key managers are. An attacker on the path could inject
/// others that take effect after enforcement: user data and skips use TSNs of data sent under
/// protection.
pub(super) fn is_taken(packet: &Packet<'_>) -> bool {
    let mut chunks = packet.chunks().raw();
    chunks.all(|chunk| chunk.is_ok_and(|chunk| is_harmless(&chunk)))
}

/// Whether a packet holds SACKs alone, or what a receiver sends with them.
pub(super) fn acknowledges(packet: &Packet<'_>) -> bool {
    let is_report = |chunk: RawChunk<'_>| {
        let own = [ChunkType::SACK, ChunkType::NR_SACK, ChunkType::ECNE];
        own.contains(&chunk.chunk_type)
    };
    let mut chunks = packet.chunks().raw();
    chunks.all(|chunk| chunk.is_ok_and(is_report))
}

fn is_harmless(raw: &RawChunk<'_>) -> bool {
    match raw.chunk_type {
        ChunkType::DATA | ChunkType::I_DATA | ChunkType::CHECKED_DATA => match Chunk::from_raw(raw)
        {
            Ok(Chunk::Data(data) | Chunk::CheckedData(CheckedData { data, .. })) => {
                data.ppid == Ppid(dtls::PPID) && data.stream == StreamId(0)
            }
            // Only the first fragment contains the identifier.
            Ok(Chunk::IData(data)) => data.stream == StreamId(0),
            _ => false,
        },
        ChunkType::FORWARD_TSN
        | ChunkType::I_FORWARD_TSN
        | ChunkType::RE_CONFIG
        | ChunkType::ASCONF
        | ChunkType::ASCONF_ACK
        | ChunkType::DTLS => false,
        _ => true,
    }
}
