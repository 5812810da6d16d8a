use std::string::ToString;
use std::vec::Vec;

use crate::captured::{
    COOKIE_ACK, HEADER, SHUTDOWN_ACK, assert_bytes, assert_captured, fault_of, hex, packet_of,
    parse, write,
};
use crate::{Chunk, ChunkType, Data, DataFlags, Ppid, RawChunk, Ssn, StreamId, Tsn, UnknownAction};

#[test]
fn captured_chunks_without_a_value_are_read_and_written() {
    assert_captured(COOKIE_ACK, &Chunk::CookieAck);
    assert_captured(SHUTDOWN_ACK, &Chunk::ShutdownAck);
}

#[test]
fn a_value_where_none_belongs_is_malformed() {
    assert_eq!(fault_of("0b000005 01000000"), "COOKIE ACK with a value");
    assert_eq!(fault_of("08000008 00000000"), "SHUTDOWN ACK with a value");
}

#[test]
fn an_unknown_chunk_keeps_every_bit() {
    // FORWARD TSN is an extension's chunk.
    let bytes = hex("c0a5000b 00000064 010203");
    let packet = packet_of(&bytes);
    let Ok(Chunk::Unknown(raw)) = parse(&packet)[0] else {
        panic!("unknown")
    };
    assert_eq!((raw.chunk_type, raw.flags), (ChunkType(0xc0), 0xa5));
    assert_eq!(raw.value, hex("00000064 010203"));
    assert_eq!(raw.bytes(), bytes);
    assert_bytes("c0a5000b 00000064 010203 00", &Chunk::Unknown(raw));
}

#[test]
fn data_behind_an_unknown_chunk_is_not_lost() {
    let data = Chunk::Data(Data {
        flags: DataFlags::ENDING,
        tsn: Tsn(1),
        stream: StreamId(2),
        ssn: Ssn(3),
        ppid: Ppid(4),
        payload: b"kept",
    });
    let raw = hex("81000007 010203");
    let unknown = Chunk::Unknown(RawChunk::parse(&raw).unwrap());
    let packet = write(HEADER, &[unknown, data]);
    assert_eq!(parse(&packet), [Ok(unknown), Ok(data)]);
}

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
fn reserved_types_are_unknown() {
    for reserved in [ChunkType::ECNE, ChunkType::CWR] {
        let packet = packet_of(&[reserved.0, 0, 0, 8, 0, 0, 0, 1]);
        assert!(
            matches!(parse(&packet)[..], [Ok(Chunk::Unknown(raw))] if raw.chunk_type == reserved)
        );
    }
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
fn an_unknown_chunk_prints_type_flags_and_value() {
    let bytes = hex("c3a50006 0102");
    let raw = Chunk::Unknown(RawChunk::parse(&bytes).unwrap());
    assert_eq!(raw.to_string(), "chunk type 195 flags a5, 2 bytes 0102");
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
