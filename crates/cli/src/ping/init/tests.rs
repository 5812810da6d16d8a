use sheave_wire::{Abort, Causes, TagReflection};

use super::*;

fn answer(vtag: u32, chunk: &Chunk<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let header = CommonHeader {
        source_port: 7,
        destination_port: 50_000,
        vtag: Vtag(vtag),
    };
    let mut writer = PacketWriter::new(&mut out, header, 1200);
    writer.push(chunk);
    writer.finish();
    out
}

#[test]
fn an_abort_is_an_answer_that_refuses() {
    let abort = Abort {
        reflected: TagReflection::Reflected,
        causes: Causes::EMPTY,
    };
    let bytes = answer(9, &Chunk::Abort(abort));
    assert_eq!(judge(&bytes, 7, 50_000), Some((Verdict::Refused, Vtag(9))));
}

#[test]
fn answers_of_other_ports_or_with_a_wrong_checksum_are_none() {
    let mut bytes = answer(9, &Chunk::CookieAck);
    assert_eq!(judge(&bytes, 7, 50_000), None);
    let ack = InitChunk {
        initiate_tag: Vtag(1),
        a_rwnd: 1500,
        outbound_streams: 1,
        inbound_streams: 1,
        initial_tsn: Tsn(1),
        parameters: Parameters::EMPTY,
    };
    bytes = answer(9, &Chunk::InitAck(ack));
    assert_eq!(judge(&bytes, 7, 50_000), Some((Verdict::Answered, Vtag(9))));
    assert_eq!(judge(&bytes, 8, 50_000), None);
    bytes[9] ^= 1;
    assert_eq!(judge(&bytes, 7, 50_000), None);
}
