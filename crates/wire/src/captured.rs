//! Packets captured from other stacks, and helpers for parsing tests.
//!
//! Unless noted otherwise, captured on loopback between two usrsctp 0.9.5 endpoints over UDP:
//! handshake, unordered message on stream 3, heartbeat, shutdown, user-initiated abort.

use std::vec::Vec;

use crate::{Chunk, CommonHeader, Malformed, Packet, PacketWriter, Vtag};

pub(crate) const INIT: &str = "
    f1f71389 00000000 6803d7f5
    01000062 c6a2006e 00020000 000a0014 f814c106 80000004 c0000004 80080009 c00fc18082000000
    80020024 2569e95930dce1e83b22fd9575dcdf54a4c012efeb119ded71e729790adaf880
    80040006 00010000 80030006 80c10000 000c0006 00050000";

pub(crate) const INIT_ACK: &str = "
    1389f1f7 c6a2006e 4bb5d58c
    020001a4 d6c30014 00020000 000a0014 d15e3153 80000004 c0000004 80080009 c00fc18082000000
    80020024 c4132497c6aced6ed481bffd46f4fe3599fd83b00406b14584e4aa5319ae23eb
    80040006 00010000 80030006 80c10000
    00070148 4b414d452d42534420312e31000000003a2c016b0000000089d207000000000060ea000000000000
    000000006e00a2c6d6c300147f00000100000000000000000000000005000000
    7f0000010000000000000000000000000500000000000000f1f7138901000000010101000000000001000062
    c6a2006e00020000000a0014f814c10680000004c000000480080009c00fc18082000000800200242569e959
    30dce1e83b22fd9575dcdf54a4c012efeb119ded71e729790adaf88080040006000100008003000680c10000
    000c000600050000020001a4d6c3001400020000000a0014d15e315380000004c000000480080009c00fc180
    8200000080020024c4132497c6aced6ed481bffd46f4fe3599fd83b00406b14584e4aa5319ae23eb80040006
    000100008003000680c100003e80f731e084ef12c5d5f4eb548213b743a35514";

pub(crate) const COOKIE_ECHO: &str = "
    f1f71389 d6c30014 1fd257e7
    0a000148 4b414d452d42534420312e31000000003a2c016b0000000089d207000000000060ea000000000000
    000000006e00a2c6d6c300147f00000100000000000000000000000005000000
    7f0000010000000000000000000000000500000000000000f1f7138901000000010101000000000001000062
    c6a2006e00020000000a0014f814c10680000004c000000480080009c00fc18082000000800200242569e959
    30dce1e83b22fd9575dcdf54a4c012efeb119ded71e729790adaf88080040006000100008003000680c10000
    000c000600050000020001a4d6c3001400020000000a0014d15e315380000004c000000480080009c00fc180
    8200000080020024c4132497c6aced6ed481bffd46f4fe3599fd83b00406b14584e4aa5319ae23eb80040006
    000100008003000680c100003e80f731e084ef12c5d5f4eb548213b743a35514";

pub(crate) const DATA: &str = "
    f1f71389 d6c30014 c1fade8c
    00070015 f814c106 00030000 00000033 68656c6c6f000000";

/// Decodes hexadecimal digits; white space is ignored.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    assert!(digits.len().is_multiple_of(2), "half a byte");
    let byte = |pair: &[u8]| u8::from_str_radix(core::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

/// Asserts that the captured packet holds only `chunk`, and that writing `chunk` reproduces it.
#[track_caller]
pub(crate) fn assert_captured(packet: &str, chunk: &Chunk<'_>) {
    let bytes = hex(packet);
    let packet = Packet::parse(&bytes).unwrap();
    assert!(packet.checksum_is_valid());
    assert_eq!(packet.chunks().collect::<Vec<_>>(), [Ok(*chunk)]);
    assert_eq!(write(packet.header, &[*chunk]), bytes);
}

/// Parses the bytes as chunks and returns the first error.
#[track_caller]
pub(crate) fn fault_of(chunk_bytes: &str) -> &'static str {
    let packet = packet_of(&hex(chunk_bytes));
    let chunks = parse(&packet);
    let Malformed { at, what } = chunks[0].expect_err("a fault");
    assert_eq!(at, CommonHeader::LEN);
    assert_eq!(chunks.len(), 1, "nothing follows a fault");
    what
}

/// A packet around chunk bytes; its checksum is zero.
pub(crate) fn packet_of(chunk_bytes: &[u8]) -> Vec<u8> {
    let mut packet = std::vec![0; CommonHeader::LEN];
    packet.extend_from_slice(chunk_bytes);
    packet
}

/// Every chunk of a packet.
#[track_caller]
pub(crate) fn parse(packet: &[u8]) -> Vec<Result<Chunk<'_>, Malformed>> {
    Packet::parse(packet).unwrap().chunks().collect()
}

/// A packet of these chunks.
pub(crate) fn write(header: CommonHeader, chunks: &[Chunk<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = PacketWriter::new(&mut out, header, usize::MAX);
    chunks.iter().for_each(|chunk| writer.push(chunk));
    writer.finish();
    out
}

/// A header for tests.
pub(crate) const HEADER: CommonHeader = CommonHeader {
    source_port: 9899,
    destination_port: 5001,
    vtag: Vtag(0x0102_0304),
};
