use std::string::ToString;
use std::vec::Vec;

use crate::captured::hex;
use crate::{IForwardTsn, List, MessageOrder, Mid, RawChunk, SkippedMessages, StreamId, Tsn};

#[test]
fn what_is_written_is_read_back() {
    let skipped = [
        SkippedMessages {
            stream: StreamId(1),
            order: MessageOrder::Ordered,
            mid: Mid(7),
        },
        SkippedMessages {
            stream: StreamId(2),
            order: MessageOrder::Unordered,
            mid: Mid(u32::MAX),
        },
    ];
    let chunk = IForwardTsn {
        new_cumulative_tsn: Tsn(9),
        skipped: List::from(&skipped),
    };
    let mut bytes = Vec::new();
    chunk.write(&mut bytes);
    assert_eq!(
        bytes,
        hex("c2000018 00000009 00010000 00000007 00020001 ffffffff")
    );
    let raw = RawChunk::parse(&bytes).unwrap();
    assert_eq!(IForwardTsn::from_raw(&raw), Some(chunk));
    assert_eq!(raw.to_string(), "tsn 9 skipped [1:7 2:4294967295U]");
}

#[test]
fn one_that_is_cut_or_of_another_type_is_none() {
    for bytes in [
        "c2000007 000000",
        "c200000c 00000009 00010000",
        "c0000008 00000009",
    ] {
        let bytes = hex(bytes);
        let raw = RawChunk::parse(&bytes).unwrap();
        assert_eq!(IForwardTsn::from_raw(&raw), None);
    }
}
