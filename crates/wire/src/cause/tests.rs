use std::string::ToString;
use std::vec::Vec;

use crate::captured::hex;
use crate::{Cause, Causes, List, StreamId, Tsn};

/// Asserts that the bytes are the cause and that writing it gives the same bytes.
#[track_caller]
fn assert_bytes(digits: &str, cause: &Cause<'_>) {
    let bytes = hex(digits);
    assert_eq!(
        Causes::from_wire(&bytes).iter().collect::<Vec<_>>(),
        [Ok(*cause)]
    );
    let mut written = Vec::new();
    cause.write(&mut written);
    assert_eq!(written, bytes);
    assert_eq!(cause.encoded_len(), bytes.len());
    assert_eq!(cause.code().to_be_bytes(), bytes[..2]);
}

#[track_caller]
fn fault_of(digits: &str) -> &'static str {
    Causes::from_wire(&hex(digits))
        .iter()
        .next()
        .unwrap()
        .unwrap_err()
        .what
}

#[test]
fn an_invalid_stream_identifier_names_the_stream() {
    assert_bytes(
        "00010008 00070000",
        &Cause::InvalidStreamIdentifier(StreamId(7)),
    );
    let reserved = hex("00010008 0007ffff");
    let cause = Causes::from_wire(&reserved).iter().next();
    assert_eq!(cause, Some(Ok(Cause::InvalidStreamIdentifier(StreamId(7)))));
    assert_eq!(
        fault_of("00010006 0007"),
        "Invalid Stream Identifier not of 8 bytes"
    );
}

#[test]
fn refused_address_changes_quote_what_was_refused() {
    let quoted = hex("c0020008 00000001");
    assert_bytes(
        "00a0000c c0020008 00000001",
        &Cause::DeleteLastAddress(&quoted),
    );
    assert_bytes(
        "00a1000c c0020008 00000001",
        &Cause::ResourceShortage(&quoted),
    );
    assert_bytes(
        "00a2000c c0020008 00000001",
        &Cause::DeleteSourceAddress(&quoted),
    );
    assert_bytes("00a30004", &Cause::IllegalAsconfAck);
    assert_bytes("00a4000c c0020008 00000001", &Cause::NotAuthorized(&quoted));
    assert_eq!(
        fault_of("00a30008 00000000"),
        "Illegal ASCONF ACK with a value"
    );
}

#[test]
fn an_unsupported_hmac_is_named() {
    assert_bytes("01050006 0002", &Cause::UnsupportedHmac(2));
    assert_eq!(
        fault_of("01050004"),
        "Unsupported HMAC Identifier not of 6 bytes"
    );
}

#[test]
fn associations_without_agreed_dtls_chunks_are_refused_by_four_causes() {
    assert_bytes("00640004", &Cause::MissingDtlsSupport);
    assert_bytes("00650004", &Cause::NoCommonKeyManagement);
    assert_bytes("00660004", &Cause::TieBreakerCollision);
    assert_bytes("00670004", &Cause::IncompatibleRoles);
    assert_eq!(
        fault_of("00640005 00"),
        "Missing DTLS Chunk Support with a value"
    );
}

#[test]
fn a_new_encapsulation_port_stands_behind_the_current_one() {
    let cause = Cause::RestartWithNewEncapsulationPort {
        current: 9899,
        new: 0,
    };
    assert_bytes("000e0008 26ab 0000", &cause);
    assert_eq!(
        cause.to_string(),
        "Restart with New Encapsulation Port 9899 to 0"
    );
    assert_eq!(
        fault_of("000e0006 26ab"),
        "Restart with New Encapsulation Port not of 8 bytes"
    );
}

#[test]
fn a_missing_mandatory_parameter_lists_types() {
    assert_bytes(
        "0002000a 00000001 0007",
        &Cause::MissingMandatoryParameter(List::from(&[7])),
    );
    let two = Cause::MissingMandatoryParameter(List::from(&[7, 5]));
    assert_bytes("0002000c 00000002 0007 0005", &two);
}

#[test]
fn a_count_that_belies_the_length_is_malformed() {
    let what = "Missing Mandatory Parameter whose count belies its length";
    assert_eq!(fault_of("0002000a 00000002 0007"), what);
    assert_eq!(fault_of("0002000a ffffffff 0007"), what);
    assert_eq!(fault_of("0002000a 00000000 0007"), what);
    assert_eq!(fault_of("00020009 00000001 00"), what);
    assert_eq!(fault_of("00020006 0000"), what);
}

#[test]
fn a_stale_cookie_tells_how_stale() {
    assert_bytes(
        "00030008 000f4240",
        &Cause::StaleCookie {
            staleness: 1_000_000,
        },
    );
    assert_eq!(fault_of("00030004"), "Stale Cookie not of 8 bytes");
}

#[test]
fn out_of_resource_has_no_value() {
    assert_bytes("00040004", &Cause::OutOfResource);
    assert_eq!(fault_of("00040005 00"), "Out of Resource with a value");
}

#[test]
fn an_unresolvable_address_is_kept_whole() {
    let whole = hex("000b0006 6100");
    assert_bytes(
        "0005000a 000b0006 6100",
        &Cause::UnresolvableAddress(&whole),
    );
}

#[test]
fn an_unrecognized_chunk_is_kept_whole() {
    let whole = hex("c1000006 0102");
    assert_bytes(
        "0006000a c1000006 0102",
        &Cause::UnrecognizedChunkType(&whole),
    );
}

#[test]
fn an_invalid_mandatory_parameter_has_no_value() {
    assert_bytes("00070004", &Cause::InvalidMandatoryParameter);
    let what = "Invalid Mandatory Parameter with a value";
    assert_eq!(fault_of("00070008 00000000"), what);
}

#[test]
fn unrecognized_parameters_are_kept_whole() {
    let whole = hex("c0fe0004 c0ff0005 01");
    assert_bytes(
        "0008000d c0fe0004 c0ff0005 01",
        &Cause::UnrecognizedParameters(&whole),
    );
}

#[test]
fn no_user_data_names_the_tsn() {
    assert_bytes("00090008 ffffffff", &Cause::NoUserData(Tsn(0xffff_ffff)));
    assert_eq!(
        fault_of("0009000c 00000000 00000000"),
        "No User Data not of 8 bytes"
    );
}

#[test]
fn cookie_received_while_shutting_down_has_no_value() {
    assert_bytes("000a0004", &Cause::CookieReceivedWhileShuttingDown);
    let what = "Cookie Received While Shutting Down with a value";
    assert_eq!(fault_of("000a0006 0000"), what);
}

#[test]
fn restart_with_new_addresses_keeps_them_whole() {
    let addresses = hex("00050008 c0000201");
    assert_bytes(
        "000b000c 00050008 c0000201",
        &Cause::RestartWithNewAddresses(&addresses),
    );
}

#[test]
fn a_user_initiated_abort_carries_a_reason() {
    assert_bytes(
        "000c000b 627965206e6f77",
        &Cause::UserInitiatedAbort(b"bye now"),
    );
}

#[test]
fn a_protocol_violation_carries_a_remark() {
    assert_bytes("000d0008 6f6f7073", &Cause::ProtocolViolation(b"oops"));
}

#[test]
fn an_unknown_cause_keeps_every_bit() {
    assert_bytes(
        "00af0006 0102",
        &Cause::Unknown {
            code: 0xaf,
            value: &[1, 2],
        },
    );
}

#[test]
fn each_prints_its_name_and_value() {
    let chunk = hex("c9010006 0102");
    let address = hex("00050008 c0000201");
    let causes = [
        Cause::InvalidStreamIdentifier(StreamId(7)),
        Cause::MissingMandatoryParameter(List::from(&[7, 5])),
        Cause::StaleCookie { staleness: 10 },
        Cause::OutOfResource,
        Cause::UnresolvableAddress(&address),
        Cause::UnrecognizedChunkType(&chunk),
        Cause::UnrecognizedChunkType(&[1]),
        Cause::InvalidMandatoryParameter,
        Cause::UnrecognizedParameters(&address),
        Cause::NoUserData(Tsn(9)),
        Cause::CookieReceivedWhileShuttingDown,
        Cause::RestartWithNewAddresses(&address),
        Cause::UserInitiatedAbort(b"bye"),
        Cause::ProtocolViolation(b"\xff"),
        Cause::Unknown {
            code: 99,
            value: &[1],
        },
    ];
    let printed: Vec<_> = causes.iter().map(ToString::to_string).collect();
    assert_eq!(
        printed,
        [
            "Invalid Stream Identifier 7",
            "Missing Mandatory Parameter 7 5",
            "Stale Cookie 10 us",
            "Out of Resource",
            "Unresolvable Address (IPv4 4 bytes c0000201)",
            "Unrecognized Chunk Type (chunk type 201 flags 01, 2 bytes 0102)",
            "Unrecognized Chunk Type 1 bytes 01",
            "Invalid Mandatory Parameter",
            "Unrecognized Parameters (IPv4 4 bytes c0000201)",
            "No User Data tsn 9",
            "Cookie Received While Shutting Down",
            "Restart with New Addresses (IPv4 4 bytes c0000201)",
            "User-Initiated Abort 3 bytes \"bye\"",
            "Protocol Violation 1 bytes \"\\xff\"",
            "cause 99 1 bytes 01",
        ]
    );
}
