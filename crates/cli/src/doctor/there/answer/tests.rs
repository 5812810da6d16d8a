use sheave_wire::{
    Abort, Causes, CommonHeader, Init, PacketWriter, Parameters, TagReflection, Tsn, Vtag,
};

use super::super::question::Filling;
use super::*;

fn packet(question: &Question, vtag: Vtag, chunk: &Chunk<'_>) -> Vec<u8> {
    let header = CommonHeader {
        source_port: question.port,
        destination_port: question.local_port,
        vtag,
    };
    let mut out = Vec::new();
    let mut writer = PacketWriter::new(&mut out, header, 1400);
    writer.push(chunk);
    writer.finish();
    out
}

fn init_ack(parameters: &[u8]) -> Chunk<'_> {
    Chunk::InitAck(Init {
        initiate_tag: Vtag(1),
        a_rwnd: 1500,
        outbound_streams: 2,
        inbound_streams: 3,
        initial_tsn: Tsn(1),
        parameters: Parameters::from_wire(parameters),
    })
}

#[test]
fn an_init_ack_tells_addresses_and_extensions() {
    let question = Question::new(7, Filling::None);
    let parameters = [
        [0, 5, 0, 8, 192, 0, 2, 1].as_slice(),
        &[0x80, 0x00, 0, 4],
        &[0x80, 0x08, 0, 6, 0xC0, 0x82, 0, 0],
        &[0xC0, 0x00, 0, 4],
        &[0, 8, 0, 12, 0xFE, 0x9E, 0, 8, 1, 2, 3, 4],
    ]
    .concat();
    let bytes = packet(&question, question.tag, &init_ack(&parameters));
    let Some((0, Answer::Accepted(accepted))) = Answer::read(&bytes, &[question]) else {
        panic!("no answer");
    };
    assert_eq!(accepted.addresses, ["192.0.2.1".parse::<IpAddr>().unwrap()]);
    assert_eq!(
        accepted.extensions,
        [
            Extension::PartialReliability,
            Extension::Reconfiguration,
            Extension::Ecn
        ]
    );
    assert_eq!((accepted.reported, accepted.inbound_streams), (8, 3));
}

#[test]
fn an_abort_is_told_with_its_causes() {
    let question = Question::new(7, Filling::None);
    let abort = Abort {
        reflected: TagReflection::Reflected,
        causes: Causes::from_wire(&[0, 4, 0, 4]),
    };
    let bytes = packet(&question, question.tag, &Chunk::Abort(abort));
    let answer = Answer::read(&bytes, &[question]);
    let causes = vec![sheave_wire::Cause::OutOfResource.to_string()];
    assert_eq!(answer, Some((0, Answer::Aborted(causes))));
}

#[test]
fn a_wrong_checksum_is_told_even_where_the_tag_was_changed() {
    let question = Question::new(7, Filling::None);
    let mut bytes = packet(&question, question.tag, &init_ack(&[]));
    bytes[5] ^= 1;
    assert_eq!(
        Answer::read(&bytes, &[question]),
        Some((0, Answer::Damaged))
    );
}

#[test]
fn packets_of_others_are_no_answer() {
    let (question, other) = (
        Question::new(7, Filling::None),
        Question::new(9, Filling::None),
    );
    let wrong_tag = packet(&question, Vtag(5), &init_ack(&[]));
    let wrong_port = packet(&other, question.tag, &init_ack(&[]));
    for bytes in [wrong_tag, wrong_port, vec![0; 3]] {
        assert_eq!(Answer::read(&bytes, std::slice::from_ref(&question)), None);
    }
}

#[test]
fn answers_are_matched_to_their_questions() {
    let questions = [7, 7, 7].map(|port| Question::new(port, Filling::None));
    let bytes = packet(&questions[1], questions[1].tag, &init_ack(&[]));
    assert_eq!(Answer::read(&bytes, &questions).unwrap().0, 1);
}
