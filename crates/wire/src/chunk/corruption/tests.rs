use std::string::ToString;

use crate::captured::{assert_bytes, fault_of};
use crate::{Chunk, Corruption, CorruptionEvent, List, Tsn};

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
fn each_event_is_a_tsn_and_a_time() {
    let events = List::from(&EVENTS[..]);
    assert_bytes(
        "9f000014 01020304 05060708 00000009 0000000a",
        &Chunk::Corruption(Corruption { events }),
    );
}

#[test]
fn part_of_an_event_makes_the_chunk_malformed() {
    let what = "CORRUPTION with part of an event";
    assert_eq!(fault_of("9f00000a 01020304 0506"), what);
}

#[test]
fn it_is_printed_with_its_events() {
    let events = List::from(&EVENTS[1..]);
    let line = Chunk::Corruption(Corruption { events }).to_string();
    assert_eq!(line, "CORRUPTION tsns [9 at 10 us]");
}
