use std::string::ToString;
use std::vec::Vec;

use crate::captured::hex;
use crate::{
    KeyManagement, List, Parameter, ParameterType, Parameters, RawParameter, UnknownAction,
};

/// Asserts that the bytes are the parameter and that writing it gives the same bytes.
#[track_caller]
fn assert_bytes(digits: &str, parameter: &Parameter<'_>) {
    let bytes = hex(digits);
    assert_eq!(Parameter::parse(&bytes), Ok(*parameter));
    let mut written = Vec::new();
    parameter.write(&mut written);
    assert_eq!(written, bytes);
    assert_eq!(parameter.encoded_len(), bytes.len());
}

#[track_caller]
fn fault_of(digits: &str) -> &'static str {
    Parameter::parse(&hex(digits)).unwrap_err().what
}

#[test]
fn heartbeat_info_is_opaque() {
    assert_bytes("00010007 010203", &Parameter::HeartbeatInfo(&[1, 2, 3]));
}

#[test]
fn an_ipv4_address_has_four_bytes() {
    assert_bytes(
        "00050008 c0000201",
        &Parameter::Ipv4Address([192, 0, 2, 1].into()),
    );
    assert_eq!(fault_of("00050004"), "IPv4 Address not of 8 bytes");
    assert_eq!(fault_of("00050007 c00002"), "IPv4 Address not of 8 bytes");
    assert_eq!(
        fault_of("0005000c c0000201 00000000"),
        "IPv4 Address not of 8 bytes"
    );
}

#[test]
fn an_ipv6_address_has_sixteen_bytes() {
    let address = "2001:db8::1".parse().unwrap();
    assert_bytes(
        "00060014 20010db8 00000000 00000000 00000001",
        &Parameter::Ipv6Address(address),
    );
    assert_eq!(
        fault_of("00060008 20010db8"),
        "IPv6 Address not of 20 bytes"
    );
}

#[test]
fn keys_are_made_of_random_types_and_algorithms() {
    assert_bytes("80020008 01020304", &Parameter::Random(&[1, 2, 3, 4]));
    assert_bytes("80030006 c180", &Parameter::ChunkList(&[0xc1, 0x80]));
    assert_bytes(
        "80040008 00030001",
        &Parameter::RequestedHmacs(List::from(&[3, 1])),
    );
    assert_eq!(fault_of("80040007 000301"), "Requested HMACs of odd length");
    let types = hex("80030006 c100");
    let line = Parameter::parse(&types).unwrap().to_string();
    assert_eq!(line, "Chunk List ASCONF, DATA");
}

#[test]
fn an_adaptation_layer_indication_is_a_number() {
    assert_bytes(
        "c0060008 0000002a",
        &Parameter::AdaptationLayerIndication(42),
    );
    assert_eq!(
        fault_of("c0060006 002a"),
        "Adaptation Layer Indication not of 8 bytes"
    );
}

#[test]
fn dtls_key_management_keeps_bits_without_a_meaning() {
    let offer = KeyManagement {
        tie_breaker: 0xdead_beef,
        flags: 0xff,
        methods: &[192, 0],
    };
    assert_bytes(
        "8006000b deadbeef ff c000",
        &Parameter::DtlsKeyManagement(offer),
    );
    assert_eq!(
        Parameter::DtlsKeyManagement(offer).to_string(),
        "DTLS Key Management tie breaker 0xdeadbeef, client, server, restart, methods 192 0"
    );
    assert_eq!(
        fault_of("80060009 deadbeef 03"),
        "DTLS Key Management without a method"
    );
}

#[test]
fn a_state_cookie_is_opaque() {
    assert_bytes("00070009 6368697073", &Parameter::StateCookie(b"chips"));
}

#[test]
fn an_unrecognized_parameter_is_kept_whole() {
    let whole = hex("c0fe0006 0102");
    assert_bytes(
        "0008000a c0fe0006 0102",
        &Parameter::UnrecognizedParameter(&whole),
    );
}

#[test]
fn a_cookie_preservative_is_a_number() {
    assert_bytes(
        "00090008 000003e8",
        &Parameter::CookiePreservative { increment: 1000 },
    );
    assert_eq!(
        fault_of("00090006 03e8"),
        "Cookie Preservative not of 8 bytes"
    );
}

#[test]
fn a_host_name_is_text_that_nobody_resolves() {
    assert_bytes("000b0008 613a6200", &Parameter::HostNameAddress(b"a:b\0"));
}

#[test]
fn supported_address_types_are_pairs_of_bytes() {
    let both = Parameter::SupportedAddressTypes(List::from(&[5, 6]));
    assert_bytes("000c0008 0005 0006", &both);
    assert_bytes("000c0004", &Parameter::SupportedAddressTypes(List::EMPTY));
    assert_eq!(
        fault_of("000c0007 000500"),
        "Supported Address Types of odd length"
    );
}

#[test]
fn ecn_capable_has_no_value() {
    assert_bytes("80000004", &Parameter::EcnCapable);
    assert_eq!(fault_of("80000008 00000000"), "ECN Capable with a value");
}

#[test]
fn an_unknown_parameter_keeps_every_bit() {
    let bytes = hex("c0000009 0102030405");
    let raw = RawParameter::parse(&bytes).unwrap();
    assert_eq!(raw.parameter_type, ParameterType(0xc000));
    assert_eq!((raw.value, raw.bytes()), (&[1, 2, 3, 4, 5][..], &bytes[..]));
    assert_bytes("c0000009 0102030405", &Parameter::Unknown(raw));
}

#[test]
fn the_two_high_bits_say_what_to_do_with_an_unknown_type() {
    let actions = [
        (0x3fff, UnknownAction::StopSilently),
        (0x4000, UnknownAction::StopAndReport),
        (0x8001, UnknownAction::SkipSilently),
        (0xc000, UnknownAction::SkipAndReport),
    ];
    for (parameter_type, action) in actions {
        assert_eq!(ParameterType(parameter_type).unknown_action(), action);
    }
}

#[test]
fn actions_say_whether_to_go_on_and_whether_to_report() {
    let asked = |action: UnknownAction| (action.continues(), action.reports());
    assert_eq!(asked(UnknownAction::StopSilently), (false, false));
    assert_eq!(asked(UnknownAction::StopAndReport), (false, true));
    assert_eq!(asked(UnknownAction::SkipSilently), (true, false));
    assert_eq!(asked(UnknownAction::SkipAndReport), (true, true));
}

#[test]
fn an_address_that_reaches_past_its_chunk_is_malformed() {
    // Other stacks have read addresses beyond the parameter that claimed to hold them.
    assert_eq!(
        fault_of("00060014 20010db8 00000000"),
        "length past the end"
    );
    assert_eq!(fault_of("00050008 c00002"), "length past the end");
    assert_eq!(fault_of(""), "no parameter");
}

#[test]
fn each_prints_its_name_and_value() {
    let whole = hex("c0fe0006 0102");
    let raw = hex("80080005 c0");
    let parameters = [
        Parameter::HeartbeatInfo(&[1]),
        Parameter::Ipv4Address([192, 0, 2, 1].into()),
        Parameter::Ipv6Address("2001:db8::1".parse().unwrap()),
        Parameter::StateCookie(&[2]),
        Parameter::UnrecognizedParameter(&whole),
        Parameter::CookiePreservative { increment: 1000 },
        Parameter::HostNameAddress(b"host\n"),
        Parameter::SupportedAddressTypes(List::from(&[5, 6])),
        Parameter::EcnCapable,
        Parameter::Unknown(RawParameter::parse(&raw).unwrap()),
    ];
    assert_eq!(
        Parameters::from(&parameters).to_string(),
        "[Heartbeat Info 1 bytes 01, IPv4 192.0.2.1, IPv6 2001:db8::1, State Cookie 1 bytes 02, \
         Unrecognized Parameter (parameter type 0xc0fe 2 bytes 0102), \
         Cookie Preservative 1000 ms, Host Name 5 bytes \"host\\n\", \
         Supported Address Types 5 6, ECN Capable, Supported Extensions FORWARD TSN]"
    );
}
