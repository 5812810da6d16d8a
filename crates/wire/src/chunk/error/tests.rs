use std::string::ToString;

use crate::captured::{assert_bytes, hex, packet_of, parse};
use crate::{Cause, Causes, Chunk, ErrorChunk, StreamId, Tsn};

#[test]
fn causes_are_read_and_written_in_order() {
    let causes = [
        Cause::InvalidStreamIdentifier(StreamId(7)),
        Cause::NoUserData(Tsn(9)),
    ];
    assert_bytes(
        "09000014 00010008 00070000 00090008 00000009",
        &Chunk::Error(ErrorChunk {
            causes: Causes::from(&causes),
        }),
    );
}

#[test]
fn an_error_of_nothing_is_read() {
    assert_bytes(
        "09000004",
        &Chunk::Error(ErrorChunk {
            causes: Causes::EMPTY,
        }),
    );
}

#[test]
fn a_cause_longer_than_its_chunk_is_found_when_it_is_walked() {
    let packet = packet_of(&hex("0900000c 000d0010 01020304 0b000004"));
    let Ok(Chunk::Error(error)) = parse(&packet)[0] else {
        panic!("ERROR")
    };
    let fault = error.causes.iter().next().unwrap().unwrap_err();
    assert_eq!((fault.at, fault.what), (0, "length past the end"));
    assert_eq!(parse(&packet)[1], Ok(Chunk::CookieAck));
}

#[test]
fn it_prints_its_causes() {
    let causes = [Cause::InvalidStreamIdentifier(StreamId(7))];
    let error = Chunk::Error(ErrorChunk {
        causes: Causes::from(&causes),
    });
    assert_eq!(error.to_string(), "ERROR [Invalid Stream Identifier 7]");
}
