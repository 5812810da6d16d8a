//! Chunks and parameters of types that the engine does not know (RFC 9260 §3.2, §3.2.1).

use crate::prelude::*;

/// The chunk types of the four actions: stop, stop and report, skip, skip and report.
const STOP: ChunkType = ChunkType(0x3a);
const STOP_REPORT: ChunkType = ChunkType(0x7a);
const SKIP: ChunkType = ChunkType(0xba);
const SKIP_REPORT: ChunkType = ChunkType(0xfa);

/// A chunk of this type, 17 bytes long.
fn bytes_of(chunk_type: ChunkType) -> Vec<u8> {
    let mut bytes = vec![chunk_type.0, 0, 0, 17];
    bytes.extend_from_slice(b"what is this?");
    bytes
}

fn unknown(bytes: &[u8]) -> Chunk<'_> {
    Chunk::Unknown(RawChunk::parse(bytes).unwrap())
}

#[test]
fn data_after_an_unknown_chunk_is_kept_if_the_type_says_skip() {
    for (chunk_type, kept, reported) in [
        (STOP, false, false),
        (STOP_REPORT, false, true),
        (SKIP, true, false),
        (SKIP_REPORT, true, true),
    ] {
        let (mut world, mut peer) = Peer::connected(quiet());
        let data = peer.data(0, 0, b"after it");
        let first = bytes_of(chunk_type);
        peer.send(&mut world, &[unknown(&first), Chunk::Data(data)]);
        world.run_for(secs(1));
        assert_eq!(!world.received(A).is_empty(), kept, "{chunk_type:?}");
        let arrived = peer.take(&world);
        let errors: Vec<_> = arrived.iter().filter_map(Record::error).collect();
        assert_eq!(errors.len(), usize::from(reported), "{chunk_type:?}");
        if let Some(error) = errors.first() {
            let Some(Ok(Cause::UnrecognizedChunkType(echo))) = error.causes.iter().next() else {
                panic!("another cause");
            };
            assert_eq!(echo[0], chunk_type.0);
            assert_eq!(&echo[4..17], b"what is this?");
        }
        peer.expect_alive(&mut world);
    }
}

#[test]
fn data_before_an_unknown_chunk_is_always_kept() {
    for chunk_type in [STOP, STOP_REPORT, SKIP, SKIP_REPORT] {
        let (mut world, mut peer) = Peer::connected(quiet());
        let data = peer.data(0, 0, b"before it");
        let last = bytes_of(chunk_type);
        peer.send(&mut world, &[Chunk::Data(data), unknown(&last)]);
        world.run_for(secs(1));
        assert_eq!(world.texts(A), ["before it"]);
    }
}

#[test]
fn chunks_of_extensions_that_are_off_are_unknown_chunks() {
    let (mut world, mut peer) = Peer::connected(quiet());
    // ECNE, CWR, AUTH, ASCONF ACK, RE-CONFIG, FORWARD TSN, ASCONF, I-DATA, I-FORWARD TSN
    for chunk_type in [12, 13, 15, 128, 130, 192, 193, 64, 194] {
        peer.send(&mut world, &[unknown(&bytes_of(ChunkType(chunk_type)))]);
        world.run_for(ms(100));
    }
    peer.take(&world);
    peer.expect_alive(&mut world);
}

/// Malformed chunks: without a body.
#[test]
fn the_body_of_a_chunk_of_an_extension_that_is_off_is_not_read() {
    for chunk_type in [12, 13, 15, 16, 64, 128, 129, 158, 159, 192, 193, 194] {
        let chunk_type = ChunkType(chunk_type);
        let action = chunk_type.unknown_action();
        let (mut world, mut peer) = Peer::connected(quiet());
        let data = peer.data(0, 0, b"after it");
        let bytes = [chunk_type.0, 0, 0, 4];
        peer.send(&mut world, &[unknown(&bytes), Chunk::Data(data)]);
        world.run_for(secs(1));
        let kept = !world.received(A).is_empty();
        assert_eq!(kept, action.continues(), "{chunk_type}");
        let arrived = peer.take(&world);
        let errors: Vec<_> = arrived.iter().filter_map(Record::error).collect();
        let causes = errors
            .iter()
            .flat_map(|error| error.causes.iter().flatten());
        let causes: Vec<u16> = causes.map(|cause| cause.code()).collect();
        let expected = if action.reports() { &[6][..] } else { &[] };
        assert_eq!(causes, expected, "{chunk_type}");
        assert_eq!(world.endpoint(A).stats().malformed, 0, "{chunk_type}");
        peer.expect_alive(&mut world);
    }
}

/// A parameter of this type, 8 bytes long.
fn novel(parameter_type: u16) -> [u8; 8] {
    let [high, low] = parameter_type.to_be_bytes();
    [high, low, 0, 8, b'n', b'e', b'w', b'!']
}

#[test]
fn unknown_parameters_of_an_init_are_reported_if_the_type_says_so() {
    for (types, reported) in [
        (vec![0x3000, 0xf000], vec![]),
        (vec![0x7000, 0xf000], vec![0x7000]),
        (vec![0xb000, 0xf000], vec![0xf000]),
        (vec![0xf000, 0xf001], vec![0xf000, 0xf001]),
    ] {
        let (mut world, mut peer) = Peer::before_listener(quiet());
        let types: Vec<_> = types.into_iter().map(novel).collect();
        let parameters: Vec<_> = types.iter().map(|bytes| parameter(bytes)).collect();
        peer.send_init(&mut world, &parameters);
        let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
        let parameters = answer.init().unwrap().parameters;
        let echoed = parameters.iter().filter_map(|parameter| match parameter {
            Ok(Parameter::UnrecognizedParameter(bytes)) => {
                Some(u16::from_be_bytes([bytes[0], bytes[1]]))
            }
            _ => None,
        });
        let echoed: Vec<u16> = echoed.collect();
        assert_eq!(echoed, reported);
    }
}

#[test]
fn addresses_after_an_unknown_parameter_count_if_the_type_says_skip() {
    for (parameter_type, paths) in [(0x3000, 1), (0xb000, 2)] {
        let (mut world, mut peer) = Peer::before_listener(quiet());
        let unknown = novel(parameter_type);
        let parameters = [parameter(&unknown), ip_parameter(address(Z, 2))];
        peer.connect(&mut world, &parameters);
        assert_eq!(world.assoc(A).path_stats().len(), paths);
    }
}

// RFC 9260 §3.2.2
#[test]
fn unknown_parameters_of_an_init_ack_are_reported_beside_the_cookie_echo() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    peer.send_init_ack(&mut world, b"cookie", &[parameter(&novel(0xf000))]);
    let mut arrived = peer.listen(&mut world, ms(100));
    peer.send(&mut world, &[Chunk::CookieAck]);
    arrived.extend(peer.listen(&mut world, ms(500)));
    assert_eq!(arrived[0].types()[0], ChunkType::COOKIE_ECHO);
    let causes: Vec<u16> = arrived.iter().flat_map(Record::causes).collect();
    assert_eq!(causes, [8], "Unrecognized Parameters");
    peer.expect_alive(&mut world);
}

#[test]
fn a_wholly_unknown_init_ack_is_still_answered() {
    for parameter_type in [0x3000, 0x7000, 0xb000, 0xf000] {
        let (mut world, mut peer) = Peer::awaited(quiet());
        peer.send_init_ack(&mut world, b"cookie", &[parameter(&novel(parameter_type))]);
        peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    }
}
