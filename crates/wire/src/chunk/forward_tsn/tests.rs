use std::string::ToString;

use crate::captured::{self, fault_of, hex};
use crate::{Chunk, ForwardTsn, List, SkippedStream, Ssn, StreamId, Tsn};

fn skipped(stream: u16, ssn: u16) -> SkippedStream {
    SkippedStream {
        stream: StreamId(stream),
        ssn: Ssn(ssn),
    }
}

/// Asserts that the bytes hold this chunk, and that writing it gives the same bytes.
#[track_caller]
fn assert_bytes(digits: &str, tsn: u32, streams: &[SkippedStream]) {
    let chunk = Chunk::ForwardTsn(ForwardTsn {
        new_cumulative_tsn: Tsn(tsn),
        skipped: List::from(streams),
    });
    captured::assert_bytes(digits, &chunk);
}

#[test]
fn it_names_a_tsn_and_the_streams_that_go_on() {
    assert_bytes(
        "c0000010 01020304 0001ffff 00070000",
        0x0102_0304,
        &[skipped(1, 0xffff), skipped(7, 0)],
    );
}

#[test]
fn unordered_messages_leave_no_streams_to_name() {
    assert_bytes("c0000008 ffffffff", u32::MAX, &[]);
}

#[test]
fn flags_have_no_meaning() {
    let bytes = hex("c0ff0008 00000007");
    let plain = hex("c0000008 00000007");
    assert_eq!(Chunk::parse(&bytes), Chunk::parse(&plain));
}

#[test]
fn lengths_that_hold_no_whole_pairs_are_malformed() {
    for digits in [
        "c0000004",
        "c0000007 00000100",
        "c0000009 00000001 00000000",
        "c000000a 00000001 00010000",
        "c000000f 00000001 00010002 00030000",
    ] {
        let what = "FORWARD TSN without a TSN and whole streams";
        assert_eq!(fault_of(digits), what, "{digits}");
    }
}

#[test]
fn it_is_printed_with_its_streams() {
    let bytes = hex("c0000010 00000029 0001ffff 00070002");
    assert_eq!(
        Chunk::parse(&bytes).unwrap().to_string(),
        "FORWARD TSN cum 41 streams [1:65535 7:2]"
    );
}
