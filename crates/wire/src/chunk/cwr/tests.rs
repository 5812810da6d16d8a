use std::string::ToString;

use crate::captured::{assert_bytes, fault_of};
use crate::{Chunk, Cwr, Tsn};

const CHUNK: Chunk<'static> = Chunk::Cwr(Cwr {
    lowest_tsn: Tsn(0x0102_0304),
});

#[test]
fn it_names_a_tsn() {
    assert_bytes("0d000008 01020304", &CHUNK);
    assert_eq!(CHUNK.to_string(), "CWR lowest tsn 16909060");
}

#[test]
fn one_without_a_whole_tsn_is_malformed() {
    assert_eq!(fault_of("0d000007 010203"), "CWR below 8 bytes");
}
