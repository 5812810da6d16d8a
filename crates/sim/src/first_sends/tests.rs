use sheave_engine::wire::{CommonHeader, Data, PacketWriter, Ppid, Ssn, Tsn, Vtag};

use super::*;

const HEADER: CommonHeader = CommonHeader {
    source_port: 1,
    destination_port: 2,
    vtag: Vtag(3),
};

/// A packet with one chunk, for a message on stream 4 that starts with its number.
fn packet(number: u64, flags: DataFlags) -> Vec<u8> {
    let payload = [number.to_be_bytes(), [0; 8]].concat();
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, HEADER, 1400);
    writer.push(&Chunk::Data(Data {
        flags,
        tsn: Tsn(5),
        stream: StreamId(4),
        ssn: Ssn(0),
        ppid: Ppid(0),
        payload: &payload,
    }));
    writer.finish();
    bytes
}

#[test]
fn a_message_that_leaves_again_left_when_it_first_did() {
    let mut sends = FirstSends::default();
    let beginning = packet(7, DataFlags::BEGINNING);
    sends.note(Time::from_millis(10), &beginning);
    sends.note(Time::from_millis(20), &beginning);
    assert_eq!(sends.of(4, 7), Some(Time::from_millis(10)));
    assert_eq!(sends.of(4, 8), None);
    assert_eq!(sends.of(0, 7), None);
}

#[test]
fn the_rest_of_a_message_tells_no_number() {
    let mut sends = FirstSends::default();
    sends.note(Time::from_millis(10), &packet(7, DataFlags::ENDING));
    assert_eq!(sends.of(4, 7), None);
}
