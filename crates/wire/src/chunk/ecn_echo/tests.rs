use std::string::ToString;

use crate::captured::{assert_bytes, fault_of, hex, packet_of, parse};
use crate::{Chunk, EcnEcho, Tsn};

const CHUNK: Chunk<'static> = Chunk::EcnEcho(EcnEcho {
    lowest_tsn: Tsn(0x0102_0304),
});

#[test]
fn it_names_a_tsn() {
    assert_bytes("0c000008 01020304", &CHUNK);
    assert_eq!(CHUNK.to_string(), "ECNE lowest tsn 16909060");
}

#[test]
fn one_without_a_whole_tsn_is_malformed() {
    assert_eq!(fault_of("0c000007 010203"), "ECNE below 8 bytes");
}

#[test]
fn a_number_of_packets_behind_the_tsn_is_passed_over() {
    let packet = packet_of(&hex("0c00000c 01020304 00000007"));
    assert_eq!(parse(&packet), [Ok(CHUNK)]);
}
