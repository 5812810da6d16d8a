use std::string::ToString;
use std::vec::Vec;

use crate::captured::hex;
use crate::{Chunk, CommonHeader, Packet, PacketDrop, PacketDropFlags, PacketWriter, RawChunk};

const CHUNK: PacketDrop<'static> = PacketDrop {
    flags: PacketDropFlags::BAD_CHECKSUM.union(PacketDropFlags::TRUNCATED),
    bandwidth: 0x0002_0000,
    queued: 0x0000_0123,
    full_len: 1452,
    quoted: &[1, 2, 3, 4, 5],
};

#[test]
fn what_is_written_is_read_back() {
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, CommonHeader::default(), 1452);
    writer.push_packet_drop(&CHUNK);
    writer.finish();
    assert_eq!(
        bytes[12..],
        hex("81060015 00020000 00000123 05ac0000 01020304 05000000")
    );
    let chunk = Packet::parse(&bytes).unwrap().chunks().next();
    let Some(Ok(Chunk::Unknown(raw))) = chunk else {
        panic!("{chunk:?}")
    };
    assert_eq!(PacketDrop::from_raw(&raw), Some(CHUNK));
}

#[test]
fn one_that_is_too_short_or_of_another_type_is_none() {
    for bytes in [
        "8106000f 00020000 00000123 05ac00",
        "80060010 00020000 00000123 05ac0000",
    ] {
        let bytes = hex(bytes);
        assert_eq!(
            PacketDrop::from_raw(&RawChunk::parse(&bytes).unwrap()),
            None
        );
    }
}

#[test]
fn the_printer_tells_who_and_why() {
    let bytes = hex("81030014 00000001 00000002 00000000 01020304");
    let chunk = Chunk::Unknown(RawChunk::parse(&bytes).unwrap());
    assert_eq!(
        chunk.to_string(),
        "PACKET DROP from the way, bad crc, bandwidth 1, queued 2, full length 0, packet 4 bytes \
         01020304"
    );
}
