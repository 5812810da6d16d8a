//! Bytes of each stream in the send buffer.

use alloc::vec::Vec;

use sheave_wire::StreamId;

use crate::per_stream::PerStream;

/// Buffered bytes per stream, and streams that reached their low-water marks.
#[derive(Clone, Debug, Default)]
pub(super) struct StreamBuffers {
    pub(super) streams: PerStream<StreamBuffer>,
    /// Streams at their marks, not yet reported to the user.
    pub(super) low: Vec<StreamId>,
}

/// The buffer of one stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StreamBuffer {
    /// User bytes queued, or sent and not cumulatively acknowledged.
    pub(super) bytes: usize,
    pub(super) low_water: Option<usize>,
}

impl StreamBuffers {
    pub(super) fn on_queued(&mut self, stream: StreamId, bytes: usize) {
        let mut buffer = self.streams.get(stream);
        buffer.bytes += bytes;
        self.streams.replace(stream, buffer);
    }

    /// Notes that `bytes` of a stream are no longer held.
    pub(super) fn on_freed(&mut self, stream: StreamId, bytes: usize) {
        let StreamBuffer {
            bytes: before,
            low_water,
        } = self.streams.get(stream);
        let bytes = before.saturating_sub(bytes);
        self.streams
            .replace(stream, StreamBuffer { bytes, low_water });
        if low_water.is_some_and(|mark| before > mark && bytes <= mark) {
            self.low.push(stream);
        }
    }

    /// A copy with the same marks and nothing buffered.
    pub(super) fn emptied(mut self) -> Self {
        let marks: Vec<_> = self.streams.entries().collect();
        for (stream, buffer) in marks {
            self.streams
                .replace(stream, StreamBuffer { bytes: 0, ..buffer });
        }
        self
    }

    /// Frees memory needed only by a busy sender.
    pub(super) fn trim(&mut self) {
        self.streams.trim();
        self.low.shrink_to_fit();
    }

    /// Bytes on the heap.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>() + self.streams.footprint() + self.low.capacity() * size_of::<StreamId>()
    }
}

#[cfg(test)]
mod tests;
