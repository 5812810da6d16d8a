use std::vec::Vec;

use crate::{
    CheckedData, Chunk, ChunkType, CommonHeader, Data, DataFlags, Packet, PacketWriter, Ppid,
    RawChunk, Ssn, StreamId, Tsn, UnknownAction, Vtag,
};

const HEADER: CommonHeader = CommonHeader {
    source_port: 9899,
    destination_port: 5001,
    vtag: Vtag(7),
};

fn data(tsn: u32, payload: &[u8]) -> Data<'_> {
    Data {
        flags: DataFlags::BEGINNING.union(DataFlags::ENDING),
        tsn: Tsn(tsn),
        stream: StreamId(2),
        ssn: Ssn(3),
        ppid: Ppid(4),
        payload,
    }
}

/// A packet with two such chunks.
fn packet() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, HEADER, 1452);
    writer.push_checked_data(&data(10, b"hello"));
    writer.push_checked_data(&data(11, b"world!"));
    writer.finish();
    bytes
}

fn raws(bytes: &[u8]) -> Vec<RawChunk<'_>> {
    let chunks = Packet::parse(bytes).unwrap().chunks();
    chunks.raw().collect::<Result<_, _>>().unwrap()
}

#[test]
fn written_values_are_read_back() {
    let bytes = packet();
    assert!(Packet::parse(&bytes).unwrap().checksum_is_valid());
    let chunks = raws(&bytes);
    let first = CheckedData::verified(&chunks[0], Some(HEADER)).unwrap();
    let second = CheckedData::verified(&chunks[1], None).unwrap();
    assert_eq!(first.data, data(10, b"hello"));
    assert_eq!(second.data, data(11, b"world!"));
}

#[test]
fn it_has_20_bytes_before_its_payload() {
    let bytes = packet();
    assert_eq!(bytes[12..16], [158, 3, 0, 25]);
    assert_eq!(bytes[12 + 20..12 + 25], *b"hello");
    assert_eq!(bytes.len(), 12 + 28 + 28);
}

#[test]
fn every_flipped_header_bit_is_found() {
    let intact = packet();
    for bit in (0..8 * 8).chain(12 * 8..32 * 8) {
        let mut bytes = intact.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let packet = Packet::parse(&bytes).unwrap();
        let Some(Ok(raw)) = packet.chunks().next_raw() else {
            continue;
        };
        assert_eq!(
            CheckedData::verified(&raw, Some(packet.header)),
            None,
            "bit {bit}"
        );
    }
}

#[test]
fn flipped_payload_and_packet_checksum_leave_the_header_valid() {
    for at in [8, 32, 33] {
        let mut bytes = packet();
        bytes[at] ^= 0x10;
        let packet = Packet::parse(&bytes).unwrap();
        assert!(!packet.checksum_is_valid());
        let chunks = raws(&bytes);
        assert!(CheckedData::verified(&chunks[0], Some(packet.header)).is_some());
        assert!(CheckedData::verified(&chunks[1], None).is_some());
    }
}

#[test]
fn a_chunk_behind_one_that_was_read_has_a_checksum_of_its_own_header() {
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, HEADER, 1452);
    writer.push(&Chunk::parse(&packet()[12..]).unwrap());
    writer.push_checked_data(&data(11, b"world!"));
    writer.finish();
    assert_eq!(bytes, packet());
}

#[test]
fn a_peer_that_does_not_know_it_passes_over_it_in_silence() {
    for chunk_type in [ChunkType::CHECKED_DATA, ChunkType::CORRUPTION] {
        assert_eq!(chunk_type.unknown_action(), UnknownAction::SkipSilently);
    }
}

#[test]
fn it_is_printed_as_data_with_its_checksum() {
    let bytes = packet();
    let line = Packet::parse(&bytes).unwrap().chunks().next().unwrap();
    let Chunk::CheckedData(checksum) = Chunk::from_raw(&raws(&bytes)[0]).unwrap() else {
        panic!("CHECKED DATA")
    };
    let crc = std::format!("{:08x}", checksum.header_checksum);
    assert_eq!(
        std::string::ToString::to_string(&line.unwrap()),
        std::format!(
            "CHECKED DATA tsn 10 stream 2 ssn 3 ppid 4 (SUA) flags BE, 5 bytes \"hello\" header crc {crc}"
        )
    );
}
