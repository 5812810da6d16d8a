use std::string::ToString;
use std::vec::Vec;

use crate::captured::hex;
use crate::{ChunkType, DataFlags, Fsn, IData, Mid, Ppid, RawChunk, StreamId, Tsn};

const FIRST: IData<'static> = IData {
    flags: DataFlags::BEGINNING.union(DataFlags::UNORDERED),
    tsn: Tsn(0x0102_0304),
    stream: StreamId(5),
    mid: Mid(0x0708_090a),
    ppid_or_fsn: 51,
    payload: b"ab",
};

#[test]
fn what_is_written_is_read_back() {
    let mut bytes = Vec::new();
    FIRST.write(&mut bytes);
    assert_eq!(
        bytes,
        hex("40060016 01020304 00050000 0708090a 00000033 6162")
    );
    let raw = RawChunk::parse(&bytes).unwrap();
    assert_eq!(IData::from_raw(&raw), Some(FIRST));
    assert_eq!(
        raw.to_string(),
        "tsn 16909060 stream 5 mid 117967114 ppid 51 flags UB, 2 bytes \"ab\""
    );
}

#[test]
fn the_first_fragment_has_a_ppid_and_a_later_one_its_number() {
    assert_eq!((FIRST.ppid(), FIRST.fsn()), (Some(Ppid(51)), Fsn(0)));
    let later = IData {
        flags: DataFlags::ENDING,
        ..FIRST
    };
    assert_eq!((later.ppid(), later.fsn()), (None, Fsn(51)));
}

#[test]
fn reserved_bits_are_passed_over() {
    let bytes = hex("40f30015 00000001 0002ffff 00000003 00000004 61");
    let chunk = IData::from_raw(&RawChunk::parse(&bytes).unwrap()).unwrap();
    assert_eq!(chunk.stream, StreamId(2));
    assert_eq!(chunk.flags, DataFlags::BEGINNING.union(DataFlags::ENDING));
}

#[test]
fn one_that_is_too_short_or_of_another_type_is_none() {
    for bytes in [
        "40030013 00000001 00020000 00000003 000000",
        "00030015 00000001 00020000 00000003 00000004 61",
    ] {
        let bytes = hex(bytes);
        assert_eq!(IData::from_raw(&RawChunk::parse(&bytes).unwrap()), None);
    }
    assert_eq!(ChunkType::I_DATA.to_string(), "I-DATA");
}
