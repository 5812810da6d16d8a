//! An INIT that asks without leaving state behind: a listener keeps none before it sees a cookie
//! again (RFC 9260 §5.1).

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use sheave_wire::{
    Chunk, ChunkType, CommonHeader, Init, PacketWriter, ParameterType, Parameters, Tsn, Vtag,
};

/// A parameter that every receiver skips and reports (RFC 9260 §3.2.1: its highest bits are 11).
const REPORTED: ParameterType = ParameterType(0xFE9E);

/// The bytes that make a question longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// None.
    None,
    /// Bytes that the peer skips (RFC 4820 §4), so that the packet has this length in all.
    PadTo(usize),
    /// So many bytes that the peer sends back.
    Reported(usize),
}

/// An INIT and what its answer is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The packet.
    pub packet: Vec<u8>,
    /// The tag that the answer carries.
    pub tag: Vtag,
    /// The SCTP port that it comes from.
    pub local_port: u16,
    /// The SCTP port that it goes to.
    pub port: u16,
}

impl Question {
    /// A question of the SCTP port `port`.
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

/// Every extension that a peer may have: many name only what both have.
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
        // Address changes are authenticated (RFC 5061 §4.1.1).
        parameter(
            ParameterType::CHUNK_LIST,
            &[ChunkType::ASCONF.0, ChunkType::ASCONF_ACK.0],
        ),
        // SHA-256 and SHA-1 (RFC 4895 §3.3).
        parameter(ParameterType::REQUESTED_HMACS, &[0, 3, 0, 1]),
    ]
    .concat()
}

/// Type, length, value and padding.
fn parameter(kind: ParameterType, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(value.len() + 4).unwrap_or(u16::MAX);
    let mut bytes = [kind.0.to_be_bytes(), length.to_be_bytes()].concat();
    bytes.extend_from_slice(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// A number that nobody foretells.
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
