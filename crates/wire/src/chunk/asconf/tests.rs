use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::string::ToString;
use std::vec::Vec;

use crate::captured::{fault_of, hex};
use crate::{
    Asconf, AsconfAck, AsconfOutcome, AsconfRequest, Cause, Causes, Chunk, Malformed, TlvList,
};

const V4: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const V6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));

/// Asserts that the bytes hold these requests, and that writing them gives the same bytes.
#[track_caller]
fn assert_asconf(digits: &str, address: IpAddr, requests: &[AsconfRequest<'_>]) {
    let bytes = hex(digits);
    let expected = Chunk::Asconf(Asconf {
        serial: 7,
        address,
        requests: TlvList::from(requests),
    });
    assert_eq!(Chunk::parse(&bytes), Ok(expected));
    let mut written = Vec::new();
    expected.write(&mut written);
    assert_eq!(written, bytes);
    assert_eq!(expected.encoded_len(), bytes.len());
}

fn first_request(digits: &str) -> Result<AsconfRequestCopy, Malformed> {
    let bytes = hex(digits);
    let Ok(Chunk::Asconf(chunk)) = Chunk::parse(&bytes) else {
        panic!("ASCONF")
    };
    chunk
        .requests
        .iter()
        .next()
        .unwrap()
        .map(|request| AsconfRequestCopy(request.id()))
}

#[derive(Debug, PartialEq, Eq)]
struct AsconfRequestCopy(u32);

#[test]
fn addresses_are_added_deleted_and_made_primary() {
    assert_asconf(
        "c1000040 00000007 00050008 c0000201
         c0010010 00000001 00050008 c0000201
         c002001c 00000002 00060014 20010db8 00000000 00000000 00000001
         c0040010 00000003 00050008 c0000201"
            .replace("c1000040", "c100004c")
            .as_str(),
        V4,
        &[
            AsconfRequest::Add { id: 1, address: V4 },
            AsconfRequest::Delete { id: 2, address: V6 },
            AsconfRequest::SetPrimary { id: 3, address: V4 },
        ],
    );
}

#[test]
fn the_sender_may_name_itself_by_ipv6() {
    assert_asconf(
        "c100001c 00000007 00060014 20010db8 00000000 00000000 00000001",
        V6,
        &[],
    );
}

#[test]
fn a_chunk_without_number_or_address_is_malformed() {
    for digits in [
        "c1000004",
        "c1000008 00000007",
        "c1000010 00000007 c0050008 00000001",
        "c1000010 00000007 00050007 c0000201",
    ] {
        let what = "ASCONF without a serial number and an address";
        assert_eq!(fault_of(digits), what, "{digits}");
    }
    assert_eq!(fault_of("80000007 000000"), "ASCONF ACK below 8 bytes");
}

#[test]
fn a_request_without_its_one_address_is_malformed() {
    let head = "c1000000 00000007 00050008 c0000201";
    for request in [
        "c0010004",
        "c0010008 00000001",
        "c001000c 00000001 00050004",
        "c0010014 00000001 00050008 c0000201 00000000",
        "c001000f 00000001 00050008 c00002",
    ] {
        let len = 16 + hex(request).len();
        let digits = head.replace("c1000000", &std::format!("c100{len:04x}")) + request;
        assert!(first_request(&digits).is_err(), "{request}");
    }
}

#[test]
fn an_unknown_request_has_an_id_all_the_same() {
    let found = first_request("c1000018 00000007 00050008 c0000201 c0990008 00000009");
    assert_eq!(found, Ok(AsconfRequestCopy(9)));
}

#[test]
fn outcomes_are_successes_and_causes() {
    let bytes = hex("80000020 00000007 c0050008 00000001 c0030010 00000002 00a10008 c0010004");
    let request = hex("c0010004");
    let causes = [Cause::ResourceShortage(&request)];
    let outcomes = [
        AsconfOutcome::Success { id: 1 },
        AsconfOutcome::Failure {
            id: 2,
            causes: Causes::from(&causes),
        },
    ];
    let expected = Chunk::AsconfAck(AsconfAck {
        serial: 7,
        outcomes: TlvList::from(&outcomes),
    });
    assert_eq!(Chunk::parse(&bytes), Ok(expected));
    let mut written = Vec::new();
    expected.write(&mut written);
    assert_eq!(written, bytes);
    assert_eq!(expected.encoded_len(), bytes.len());
    let line = expected.to_string();
    assert!(line.contains("Success Indication 1"), "{line}");
    assert!(line.contains("Resource Shortage"), "{line}");
}
