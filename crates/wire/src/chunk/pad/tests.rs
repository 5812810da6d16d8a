use std::string::ToString;
use std::vec::Vec;

use crate::captured::hex;
use crate::{Chunk, CommonHeader, Packet, PacketWriter, Pad, RawChunk};

fn written(pad: Pad) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, CommonHeader::default(), 1452);
    writer.push_pad(pad);
    writer.finish();
    bytes
}

#[test]
fn what_is_written_is_read_back() {
    for len in [4, 8, 13, 1440] {
        let bytes = written(Pad { len });
        assert_eq!(bytes.len(), 12 + usize::from(len).next_multiple_of(4));
        let chunk = Packet::parse(&bytes).unwrap().chunks().next();
        let Some(Ok(Chunk::Unknown(raw))) = chunk else {
            panic!("{chunk:?}")
        };
        assert_eq!(Pad::from_raw(&raw), Some(Pad { len }));
        assert!(raw.value.iter().all(|byte| *byte == 0));
    }
}

#[test]
fn it_looks_on_the_wire_as_the_rfc_draws_it() {
    assert_eq!(written(Pad { len: 8 })[12..], hex("84000008 00000000"));
    assert_eq!(written(Pad { len: 0 })[12..], hex("84000004"));
}

#[test]
fn another_type_is_none_and_the_printer_tells_the_length() {
    let bytes = hex("85000004");
    assert_eq!(Pad::from_raw(&RawChunk::parse(&bytes).unwrap()), None);
    let bytes = hex("84000008 00000000");
    let chunk = Chunk::Unknown(RawChunk::parse(&bytes).unwrap());
    assert_eq!(chunk.to_string(), "PAD 8 bytes");
}
