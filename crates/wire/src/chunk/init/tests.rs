use std::vec::Vec;

use crate::captured::{HEADER, INIT, INIT_ACK, assert_captured, hex, write};
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
