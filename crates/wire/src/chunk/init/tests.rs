use std::string::ToString;
use std::vec::Vec;

use crate::captured::{
    HEADER, INIT, INIT_ACK, assert_captured, fault_of, hex, packet_of, parse, write,
};
use crate::{Chunk, Init, List, Packet, Parameter, Parameters, RawParameter, Tsn, Vtag};

/// The parameters that the captured INIT and INIT ACK have in common but for their random bytes.
const EXTENSIONS: &str = "80080009 c00fc18082000000";

fn init<'a>(parameters: &'a [Parameter<'a>]) -> Init<'a> {
    Init {
        initiate_tag: Vtag(0xc6a2_006e),
        a_rwnd: 131_072,
        outbound_streams: 10,
        inbound_streams: 20,
        initial_tsn: Tsn(0xf814_c106),
        parameters: Parameters::from(parameters),
    }
}

#[test]
fn a_captured_init_is_read_and_written() {
    let raw = [hex("c0000004"), hex(EXTENSIONS)];
    let random = hex("2569e95930dce1e83b22fd9575dcdf54a4c012efeb119ded71e729790adaf880");
    let mut parameters = Vec::from([Parameter::EcnCapable]);
    parameters.extend(
        raw.iter()
            .map(|raw| Parameter::Unknown(RawParameter::parse(raw).unwrap())),
    );
    parameters.extend([
        Parameter::Random(&random),
        Parameter::RequestedHmacs(List::from(&[1])),
        Parameter::ChunkList(&[0x80, 0xc1]),
        Parameter::SupportedAddressTypes(List::from(&[5])),
    ]);
    assert_captured(INIT, &Chunk::Init(init(&parameters)));
}

#[test]
fn a_captured_init_ack_yields_its_cookie() {
    let bytes = hex(INIT_ACK);
    let packet = Packet::parse(&bytes).unwrap();
    assert!(packet.checksum_is_valid());
    let Some(Ok(Chunk::InitAck(init_ack))) = packet.chunks().next() else {
        panic!("INIT ACK")
    };
    assert_eq!(init_ack.initiate_tag, Vtag(0xd6c3_0014));
    let Some(Ok(Parameter::StateCookie(cookie))) = init_ack.parameters.iter().last() else {
        panic!("State Cookie")
    };
    assert_eq!(cookie.len(), 0x148 - 4);
    assert!(cookie.starts_with(b"KAME-BSD 1.1"));
    assert_eq!(write(packet.header, &[Chunk::InitAck(init_ack)]), bytes);
}

#[test]
fn a_chunk_that_ends_within_its_fields_is_malformed() {
    // An INIT whose length says that it has no value at all has taken down other stacks.
    assert_eq!(fault_of("01000004"), "INIT below 20 bytes");
    let almost = "01000013 c6a2006e 00020000 000a0014 f814c100";
    assert_eq!(fault_of(almost), "INIT below 20 bytes");
    assert_eq!(fault_of("02000004"), "INIT ACK below 20 bytes");
}

#[test]
fn parameters_are_not_looked_at_before_they_are_walked() {
    let bytes = packet_of(&hex(
        "01000018 c6a2006e 00020000 000a0014 f814c106 0005ffff",
    ));
    let Ok(Chunk::Init(init)) = parse(&bytes)[0] else {
        panic!("INIT")
    };
    let fault = init.parameters.iter().next().unwrap().unwrap_err();
    assert_eq!((fault.at, fault.what), (0, "length past the end"));
}

#[test]
fn padding_stands_between_parameters_and_is_not_counted_after_the_last() {
    let parameters = [
        Parameter::StateCookie(b"12345"),
        Parameter::StateCookie(b"6"),
    ];
    let chunk = Chunk::InitAck(init(&parameters));
    let packet = write(HEADER, &[chunk]);
    assert_eq!(packet[14..16], [0, 20 + 12 + 5]);
    assert_eq!(
        packet[32..],
        hex("00070009 3132333435 000000 00070005 36 000000")
    );
    assert_eq!(chunk.encoded_len(), 37);
}

#[test]
fn the_last_parameters_padding_may_be_counted() {
    let counted = packet_of(&hex(
        "0100001c c6a2006e 00020000 000a0014 f814c106 00070005 36000000",
    ));
    let Ok(Chunk::Init(init)) = parse(&counted)[0] else {
        panic!("INIT")
    };
    assert_eq!(
        init.parameters,
        Parameters::from(&[Parameter::StateCookie(b"6")])
    );
}

#[test]
fn it_prints_fields_and_parameters() {
    let parameters = [
        Parameter::Ipv4Address([192, 0, 2, 1].into()),
        Parameter::EcnCapable,
    ];
    assert_eq!(
        Chunk::Init(init(&parameters)).to_string(),
        "INIT tag c6a2006e a_rwnd 131072 streams out 10 in 20 tsn 4162109702 \
         [IPv4 192.0.2.1, ECN Capable]"
    );
}
