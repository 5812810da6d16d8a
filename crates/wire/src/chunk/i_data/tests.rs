use std::string::ToString;

use crate::captured::{assert_bytes, fault_of, hex};
use crate::{Chunk, DataFlags, Fsn, IData, Mid, Ppid, StreamId, Tsn};

const FIRST: IData<'static> = IData {
    flags: DataFlags::BEGINNING.union(DataFlags::UNORDERED),
    tsn: Tsn(0x0102_0304),
    stream: StreamId(5),
    mid: Mid(0x0708_090a),
    ppid_or_fsn: 51,
    payload: b"ab",
};

#[test]
fn the_payload_stands_behind_five_numbers() {
    assert_bytes(
        "40060016 01020304 00050000 0708090a 00000033 6162 0000",
        &Chunk::IData(FIRST),
    );
    assert_eq!(
        Chunk::IData(FIRST).to_string(),
        "I-DATA tsn 16909060 stream 5 mid 117967114 ppid 51 (WebRTC string) flags UB, 2 bytes \"ab\""
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
    let Ok(Chunk::IData(chunk)) = Chunk::parse(&bytes) else {
        panic!("I-DATA")
    };
    assert_eq!(chunk.stream, StreamId(2));
    assert_eq!(chunk.flags, DataFlags::BEGINNING.union(DataFlags::ENDING));
}

#[test]
fn one_without_all_its_numbers_is_malformed() {
    let short = "40030013 00000001 00020000 00000003 000000";
    assert_eq!(fault_of(short), "I-DATA below 20 bytes");
}
