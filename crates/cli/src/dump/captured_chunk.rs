//! Distinguishes chunks truncated by the capture from malformed ones.

use std::{fmt, iter};

use serde_json::{Value, json};
use sheave_wire::{Chunk, ChunkType, Malformed, Packet};

/// A chunk of a captured packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturedChunk<'a> {
    /// A complete chunk.
    Whole(Chunk<'a>),
    /// A chunk within which the capture ends.
    Cut(ChunkType),
    /// An invalid chunk.
    Malformed(Malformed),
}

impl<'a> CapturedChunk<'a> {
    /// The chunks of `packet`, whose last `missing` bytes were not captured.
    pub fn all(packet: &Packet<'a>, missing: usize) -> impl Iterator<Item = Self> + use<'a> {
        let (bytes, mut chunks) = (packet.bytes(), packet.chunks());
        iter::from_fn(move || {
            let rest = bytes.get(chunks.offset()..).unwrap_or_default();
            Some(match (chunks.next()?, cut_chunk(rest)) {
                (Ok(chunk), _) => Self::Whole(chunk),
                (Err(_), Some(kind)) if missing > 0 => Self::Cut(kind),
                (Err(malformed), _) => Self::Malformed(malformed),
            })
        })
    }

    /// The chunk as JSON.
    pub fn to_json(self) -> Value {
        match self {
            Self::Whole(chunk) => json!({
                "type": chunk.chunk_type().0,
                "name": chunk.chunk_type().to_string(),
                "text": chunk.to_string(),
            }),
            Self::Cut(kind) => json!({ "cut": true, "type": kind.0, "name": kind.to_string() }),
            Self::Malformed(malformed) => json!({ "malformed": malformed.to_string() }),
        }
    }
}

impl fmt::Display for CapturedChunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(chunk) => chunk.fmt(f),
            Self::Cut(kind) => write!(f, "{kind}, cut by the capture"),
            Self::Malformed(malformed) => write!(f, "MALFORMED: {malformed}"),
        }
    }
}

/// The type of the chunk at the start of `rest`, if `rest` ends within it. `None` for a complete
/// chunk or an invalid length.
fn cut_chunk(rest: &[u8]) -> Option<ChunkType> {
    let is_cut = length_of(rest).is_none_or(|len| len >= 4 && len > rest.len());
    is_cut.then(|| rest.first().copied().map(ChunkType))?
}

/// The length in a chunk's header.
fn length_of(chunk: &[u8]) -> Option<usize> {
    let length = chunk.get(2..4)?.try_into().ok()?;
    Some(u16::from_be_bytes(length).into())
}

#[cfg(test)]
mod tests;
