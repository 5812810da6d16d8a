use super::{crc32c, packet_crc32c};
use crate::captured::{DATA, hex};
use crate::{CommonHeader, Packet};

#[test]
fn the_field_counts_as_zero_at_every_length() {
    let header = CommonHeader {
        source_port: 1,
        ..CommonHeader::default()
    };
    for len in [4, 16, 51, 52, 116, 500, 1440, 8988] {
        let mut packet = std::vec::Vec::from(header.to_bytes());
        packet.extend((0..len).map(|index: u16| index.to_le_bytes()[0]));
        assert_eq!(
            packet_crc32c(header, &packet[12..]),
            crc32c(&packet),
            "{len} bytes"
        );
    }
}

#[test]
fn a_flipped_bit_anywhere_is_found() {
    let mut bytes = hex(DATA);
    for index in 0..bytes.len() * 8 {
        bytes[index / 8] ^= 1 << (index % 8);
        assert!(
            !Packet::parse(&bytes).unwrap().checksum_is_valid(),
            "bit {index}"
        );
        bytes[index / 8] ^= 1 << (index % 8);
    }
    assert!(Packet::parse(&bytes).unwrap().checksum_is_valid());
}
