use std::string::ToString;

use crate::captured::{assert_bytes, fault_of, hex};
use crate::{Chunk, ChunkType, Dtls, DtlsContext, UnknownAction};

/// A record of epoch 3: flags, encrypted sequence number, then the ciphertext of one byte and its tag.
const RECORD: &str = "2bc0de 00 0102030405060708090a0b0c0d0e0f10";

#[test]
fn a_record_stands_behind_one_byte_of_padding() {
    let record = hex(RECORD);
    let primary = Dtls {
        context: DtlsContext::Primary,
        padding: 0,
        record: &record,
    };
    assert_bytes(
        "41000019 00 2bc0de 00 0102030405060708090a0b0c0d0e0f10 000000",
        &Chunk::Dtls(primary),
    );
    let restart = Dtls {
        context: DtlsContext::Restart,
        ..primary
    };
    assert_bytes(
        "41010019 00 2bc0de 00 0102030405060708090a0b0c0d0e0f10 000000",
        &Chunk::Dtls(restart),
    );
}

#[test]
fn a_chunk_without_the_byte_of_padding_is_malformed() {
    assert_eq!(fault_of("41000004"), "DTLS below 5 bytes");
}

#[test]
fn a_peer_without_the_extension_stops_at_the_chunk_and_reports_it() {
    assert_eq!(
        ChunkType::DTLS.unknown_action(),
        UnknownAction::StopAndReport
    );
}

#[test]
fn the_printer_shows_the_epoch_and_leaves_other_record_headers_alone() {
    let printed = |digits: &str| Chunk::parse(&hex(digits)).unwrap().to_string();
    assert_eq!(
        printed("41010009 00 2bc0de ff"),
        "DTLS restart, epoch ..11, encrypted sequence c0de, ciphertext 1 bytes ff"
    );
    assert_eq!(printed("41000007 00 3f01"), "DTLS record 2 bytes 3f01");
}
