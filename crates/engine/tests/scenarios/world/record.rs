//! Recorded packets and their properties.

use core::fmt;
use core::net::IpAddr;

use sheave_engine::wire::{Abort, Chunk, ChunkType, Data, ErrorChunk, Init, Packet, Sack, Vtag};
use sheave_engine::{Ecn, Fragmentation, Marking, Time};

use super::link::LossReason;

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The packet arrived, or will.
    Carried,
    /// The link lost the packet.
    Lost(LossReason),
    /// A test's rule dropped the packet.
    Dropped,
    /// No host owns the destination address.
    NoSuchHost,
}

/// A packet that was sent.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// When it was sent.
    pub(crate) at: Time,
    pub(crate) from: IpAddr,
    pub(crate) to: IpAddr,
    /// The UDP ports, if encapsulated.
    pub(crate) udp: Option<(u16, u16)>,
    pub(crate) ecn: Ecn,
    pub(crate) fragmentation: Fragmentation,
    pub(crate) marking: Marking,
    /// The SCTP packet.
    pub(crate) bytes: Vec<u8>,
    pub(crate) fate: Fate,
}

impl Record {
    pub(crate) fn packet(&self) -> Packet<'_> {
        Packet::parse(&self.bytes).expect("the record holds an SCTP packet")
    }

    pub(crate) fn vtag(&self) -> Vtag {
        self.packet().header.vtag
    }

    /// The packet's chunks, without malformed ones.
    pub(crate) fn chunks(&self) -> Vec<Chunk<'_>> {
        self.packet().chunks().filter_map(Result::ok).collect()
    }

    pub(crate) fn types(&self) -> Vec<ChunkType> {
        self.chunks().iter().map(Chunk::chunk_type).collect()
    }

    pub(crate) fn has(&self, chunk_type: ChunkType) -> bool {
        Packet::parse(&self.bytes).is_ok_and(|packet| {
            packet
                .chunks()
                .any(|chunk| chunk.is_ok_and(|chunk| chunk.chunk_type() == chunk_type))
        })
    }

    /// Size of the whole IP packet, bytes.
    pub(crate) fn ip_len(&self) -> usize {
        let ip = if self.from.is_ipv4() { 20 } else { 40 };
        let udp = if self.udp.is_some() { 8 } else { 0 };
        ip + udp + self.bytes.len()
    }

    pub(crate) fn data(&self) -> Vec<Data<'_>> {
        let mut found = Vec::new();
        for chunk in self.chunks() {
            if let Chunk::Data(data) = chunk {
                found.push(data);
            }
        }
        found
    }

    pub(crate) fn sack(&self) -> Option<Sack<'_>> {
        self.chunks().into_iter().find_map(|chunk| match chunk {
            Chunk::Sack(sack) => Some(sack),
            _ => None,
        })
    }

    /// The INIT or INIT ACK that it carries.
    pub(crate) fn init(&self) -> Option<Init<'_>> {
        self.chunks().into_iter().find_map(|chunk| match chunk {
            Chunk::Init(init) | Chunk::InitAck(init) => Some(init),
            _ => None,
        })
    }

    pub(crate) fn abort(&self) -> Option<Abort<'_>> {
        self.chunks().into_iter().find_map(|chunk| match chunk {
            Chunk::Abort(abort) => Some(abort),
            _ => None,
        })
    }

    pub(crate) fn error(&self) -> Option<ErrorChunk<'_>> {
        self.chunks().into_iter().find_map(|chunk| match chunk {
            Chunk::Error(error) => Some(error),
            _ => None,
        })
    }

    /// The cause codes of its ABORT or ERROR chunk.
    pub(crate) fn causes(&self) -> Vec<u16> {
        let causes = match (self.abort(), self.error()) {
            (Some(abort), _) => abort.causes,
            (None, Some(error)) => error.causes,
            (None, None) => return Vec::new(),
        };
        causes
            .iter()
            .map(|cause| cause.expect("a cause that we sent").code())
            .collect()
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>12.6} {} > {} ",
            self.at.as_secs_f64(),
            self.from,
            self.to
        )?;
        if self.fate != Fate::Carried {
            write!(f, "[{:?}] ", self.fate)?;
        }
        match Packet::parse(&self.bytes) {
            Ok(packet) => write!(f, "{packet}"),
            Err(malformed) => write!(f, "{} bytes, {malformed}", self.bytes.len()),
        }
    }
}

/// Whether a chunk of that type is in any of these packets.
pub(crate) fn any_has(records: &[Record], chunk_type: ChunkType) -> bool {
    records.iter().any(|record| record.has(chunk_type))
}
