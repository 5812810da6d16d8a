use std::vec::Vec;

use crate::captured::hex;
use crate::{Chunk, CommonHeader, Cwr, Packet, PacketWriter, RawChunk, Tsn};

const CHUNK: Cwr = Cwr {
    lowest_tsn: Tsn(0x0102_0304),
};

#[test]
fn what_is_written_is_read_back() {
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, CommonHeader::default(), 1452);
    writer.push_cwr(CHUNK);
    writer.finish();
    assert_eq!(bytes[12..], hex("0d000008 01020304"));
    let chunk = Packet::parse(&bytes).unwrap().chunks().next();
    let Some(Ok(Chunk::Unknown(raw))) = chunk else {
        panic!("{chunk:?}")
    };
    assert_eq!(Cwr::from_raw(&raw), Some(CHUNK));
}

#[test]
fn one_that_is_too_short_or_of_another_type_is_none() {
    for bytes in ["0d000007 010203", "0f000008 01020304"] {
        let bytes = hex(bytes);
        assert_eq!(Cwr::from_raw(&RawChunk::parse(&bytes).unwrap()), None);
    }
}
