use std::vec::Vec;

use super::Verifier;
use crate::{CommonHeader, Packet, Vtag, seal};

/// A sealed packet to that port, with `len` bytes behind its header.
fn packet(destination_port: u16, len: u16) -> Vec<u8> {
    let header = CommonHeader {
        source_port: 9,
        destination_port,
        vtag: Vtag(0x0102_0304),
    };
    let mut bytes = Vec::from(header.to_bytes());
    bytes.extend((0..len).map(|index| (index ^ destination_port).to_le_bytes()[0]));
    seal(&mut bytes);
    bytes
}

#[test]
fn sound_packets_are_valid_in_whatever_order_they_come() {
    let mut verifier = Verifier::default();
    for (port, len) in [
        (1, 4),
        (1, 4),
        (1, 4),
        (2, 4),
        (1, 4),
        (1, 1460),
        (1, 1460),
        (1, 1460),
        (2, 1460),
        (2, 1460),
        (1, 1460),
        (1, 16),
    ] {
        let bytes = packet(port, len);
        assert!(verifier.is_valid(&Packet::parse(&bytes).unwrap()), "{len}");
    }
}

#[test]
fn a_flipped_bit_is_found_behind_any_number_of_packets_that_are_alike() {
    let sound = packet(7, 52);
    for before in 0..4 {
        for bit in 0..sound.len() * 8 {
            let mut verifier = Verifier::default();
            for _ in 0..before {
                assert!(verifier.is_valid(&Packet::parse(&sound).unwrap()));
            }
            let mut broken = sound.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            assert!(!verifier.is_valid(&Packet::parse(&broken).unwrap()));
            // What is broken teaches nothing wrong.
            for _ in 0..3 {
                assert!(!verifier.is_valid(&Packet::parse(&broken).unwrap()));
                assert!(verifier.is_valid(&Packet::parse(&sound).unwrap()));
                assert!(verifier.is_valid(&Packet::parse(&sound).unwrap()));
            }
        }
    }
}
