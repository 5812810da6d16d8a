use std::string::ToString;

use crate::captured::{assert_bytes, fault_of, hex};
use crate::{Chunk, PacketDrop, PacketDropFlags};

#[test]
fn a_report_quotes_the_packet_behind_four_numbers() {
    let drop = PacketDrop {
        flags: PacketDropFlags::BAD_CHECKSUM.union(PacketDropFlags::TRUNCATED),
        bandwidth: 0x0002_0000,
        queued: 0x0000_0123,
        full_len: 1452,
        quoted: &[1, 2, 3, 4, 5],
    };
    assert_bytes(
        "81060015 00020000 00000123 05ac0000 01020304 05000000",
        &Chunk::PacketDrop(drop),
    );
}

#[test]
fn a_report_without_all_four_numbers_is_malformed() {
    let what = "PACKET DROP below 16 bytes";
    assert_eq!(fault_of("8106000f 00020000 00000123 05ac00"), what);
}

#[test]
fn the_printer_tells_who_and_why() {
    let bytes = hex("81030014 00000001 00000002 00000000 01020304");
    assert_eq!(
        Chunk::parse(&bytes).unwrap().to_string(),
        "PACKET DROP from the way, bad crc, bandwidth 1, queued 2, full length 0, packet 4 bytes \
         01020304"
    );
}
