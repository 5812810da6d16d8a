//! Answers to questions.

use std::fmt;
use std::net::IpAddr;

use sheave_wire::{Chunk, ChunkType, Packet, Parameter, ParameterType};

use super::question::Question;

/// The kind of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// INIT ACK: the peer accepts associations.
    Accepted(Accepted),
    /// ABORT, with its causes in words.
    Aborted(Vec<String>),
    /// Wrong checksum: the packet was modified on the way, or the sender did not compute the
    /// checksum.
    Damaged,
}

/// The fields of an INIT ACK.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Receive window, bytes.
    pub a_rwnd: u32,
    /// Inbound streams of the peer.
    pub inbound_streams: u16,
    /// Outbound streams of the peer.
    pub outbound_streams: u16,
    /// Addresses in the INIT ACK, without the source address.
    pub addresses: Vec<IpAddr>,
    /// Extensions that both ends support.
    pub extensions: Vec<Extension>,
    /// Bytes that the peer returned as unknown.
    pub reported: usize,
}

/// An extension of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extension {
    /// RFC 3758.
    PartialReliability,
    /// RFC 4895.
    Authentication,
    /// RFC 5061.
    AddressChanges,
    /// RFC 6525.
    Reconfiguration,
    /// RFC 8260.
    Interleaving,
    /// Explicit congestion notification.
    Ecn,
    /// draft-natarajan-tsvwg-sctp-nrsack.
    NrSack,
    /// draft-stewart-sctp-pktdrprep.
    PacketDrop,
}

impl Extension {
    /// Every extension.
    pub const ALL: [Self; 8] = [
        Self::PartialReliability,
        Self::Authentication,
        Self::AddressChanges,
        Self::Reconfiguration,
        Self::Interleaving,
        Self::Ecn,
        Self::NrSack,
        Self::PacketDrop,
    ];

    fn of_chunk(chunk: ChunkType) -> Option<Self> {
        Some(match chunk {
            ChunkType::FORWARD_TSN => Self::PartialReliability,
            ChunkType::AUTH => Self::Authentication,
            ChunkType::ASCONF => Self::AddressChanges,
            ChunkType::RE_CONFIG => Self::Reconfiguration,
            ChunkType::I_DATA => Self::Interleaving,
            ChunkType::NR_SACK => Self::NrSack,
            ChunkType::PACKET_DROP => Self::PacketDrop,
            _ => return None,
        })
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PartialReliability => "partial reliability",
            Self::Authentication => "authentication",
            Self::AddressChanges => "address changes",
            Self::Reconfiguration => "stream reconfiguration",
            Self::Interleaving => "interleaving",
            Self::Ecn => "ECN",
            Self::NrSack => "NR-SACK",
            Self::PacketDrop => "packet drop reports",
        })
    }
}

impl Answer {
    /// Matches a packet with one of the questions; returns the question's index and the answer.
    /// `None` for other packets.
    pub fn read(bytes: &[u8], questions: &[Question]) -> Option<(usize, Self)> {
        let packet = Packet::parse(bytes).ok()?;
        let header = packet.header;
        let of_ports = |question: &Question| {
            header.source_port == question.port && header.destination_port == question.local_port
        };
        if !packet.checksum_is_valid() {
            // The corrupted part may be the tag.
            let at = questions.iter().position(of_ports)?;
            return Some((at, Self::Damaged));
        }
        let is_answered = |question: &Question| of_ports(question) && header.vtag == question.tag;
        let at = questions.iter().position(is_answered)?;
        let answer = match packet.chunks().next()?.ok()? {
            Chunk::InitAck(ack) => Self::Accepted(Accepted {
                a_rwnd: ack.a_rwnd,
                inbound_streams: ack.inbound_streams,
                outbound_streams: ack.outbound_streams,
                ..accepted(ack.parameters.iter().map_while(Result::ok))
            }),
            Chunk::Abort(abort) => {
                let causes = abort.causes.iter().map_while(Result::ok);
                Self::Aborted(causes.map(|cause| cause.to_string()).collect())
            }
            _ => return None,
        };
        Some((at, answer))
    }
}

/// Collects the parameters of an INIT ACK.
fn accepted<'a>(parameters: impl Iterator<Item = Parameter<'a>>) -> Accepted {
    let mut accepted = Accepted::default();
    for parameter in parameters {
        match parameter {
            Parameter::Ipv4Address(ip) => accepted.addresses.push(ip.into()),
            Parameter::Ipv6Address(ip) => accepted.addresses.push(ip.into()),
            Parameter::EcnCapable => accepted.extensions.push(Extension::Ecn),
            Parameter::UnrecognizedParameter(whole) => accepted.reported += whole.len(),
            Parameter::Unknown(raw) => match raw.parameter_type {
                ParameterType::SUPPORTED_EXTENSIONS => {
                    let chunks = raw.value.iter().map(|byte| ChunkType(*byte));
                    accepted
                        .extensions
                        .extend(chunks.filter_map(Extension::of_chunk));
                }
                ParameterType::FORWARD_TSN_SUPPORTED => {
                    accepted.extensions.push(Extension::PartialReliability);
                }
                _ => {}
            },
            _ => {}
        }
    }
    accepted.extensions.sort_unstable();
    accepted.extensions.dedup();
    accepted
}

#[cfg(test)]
mod tests;
