use std::string::ToString;
use std::vec::Vec;

use crate::captured::hex;
use crate::{
    Chunk, CommonHeader, ForwardTsn, List, Packet, PacketWriter, RawChunk, SkippedStream, Ssn,
    StreamId, Tsn, Vtag,
};

fn skipped(stream: u16, ssn: u16) -> SkippedStream {
    SkippedStream {
        stream: StreamId(stream),
        ssn: Ssn(ssn),
    }
}

/// Asserts that the bytes hold this chunk, and that writing it gives the same bytes.
#[track_caller]
fn assert_bytes(digits: &str, tsn: u32, streams: &[SkippedStream]) {
    let bytes = hex(digits);
    let expected = ForwardTsn {
        new_cumulative_tsn: Tsn(tsn),
        skipped: List::from(streams),
    };
    let raw = RawChunk::parse(&bytes).unwrap();
    assert_eq!(ForwardTsn::from_raw(&raw), Some(expected));
    let mut written = Vec::new();
    expected.write(&mut written);
    assert_eq!(written, bytes);
}

#[test]
fn it_names_a_tsn_and_the_streams_that_go_on() {
    assert_bytes(
        "c0000010 01020304 0001ffff 00070000",
        0x0102_0304,
        &[skipped(1, 0xffff), skipped(7, 0)],
    );
}

#[test]
fn unordered_messages_leave_no_streams_to_name() {
    assert_bytes("c0000008 ffffffff", u32::MAX, &[]);
}

#[test]
fn flags_have_no_meaning() {
    let bytes = hex("c0ff0008 00000007");
    let chunk = ForwardTsn::from_raw(&RawChunk::parse(&bytes).unwrap()).unwrap();
    assert_eq!(chunk.new_cumulative_tsn, Tsn(7));
}

#[test]
fn lengths_that_hold_no_whole_pairs_are_refused() {
    for digits in [
        "c0000004",
        "c0000007 00000100",
        "c0000009 00000001 00000000",
        "c000000a 00000001 00010000",
        "c000000f 00000001 00010002 00030000",
    ] {
        let bytes = hex(digits);
        let raw = RawChunk::parse(&bytes).unwrap();
        assert_eq!(ForwardTsn::from_raw(&raw), None, "{digits}");
    }
}

#[test]
fn another_chunk_is_not_read_as_one() {
    let bytes = hex("c2000008 00000007");
    let raw = RawChunk::parse(&bytes).unwrap();
    assert_eq!(ForwardTsn::from_raw(&raw), None);
}

#[test]
fn a_packet_writer_takes_it() {
    let streams = [skipped(3, 9)];
    let chunk = ForwardTsn {
        new_cumulative_tsn: Tsn(5),
        skipped: List::from(&streams),
    };
    let header = CommonHeader {
        source_port: 1,
        destination_port: 2,
        vtag: Vtag(3),
    };
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, header, 100);
    writer.push_forward_tsn(&chunk);
    writer.finish();
    let packet = Packet::parse(&bytes).unwrap();
    let Some(Ok(Chunk::Unknown(raw))) = packet.chunks().next() else {
        panic!("{packet}")
    };
    assert_eq!(ForwardTsn::from_raw(&raw), Some(chunk));
}

#[test]
fn it_is_printed_with_its_streams() {
    let bytes = hex("c0000010 00000029 0001ffff 00070002");
    let chunk = Chunk::Unknown(RawChunk::parse(&bytes).unwrap());
    assert_eq!(
        chunk.to_string(),
        "FORWARD TSN cum 41 streams [1:65535 7:2]"
    );
}
