use std::vec::Vec;

use crate::captured::hex;
use crate::{
    Chunk, CommonHeader, Corruption, CorruptionEvent, List, Packet, PacketWriter, RawChunk, Tsn,
};

const EVENTS: [CorruptionEvent; 2] = [
    CorruptionEvent {
        tsn: Tsn(0x0102_0304),
        found_at: 0x0506_0708,
    },
    CorruptionEvent {
        tsn: Tsn(9),
        found_at: 10,
    },
];

#[test]
fn what_is_written_is_read_back() {
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, CommonHeader::default(), 1452);
    let events = List::from(&EVENTS[..]);
    writer.push_corruption(&Corruption { events });
    writer.finish();
    assert_eq!(
        bytes[12..],
        hex("9f000014 01020304 05060708 00000009 0000000a")
    );
    let chunk = Packet::parse(&bytes).unwrap().chunks().next();
    let Some(Ok(Chunk::Unknown(raw))) = chunk else {
        panic!("{chunk:?}")
    };
    let read = Corruption::from_raw(&raw).unwrap();
    assert_eq!(read.events.iter().collect::<Vec<_>>(), EVENTS);
}

#[test]
fn part_of_an_event_makes_the_chunk_unreadable() {
    let bytes = hex("9f00000a 01020304 0506");
    assert_eq!(
        Corruption::from_raw(&RawChunk::parse(&bytes).unwrap()),
        None
    );
    let bytes = hex("9e00000c 01020304 05060708");
    assert_eq!(
        Corruption::from_raw(&RawChunk::parse(&bytes).unwrap()),
        None
    );
}

#[test]
fn it_is_printed_with_its_events() {
    let bytes = hex("9f00000c 00000009 0000000a");
    let raw = RawChunk::parse(&bytes).unwrap();
    let line = std::string::ToString::to_string(&Chunk::Unknown(raw));
    assert_eq!(line, "CORRUPTION tsns [9 at 10 us]");
}
