use std::string::ToString;
use std::vec::Vec;

use crate::captured::hex;
use crate::{
    Chunk, List, ParameterType, ReConfig, ReConfigParameter, ReConfigResult, StreamId, TlvList, Tsn,
};

/// Asserts that the bytes hold these parameters, and that writing them gives the same bytes.
#[track_caller]
fn assert_bytes(digits: &str, parameters: &[ReConfigParameter<'_>]) {
    let bytes = hex(digits);
    let expected = Chunk::ReConfig(ReConfig {
        parameters: TlvList::from(parameters),
    });
    assert_eq!(Chunk::parse(&bytes), Ok(expected));
    let mut written = Vec::new();
    expected.write(&mut written);
    assert_eq!(written, bytes);
}

#[track_caller]
fn read(bytes: &[u8]) -> ReConfig<'_> {
    match Chunk::parse(bytes) {
        Ok(Chunk::ReConfig(chunk)) => chunk,
        other => panic!("{other:?}"),
    }
}

/// The fault of the parameters in the bytes.
#[track_caller]
fn fault_of(digits: &str) -> &'static str {
    let bytes = hex(digits);
    let chunk = read(&bytes);
    let fault = chunk.parameters.iter().find_map(Result::err);
    fault.unwrap().what
}

#[test]
fn an_outgoing_reset_names_numbers_tsn_and_streams() {
    let streams = [StreamId(1), StreamId(6)];
    assert_bytes(
        "82000018 000d0014 01020304 05060708 090a0b0c 00010006",
        &[ReConfigParameter::OutgoingReset {
            request: 0x0102_0304,
            response: 0x0506_0708,
            last_tsn: Tsn(0x090a_0b0c),
            streams: List::from(&streams),
        }],
    );
}

#[test]
fn an_incoming_reset_without_streams_means_all() {
    assert_bytes(
        "8200000c 000e0008 00000007",
        &[ReConfigParameter::IncomingReset {
            request: 7,
            streams: List::EMPTY,
        }],
    );
}

#[test]
fn a_tsn_reset_is_a_number() {
    assert_bytes(
        "8200000c 000f0008 ffffffff",
        &[ReConfigParameter::TsnReset { request: u32::MAX }],
    );
}

#[test]
fn a_response_has_next_tsns_or_none() {
    let short = ReConfigParameter::Response {
        request: 5,
        result: ReConfigResult::DENIED,
        next_tsns: None,
    };
    assert_bytes("82000010 0010000c 00000005 00000002", &[short]);
    let long = ReConfigParameter::Response {
        request: 5,
        result: ReConfigResult::PERFORMED,
        next_tsns: Some((Tsn(8), Tsn(9))),
    };
    assert_bytes(
        "82000018 00100014 00000005 00000001 00000008 00000009",
        &[long],
    );
}

#[test]
fn streams_are_added_both_ways_with_one_chunk() {
    assert_bytes(
        "8200001c 0011000c 00000001 00030000 0012000c 00000002 00040000",
        &[
            ReConfigParameter::AddOutgoing {
                request: 1,
                count: 3,
            },
            ReConfigParameter::AddIncoming {
                request: 2,
                count: 4,
            },
        ],
    );
}

#[test]
fn padding_between_two_parameters_is_outside_the_first() {
    let stream = [StreamId(2)];
    assert_bytes(
        "8200001a 000e000a 00000001 00020000 000e000a 00000002 0002",
        &[1, 2].map(|request| ReConfigParameter::IncomingReset {
            request,
            streams: List::from(&stream),
        }),
    );
}

#[test]
fn an_unknown_parameter_is_kept_whole() {
    let bytes = hex("8200000c 00630008 01020304");
    let chunk = read(&bytes);
    let Some(Ok(ReConfigParameter::Unknown(raw))) = chunk.parameters.iter().next() else {
        panic!("{chunk}")
    };
    assert_eq!(raw.parameter_type, ParameterType(99));
    assert_eq!(raw.value, [1, 2, 3, 4]);
}

#[test]
fn parameters_of_wrong_length_are_malformed() {
    for (digits, what) in [
        (
            "82000013 000d000f 01020304 05060708 090a0b",
            "Outgoing SSN Reset Request of wrong length",
        ),
        (
            "82000015 000d0011 01020304 05060708 090a0b0c 00",
            "Outgoing SSN Reset Request of wrong length",
        ),
        (
            "8200000d 000e0009 01020304 05",
            "Incoming SSN Reset Request of wrong length",
        ),
        ("82000008 000f0004", "SSN/TSN Reset Request not of 8 bytes"),
        (
            "82000014 00100010 00000005 00000001 00000008",
            "Re-configuration Response not of 12 or 20 bytes",
        ),
        (
            "8200000c 00110008 00000001",
            "Add Outgoing Streams Request not of 12 bytes",
        ),
        (
            "8200000c 00120008 00000001",
            "Add Incoming Streams Request not of 12 bytes",
        ),
    ] {
        assert_eq!(fault_of(digits), what);
    }
}

#[test]
fn it_is_printed_with_what_it_asks() {
    let bytes = hex("82000022 0010000c 00000005 00000006 000d0012 00000001 00000002 00000003 0004");
    assert_eq!(
        Chunk::parse(&bytes).unwrap().to_string(),
        "RE-CONFIG [Re-configuration Response to 5: in progress, \
         Outgoing SSN Reset 1 to 2 after tsn 3 streams 4]"
    );
}
