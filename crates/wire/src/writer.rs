use alloc::vec::Vec;

use crate::chunk::{CheckedData, Chunk, Data, IData};
use crate::{CommonHeader, checksum, tlv};

/// Writes one packet at the end of a buffer; a buffer may hold several packets.
///
/// Call [`finish`](Self::finish) or [`cancel`](Self::cancel): dropping a writer leaves a packet
/// without checksum in the buffer.
#[must_use = "a packet has no checksum before `finish`"]
#[derive(Debug)]
pub struct PacketWriter<'b> {
    out: &'b mut Vec<u8>,
    start: usize,
    max_len: usize,
    header: CommonHeader,
    /// CHECKED DATA chunks so far: the first also covers the common header.
    checked: usize,
}

impl<'b> PacketWriter<'b> {
    /// Length of the longest representable chunk, bytes.
    const MAX_CHUNK_LEN: usize = u16::MAX as usize;

    /// Starts a packet of at most `max_len` bytes (common header included) at the end of `out`.
    #[inline]
    pub fn new(out: &'b mut Vec<u8>, header: CommonHeader, max_len: usize) -> Self {
        let start = out.len();
        out.extend_from_slice(&header.to_bytes());
        Self {
            out,
            start,
            max_len,
            header,
            checked: 0,
        }
    }

    /// Bytes of the packet so far, common header included.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.out.len() - self.start
    }

    /// Whether the packet has no chunks yet.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == CommonHeader::LEN
    }

    /// Bytes still free.
    #[inline]
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.max_len.saturating_sub(self.len())
    }

    /// Whether `chunk` and its padding fit.
    #[inline]
    #[must_use]
    pub fn fits(&self, chunk: &Chunk<'_>) -> bool {
        let len = chunk.encoded_len();
        len <= Self::MAX_CHUNK_LEN && tlv::padded(len) <= self.remaining()
    }

    /// Appends `chunk`, padded to a multiple of four bytes. Only the first chunk of a packet may
    /// exceed the packet's limit.
    ///
    /// A chunk of more than 65535 bytes is not representable and is left out.
    pub fn push(&mut self, chunk: &Chunk<'_>) {
        match chunk {
            Chunk::Data(data) => self.push_data(data),
            Chunk::IData(data) => self.push_i_data(data),
            Chunk::CheckedData(checked) => self.push_checked(checked),
            _ => self.push_with(chunk.encoded_len(), |out| chunk.write(out)),
        }
    }

    /// Appends a DATA chunk like [`push`](Self::push); a fast path.
    #[inline]
    pub fn push_data(&mut self, data: &Data<'_>) {
        self.push_with(data.encoded_len(), |out| data.write(out));
    }

    /// Appends `data` as a [`CheckedData`] chunk with a correct checksum, like
    /// [`push`](Self::push).
    pub fn push_checked_data(&mut self, data: &Data<'_>) {
        let first = (self.checked == 0).then_some(self.header);
        self.push_checked(&CheckedData::of(*data, first));
    }

    #[inline]
    fn push_checked(&mut self, checked: &CheckedData<'_>) {
        self.checked += 1;
        self.push_with(checked.encoded_len(), |out| checked.write(out));
    }

    /// Appends an I-DATA chunk like [`push`](Self::push); a fast path.
    #[inline]
    pub fn push_i_data(&mut self, data: &IData<'_>) {
        self.push_with(data.encoded_len(), |out| data.write(out));
    }

    /// Finishes the packet: stores its CRC32c (RFC 9260 §6.8).
    #[inline]
    pub fn finish(self) {
        if let Some(packet) = self.out.get_mut(self.start..) {
            seal(packet);
        }
    }

    /// Finishes the packet with a checksum of zero, for [`seal`], or for a carrier that computes or
    /// omits the checksum.
    #[inline]
    pub fn finish_without_checksum(self) {}

    /// Removes the packet: the buffer is as it was before [`new`](Self::new).
    #[inline]
    pub fn cancel(self) {
        self.out.truncate(self.start);
    }

    #[inline(always)] // So that what is written need not be put into memory first.
    fn push_with(&mut self, len: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let padded = tlv::padded(len);
        debug_assert!(
            self.is_empty() || padded <= self.remaining(),
            "a chunk beyond the packet"
        );
        debug_assert!(
            len <= Self::MAX_CHUNK_LEN,
            "a chunk that cannot be expressed"
        );
        if len > Self::MAX_CHUNK_LEN {
            return;
        }
        self.out.reserve(padded);
        write(self.out);
        tlv::pad(self.out, self.start);
    }
}

/// Stores the CRC32c (RFC 9260 §6.8) of a packet [finished
/// without](PacketWriter::finish_without_checksum) one.
///
/// Reading bytes right after they were written with other access widths stalls the processor. If
/// you write several packets, seal each one after writing the next.
#[inline]
pub fn seal(packet: &mut [u8]) {
    let crc = checksum::crc32c(packet);
    if let Some(field) = packet.get_mut(8..CommonHeader::LEN) {
        field.copy_from_slice(&crc.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
