//! An INIT as a question: the listener keeps no state until it receives the cookie (RFC 9260 §5.1).

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use sheave_wire::{
    Chunk, ChunkType, CommonHeader, Init, PacketWriter, ParameterType, Parameters, Tsn, Vtag,
};

/// A parameter type that receivers skip and report (highest bits 11, RFC 9260 §3.2.1).
const REPORTED: ParameterType = ParameterType(0xFE9E);

/// Padding of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    None,
    /// Padding that the peer skips (RFC 4820 §4), up to this packet length.
    PadTo(usize),
    /// This many bytes in an unknown parameter, which the peer returns.
    Reported(usize),
}

/// An INIT and the values that identify its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub packet: Vec<u8>,
    /// The verification tag of the answer.
    pub tag: Vtag,
    /// The source SCTP port.
    pub local_port: u16,
    /// The destination SCTP port.
    pub port: u16,
}

impl Question {
    /// Creates a question for SCTP port `port`.
    pub fn new(port: u16, filling: Filling) -> Self {
        let local_port = 49_152 + u16::try_from(random() % 16_384).unwrap_or(0);
        let tag = Vtag(random().max(1));
        let mut packet = write(local_port, port, tag, &[]);
        let filled = match filling {
            Filling::None => Vec::new(),
            Filling::PadTo(length) => {
                let value = length.saturating_sub(packet.len() + 4);
                parameter(ParameterType::PADDING, &vec![0; value])
            }
            Filling::Reported(length) => parameter(REPORTED, &vec![0x9E; length]),
        };
        if !filled.is_empty() {
            packet = write(local_port, port, tag, &filled);
        }
        Self {
            packet,
            tag,
            local_port,
            port,
        }
    }
}

fn write(local_port: u16, port: u16, tag: Vtag, filled: &[u8]) -> Vec<u8> {
    let mut parameters = offers();
    parameters.extend_from_slice(filled);
    let header = CommonHeader {
        source_port: local_port,
        destination_port: port,
        vtag: Vtag(0),
    };
    let mut packet = Vec::new();
    let mut writer = PacketWriter::new(&mut packet, header, usize::from(u16::MAX));
    writer.push(&Chunk::Init(Init {
        initiate_tag: tag,
        a_rwnd: 65_536,
        outbound_streams: 10,
        inbound_streams: u16::MAX,
        initial_tsn: Tsn(random()),
        parameters: Parameters::from_wire(&parameters),
    }));
    writer.finish();
    packet
}

/// Every extension, because many peers list only those that both ends support.
fn offers() -> Vec<u8> {
    let chunks = [
        ChunkType::AUTH,
        ChunkType::ASCONF,
        ChunkType::ASCONF_ACK,
        ChunkType::RE_CONFIG,
        ChunkType::FORWARD_TSN,
        ChunkType::I_DATA,
        ChunkType::I_FORWARD_TSN,
        ChunkType::NR_SACK,
        ChunkType::PACKET_DROP,
    ];
    let chunks = chunks.map(|chunk| chunk.0);
    let key: Vec<u8> = (0..8).flat_map(|_| random().to_be_bytes()).collect();
    [
        parameter(ParameterType::SUPPORTED_EXTENSIONS, &chunks),
        parameter(ParameterType::FORWARD_TSN_SUPPORTED, &[]),
        parameter(ParameterType::ECN_CAPABLE, &[]),
        parameter(ParameterType::RANDOM, &key),
        // Address changes require authentication (RFC 5061 §4.1.1).
        parameter(
            ParameterType::CHUNK_LIST,
            &[ChunkType::ASCONF.0, ChunkType::ASCONF_ACK.0],
        ),
        // SHA-256 and SHA-1 (RFC 4895 §3.3).
        parameter(ParameterType::REQUESTED_HMACS, &[0, 3, 0, 1]),
    ]
    .concat()
}

/// Serializes a parameter: type, length, value and padding.
fn parameter(kind: ParameterType, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(value.len() + 4).unwrap_or(u16::MAX);
    let mut bytes = [kind.0.to_be_bytes(), length.to_be_bytes()].concat();
    bytes.extend_from_slice(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// An unpredictable number.
fn random() -> u32 {
    let [a, b, c, d, ..] = RandomState::new().build_hasher().finish().to_ne_bytes();
    u32::from_ne_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use sheave_wire::Packet;

    use super::*;

    fn first_chunk(packet: &[u8]) -> Init<'_> {
        let packet = Packet::parse(packet).unwrap();
        assert!(packet.checksum_is_valid());
        match packet.chunks().next().unwrap().unwrap() {
            Chunk::Init(init) => init,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_question_is_an_init_with_a_tag_of_its_own() {
        let (one, other) = (
            Question::new(7, Filling::None),
            Question::new(7, Filling::None),
        );
        assert_ne!(one.tag, other.tag);
        let init = first_chunk(&one.packet);
        assert_eq!(init.initiate_tag, one.tag);
        assert!(init.parameters.iter().all(|parameter| parameter.is_ok()));
    }

    #[test]
    fn padding_makes_a_question_as_long_as_wanted() {
        for length in [300, 1232, 1452, 1472, 8952] {
            let question = Question::new(7, Filling::PadTo(length));
            assert_eq!(question.packet.len(), length);
            let init = first_chunk(&question.packet);
            assert!(init.parameters.iter().all(|parameter| parameter.is_ok()));
        }
    }

    #[test]
    fn a_reported_parameter_has_the_bits_that_ask_for_it() {
        use sheave_wire::UnknownAction;
        assert_eq!(REPORTED.unknown_action(), UnknownAction::SkipAndReport);
        let plain = Question::new(7, Filling::None).packet.len();
        let longer = Question::new(7, Filling::Reported(100)).packet.len();
        assert_eq!(longer, plain + 104);
    }
}
