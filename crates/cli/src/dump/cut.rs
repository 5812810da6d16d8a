//! Chunks that the capture cut, told from those that the sender got wrong.

use sheave_wire::CommonHeader;

/// A chunk that goes beyond what was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutChunk {
    /// The chunk's type, if that was captured.
    pub chunk_type: Option<u8>,
}

/// The chunk at that position of a packet of which `bytes` were captured and more were sent, if
/// that is where the capture ends; `None` if it was captured as a whole, or its length is none.
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

/// The length that a chunk's header says.
fn length_of(chunk: &[u8]) -> Option<usize> {
    let length = chunk.get(2..4)?.try_into().ok()?;
    Some(u16::from_be_bytes(length).into())
}

#[cfg(test)]
mod tests;
