use std::vec::Vec;

use crate::captured::hex;
use crate::{Chunk, CommonHeader, EcnEcho, Packet, PacketWriter, RawChunk, Tsn};

const CHUNK: EcnEcho = EcnEcho {
    lowest_tsn: Tsn(0x0102_0304),
};

#[test]
fn what_is_written_is_read_back() {
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, CommonHeader::default(), 1452);
    writer.push_ecn_echo(CHUNK);
    writer.finish();
    assert_eq!(bytes[12..], hex("0c000008 01020304"));
    let chunk = Packet::parse(&bytes).unwrap().chunks().next();
    let Some(Ok(Chunk::Unknown(raw))) = chunk else {
        panic!("{chunk:?}")
    };
    assert_eq!(EcnEcho::from_raw(&raw), Some(CHUNK));
}

#[test]
fn one_that_is_too_short_or_of_another_type_is_none() {
    for bytes in ["0c000007 010203", "0f000008 01020304"] {
        let bytes = hex(bytes);
        assert_eq!(EcnEcho::from_raw(&RawChunk::parse(&bytes).unwrap()), None);
    }
}

#[test]
fn a_number_of_packets_behind_the_tsn_is_passed_over() {
    let bytes = hex("0c00000c 01020304 00000007");
    assert_eq!(
        EcnEcho::from_raw(&RawChunk::parse(&bytes).unwrap()),
        Some(CHUNK)
    );
}
