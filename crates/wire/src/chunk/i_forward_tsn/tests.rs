use std::string::ToString;

use crate::captured::{assert_bytes, fault_of};
use crate::{Chunk, IForwardTsn, List, MessageOrder, Mid, SkippedMessages, StreamId, Tsn};

#[test]
fn it_names_a_tsn_and_the_last_message_skipped_of_each_stream() {
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
    let chunk = Chunk::IForwardTsn(IForwardTsn {
        new_cumulative_tsn: Tsn(9),
        skipped: List::from(&skipped),
    });
    assert_bytes(
        "c2000018 00000009 00010000 00000007 00020001 ffffffff",
        &chunk,
    );
    assert_eq!(
        chunk.to_string(),
        "I-FORWARD-TSN tsn 9 skipped [1:7 2:4294967295U]"
    );
}

#[test]
fn a_part_of_an_entry_makes_the_chunk_malformed() {
    for bytes in ["c2000007 000000", "c200000c 00000009 00010000"] {
        assert_eq!(
            fault_of(bytes),
            "I-FORWARD-TSN without a TSN and whole streams"
        );
    }
}
