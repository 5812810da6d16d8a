use std::string::ToString;
use std::vec::Vec;

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
fn chunk_lengths_zero_to_three_end_the_walk() {
    for length in 0..4 {
        let bytes = packet_of(&[0x0b, 0, 0, 4, 0x0b, 0, 0, length, 0x0b, 0, 0, 4]);
        let fault = Malformed {
            at: 16,
            what: "length below four",
        };
        assert_eq!(parse(&bytes), [Ok(Chunk::CookieAck), Err(fault)]);
    }
}

#[test]
fn a_chunk_length_past_the_end_is_malformed() {
    for length in [[0, 5], [0xff, 0xff]] {
        let bytes = packet_of(&[0x0b, 0, length[0], length[1]]);
        assert_eq!(
            parse(&bytes),
            [Err(Malformed {
                at: 12,
                what: "length past the end"
            })]
        );
    }
}

#[test]
fn a_last_chunk_without_its_padding_is_whole() {
    let mut bytes = hex(DATA);
    let whole: Vec<u8> = bytes.clone();
    bytes.truncate(bytes.len() - 3);
    assert_eq!(parse(&bytes), parse(&whole));
}

#[test]
fn padding_that_is_not_zero_is_ignored() {
    let zero = hex(DATA);
    let mut bytes = zero.clone();
    let len = bytes.len();
    bytes[len - 3..].fill(0xee);
    bytes.extend_from_slice(&[0x0b, 0, 0, 4]);
    assert_eq!(parse(&bytes), [parse(&zero)[0], Ok(Chunk::CookieAck)]);
}

#[test]
fn bytes_after_the_last_chunk_that_are_no_chunk_are_malformed() {
    let bytes = packet_of(&hex("0b000004 00"));
    let fault = Malformed {
        at: 16,
        what: "fewer than four bytes left",
    };
    assert_eq!(parse(&bytes), [Ok(Chunk::CookieAck), Err(fault)]);
}

#[test]
fn a_packet_full_of_the_smallest_chunks_is_walked_once() {
    let bytes = packet_of(&[0x0b, 0, 0, 4].repeat(16_000));
    assert_eq!(parse(&bytes).len(), 16_000);
}

#[test]
fn every_piece_of_a_packet_parses_or_is_refused() {
    for packet in [INIT, crate::captured::INIT_ACK] {
        let bytes = hex(packet);
        for len in 16..bytes.len() {
            let piece = Packet::parse(&bytes[..len]).unwrap();
            assert!(piece.chunks().count() <= 1);
            assert!(!piece.to_string().is_empty());
        }
    }
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
