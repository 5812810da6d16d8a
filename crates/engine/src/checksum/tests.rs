use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr};

use sheave_wire::{Chunk, CommonHeader, PacketWriter};

use super::{Checksum, Integrity, Unsealed};
use crate::{Ecn, Fragmentation, Marking, PeerAddress, Transmit};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn unsealed(packets: usize) -> Vec<u8> {
    let mut train = Vec::new();
    for _ in 0..packets {
        let mut packet = PacketWriter::new(&mut train, CommonHeader::default(), 1200);
        packet.push(&Chunk::CookieAck);
        packet.finish_without_checksum();
    }
    train
}

fn train(checksum: Checksum, segment_size: Option<usize>) -> Unsealed {
    let transmit = Transmit {
        local: HERE,
        remote: PeerAddress {
            ip: HERE,
            encapsulation: None,
        },
        ecn: Ecn::NotEct,
        segment_size,
        fragmentation: Fragmentation::Allowed,
        marking: Marking::default(),
    };
    Unsealed { transmit, checksum }
}

#[test]
fn every_packet_of_a_train_is_sealed() {
    let mut bytes = unsealed(3);
    let segment = bytes.len() / 3;
    let _ = train(Checksum::Computed, Some(segment)).seal(&mut bytes);
    for packet in bytes.chunks(segment) {
        assert_eq!(Integrity::of(packet), Integrity::Intact);
    }
}

#[test]
fn offloaded_checksums_are_left_zero() {
    let mut bytes = unsealed(1);
    let before = bytes.clone();
    let _ = train(Checksum::Offloaded, None).seal(&mut bytes);
    assert_eq!(bytes, before);
}

#[test]
fn a_flipped_bit_is_damage_and_zero_says_nothing() {
    let mut bytes = unsealed(1);
    assert_eq!(Integrity::of(&bytes), Integrity::Unknown);
    let _ = train(Checksum::Computed, None).seal(&mut bytes);
    bytes[5] ^= 1;
    assert_eq!(Integrity::of(&bytes), Integrity::Damaged);
    assert_eq!(Integrity::of(&bytes[..11]), Integrity::Unknown);
}
