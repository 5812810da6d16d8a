//! Distinguishes chunks truncated by the capture from malformed ones.

use sheave_wire::CommonHeader;

/// A chunk that extends beyond the captured bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutChunk {
    /// The chunk's type, if captured.
    pub chunk_type: Option<u8>,
}

/// The chunk at `position`, if the capture ends within it; `bytes` are the captured part of a
/// longer packet. `None` for a complete chunk or an invalid length.
pub fn cut_chunk(bytes: &[u8], position: usize) -> Option<CutChunk> {
    let mut rest = bytes.get(CommonHeader::LEN..)?;
    for _ in 0..position {
        let len = length_of(rest)?;
        rest = rest.get(len.next_multiple_of(4)..).unwrap_or_default();
    }
    match length_of(rest) {
        None => Some(CutChunk {
            chunk_type: rest.first().copied(),
        }),
        Some(len) if len >= 4 && len > rest.len() => Some(CutChunk {
            chunk_type: rest.first().copied(),
        }),
        Some(_) => None,
    }
}

/// The length in a chunk's header.
fn length_of(chunk: &[u8]) -> Option<usize> {
    let length = chunk.get(2..4)?.try_into().ok()?;
    Some(u16::from_be_bytes(length).into())
}

#[cfg(test)]
mod tests;
