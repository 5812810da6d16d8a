use std::string::ToString;

use crate::captured::{DATA, INIT, hex, packet_of, parse, write};
use crate::{Chunk, CommonHeader, Malformed, Packet, Vtag};

#[test]
fn a_captured_header_is_read() {
    let bytes = hex(DATA);
    let packet = Packet::parse(&bytes).unwrap();
    let header = CommonHeader {
        source_port: 0xf1f7,
        destination_port: 5001,
        vtag: Vtag(0xd6c3_0014),
    };
    assert_eq!(packet.header, header);
    // The checksum's low byte comes first.
    assert_eq!(packet.checksum(), 0x8cde_fac1);
    assert!(packet.checksum_is_valid());
    assert_eq!(packet.bytes(), bytes);
}

#[test]
fn a_packet_without_room_for_a_chunk_is_malformed() {
    let bytes = hex(INIT);
    for len in 0..16 {
        let fault = Packet::parse(&bytes[..len]).unwrap_err();
        assert_eq!(
            fault,
            Malformed {
                at: len,
                what: "packet ends before its first chunk"
            }
        );
    }
    assert!(Packet::parse(&bytes[..16]).is_ok());
}

#[test]
fn chunks_before_a_fault_are_yielded_and_none_after_it() {
    let bytes = packet_of(&hex("0b000004 07000004 0b000004"));
    let fault = Malformed {
        at: 16,
        what: "SHUTDOWN not of 8 bytes",
    };
    assert_eq!(parse(&bytes), [Ok(Chunk::CookieAck), Err(fault)]);
}

#[test]
fn it_prints_a_line_for_the_head_and_one_for_each_chunk() {
    let header = CommonHeader {
        source_port: 1,
        destination_port: 2,
        vtag: Vtag(0xab),
    };
    let mut bytes = write(header, &[Chunk::CookieAck, Chunk::ShutdownAck]);
    assert_eq!(
        Packet::parse(&bytes).unwrap().to_string(),
        "SCTP 1 > 2 vtag 000000ab crc ok, 20 bytes\n    COOKIE ACK\n    SHUTDOWN ACK"
    );
    bytes[19] = 0;
    assert_eq!(
        Packet::parse(&bytes).unwrap().to_string(),
        "SCTP 1 > 2 vtag 000000ab crc BAD, 20 bytes\n    COOKIE ACK\n    \
         malformed at byte 16: length below four"
    );
}
