use std::string::ToString;

use crate::captured::{DATA, assert_captured};
use crate::{Chunk, Data, DataFlags, Ppid, Ssn, StreamId, Tsn};

const CAPTURED: Data<'static> = Data {
    flags: DataFlags::UNORDERED
        .union(DataFlags::BEGINNING)
        .union(DataFlags::ENDING),
    tsn: Tsn(0xf814_c106),
    stream: StreamId(3),
    ssn: Ssn(0),
    ppid: Ppid(51),
    payload: b"hello",
};

#[test]
fn a_captured_unordered_message_is_read_and_written() {
    assert_captured(DATA, &Chunk::Data(CAPTURED));
}

#[test]
fn reserved_flags_are_ignored() {
    assert_eq!(
        DataFlags::from_bits(0xf3),
        DataFlags::BEGINNING.union(DataFlags::ENDING)
    );
}

#[test]
fn flags_are_contained_only_together() {
    let both = DataFlags::BEGINNING.union(DataFlags::ENDING);
    assert!(both.contains(DataFlags::BEGINNING));
    assert!(both.contains(both));
    assert!(!DataFlags::BEGINNING.contains(both));
    assert!(both.contains(DataFlags::EMPTY));
}

#[test]
fn it_prints_fields_flags_and_text() {
    assert_eq!(
        Chunk::Data(CAPTURED).to_string(),
        "DATA tsn 4162109702 stream 3 ssn 0 ppid 51 (WebRTC string) flags UBE, 5 bytes \"hello\""
    );
    assert_eq!(DataFlags::EMPTY.to_string(), "-");
    assert_eq!(DataFlags::IMMEDIATE.to_string(), "I");
}
