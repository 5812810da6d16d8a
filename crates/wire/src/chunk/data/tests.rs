use std::string::ToString;

use crate::captured::{DATA, HEADER, assert_captured, fault_of, packet_of, parse, write};
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
fn every_field_lies_where_it_belongs() {
    let data = Data {
        flags: DataFlags::IMMEDIATE,
        tsn: Tsn(0x0102_0304),
        stream: StreamId(0x0506),
        ssn: Ssn(0x0708),
        ppid: Ppid(0x090a_0b0c),
        payload: &[0x0d],
    };
    let packet = write(HEADER, &[Chunk::Data(data)]);
    assert_eq!(
        packet[12..],
        [
            0, 8, 0, 17, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 0, 0
        ]
    );
    assert_eq!(parse(&packet), [Ok(Chunk::Data(data))]);
}

#[test]
fn an_empty_payload_is_left_to_the_receiver_to_answer() {
    let packet = packet_of(&[0, 3, 0, 16, 0, 0, 0, 1, 0, 2, 0, 3, 0, 0, 0, 4]);
    let Ok(Chunk::Data(data)) = parse(&packet)[0] else {
        panic!("not DATA")
    };
    assert_eq!(data.payload, b"");
    assert_eq!(data.encoded_len(), Data::HEADER_LEN);
}

#[test]
fn a_chunk_that_ends_within_its_fields_is_malformed() {
    assert_eq!(
        fault_of("0003000f 00000001 00020003 00000400"),
        "DATA below 16 bytes"
    );
    assert_eq!(fault_of("00030004"), "DATA below 16 bytes");
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
