use std::vec;
use std::vec::Vec;

use crate::captured::{HEADER, parse};
use crate::{
    Chunk, CommonHeader, CookieEcho, Data, DataFlags, Packet, PacketWriter, Ppid, Ssn, StreamId,
    Tsn,
};

fn data(payload: &[u8]) -> Data<'_> {
    Data {
        flags: DataFlags::BEGINNING.union(DataFlags::ENDING),
        tsn: Tsn(1),
        stream: StreamId(2),
        ssn: Ssn(3),
        ppid: Ppid(4),
        payload,
    }
}

#[test]
fn a_finished_packet_carries_its_header_and_checksum() {
    let mut out = Vec::new();
    let mut writer = PacketWriter::new(&mut out, HEADER, 1452);
    writer.push(&Chunk::CookieAck);
    writer.finish();
    let packet = Packet::parse(&out).unwrap();
    assert_eq!(packet.header, HEADER);
    assert!(packet.checksum_is_valid());
}

#[test]
fn several_packets_stand_in_one_buffer() {
    let mut out = Vec::new();
    for payload in [&b"first"[..], b"second"] {
        let mut writer = PacketWriter::new(&mut out, HEADER, 1452);
        writer.push_data(&data(payload));
        writer.finish();
    }
    let (first, second) = out.split_at(12 + 16 + 8);
    for (packet, payload) in [(first, &b"first"[..]), (second, b"second")] {
        assert!(Packet::parse(packet).unwrap().checksum_is_valid());
        assert_eq!(parse(packet), [Ok(Chunk::Data(data(payload)))]);
    }
}

#[test]
fn a_cancelled_packet_leaves_the_buffer_as_it_was() {
    let mut out = vec![1, 2, 3];
    let mut writer = PacketWriter::new(&mut out, HEADER, 1452);
    writer.push_data(&data(b"gone"));
    writer.cancel();
    assert_eq!(out, [1, 2, 3]);
}

#[test]
fn free_room_shrinks_by_the_padded_chunk() {
    let mut out = vec![0xff];
    let mut writer = PacketWriter::new(&mut out, HEADER, 100);
    assert_eq!(
        (writer.len(), writer.remaining(), writer.is_empty()),
        (12, 88, true)
    );
    writer.push_data(&data(b"12345"));
    assert_eq!(
        (writer.len(), writer.remaining(), writer.is_empty()),
        (36, 64, false)
    );
    writer.cancel();
}

#[test]
fn a_chunk_fits_with_its_padding_or_not_at_all() {
    let mut out = Vec::new();
    let writer = PacketWriter::new(&mut out, HEADER, CommonHeader::LEN + 24);
    assert!(writer.fits(&Chunk::Data(data(b"12345678"))));
    assert!(!writer.fits(&Chunk::Data(data(b"123456789"))));
    writer.cancel();
    let writer = PacketWriter::new(&mut out, HEADER, CommonHeader::LEN + 23);
    assert!(!writer.fits(&Chunk::Data(data(b"1234567"))));
    assert!(writer.fits(&Chunk::Data(data(b"1234"))));
    writer.cancel();
}

#[test]
fn the_first_chunk_may_go_beyond_the_limit() {
    let mut out = Vec::new();
    let mut writer = PacketWriter::new(&mut out, HEADER, 20);
    writer.push(&Chunk::CookieEcho(CookieEcho { cookie: &[7; 100] }));
    assert_eq!((writer.len(), writer.remaining()), (116, 0));
    writer.finish();
    assert!(Packet::parse(&out).unwrap().checksum_is_valid());
}

#[test]
fn the_longest_chunk_is_written_and_a_longer_one_never_fits() {
    let payload = vec![0xaa; usize::from(u16::MAX)];
    let longest = Chunk::Data(data(&payload[..payload.len() - Data::HEADER_LEN]));
    let mut out = Vec::new();
    let mut writer = PacketWriter::new(&mut out, HEADER, usize::MAX);
    assert!(!writer.fits(&Chunk::Data(data(
        &payload[..payload.len() - Data::HEADER_LEN + 1]
    ))));
    assert!(writer.fits(&longest));
    writer.push(&longest);
    writer.finish();
    assert_eq!(parse(&out), [Ok(longest)]);
}

#[test]
fn every_payload_length_is_padded_with_zeros() {
    for len in 0..9 {
        let payload = vec![0xaa; len];
        let mut out = Vec::new();
        let mut writer = PacketWriter::new(&mut out, HEADER, 1452);
        writer.push_data(&data(&payload));
        writer.finish();
        assert_eq!(out.len() % 4, 0);
        assert!(out[28 + len..].iter().all(|byte| *byte == 0));
        assert_eq!(parse(&out), [Ok(Chunk::Data(data(&payload)))]);
    }
}

#[test]
fn a_packet_without_checksum_is_the_same_but_for_a_zero() {
    let mut sealed = Vec::new();
    let mut writer = PacketWriter::new(&mut sealed, HEADER, 1452);
    writer.push_data(&data(&[1, 2, 3]));
    writer.finish();
    let mut open = Vec::new();
    let mut writer = PacketWriter::new(&mut open, HEADER, 1452);
    writer.push_data(&data(&[1, 2, 3]));
    writer.finish_without_checksum();
    assert_eq!(Packet::parse(&open).unwrap().checksum(), 0);
    sealed[8..12].fill(0);
    assert_eq!(open, sealed);
}
