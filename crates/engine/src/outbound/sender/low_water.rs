//! Buffered bytes per stream, and low-water marks.

use super::Outbound;
use crate::Message;
use crate::outbound::stream_buffers::{StreamBuffer, StreamBuffers};
use alloc::vec::Vec;
use core::mem;
use sheave_wire::StreamId;

impl Outbound {
    /// User bytes of a stream queued, or sent and not cumulatively acknowledged.
    pub(crate) fn stream_buffered(&self, stream: StreamId) -> usize {
        match &self.extensions.stream_buffers {
            Some(buffers) => buffers.streams.get(stream).bytes,
            None => {
                let of_stream = self.buffered_by_stream();
                let of_stream = of_stream.filter(|(other, _)| *other == stream);
                of_stream.map(|(_, bytes)| bytes).sum()
            }
        }
    }

    /// Sets the level at which a stream's buffered bytes are reported; `None` disables it.
    pub(crate) fn set_low_water(&mut self, stream: StreamId, low_water: Option<usize>) {
        if self.extensions.stream_buffers.is_none() {
            self.count_streams();
        }
        if let Some(buffers) = self.extensions.stream_buffers() {
            let buffer = buffers.streams.get(stream);
            buffers.streams.replace(
                stream,
                StreamBuffer {
                    low_water,
                    ..buffer
                },
            );
        }
    }

    /// Whether bytes are counted per stream, because a stream has a mark.
    #[inline]
    pub(crate) fn counts_streams(&self) -> bool {
        self.extensions
            .get(|extensions| &extensions.stream_buffers)
            .is_some()
    }

    /// Takes the streams that fell to their marks.
    pub(crate) fn take_low_streams(&mut self) -> Vec<StreamId> {
        match self.extensions.stream_buffers() {
            Some(buffers) => mem::take(&mut buffers.low),
            None => Vec::new(),
        }
    }

    /// Notes a message that is queued.
    #[inline]
    pub(super) fn note_queued(&mut self, message: &Message) {
        if let Some(buffers) = self.extensions.stream_buffers() {
            buffers.on_queued(message.stream, message.payload.len());
        }
    }

    /// Notes that `bytes` of a stream are no longer held.
    #[inline]
    pub(super) fn note_freed(&mut self, stream: StreamId, bytes: usize) {
        if let Some(buffers) = self.extensions.stream_buffers() {
            buffers.on_freed(stream, bytes);
        }
    }

    /// Starts counting, from everything already buffered.
    #[cold]
    fn count_streams(&mut self) {
        let mut buffers = StreamBuffers::default();
        for (stream, bytes) in self.buffered_by_stream() {
            buffers.on_queued(stream, bytes);
        }
        self.extensions.put(
            |extensions| &mut extensions.stream_buffers,
            Some(buffers.into()),
        );
    }

    /// The stream and length of each buffered piece.
    fn buffered_by_stream(&self) -> impl Iterator<Item = (StreamId, usize)> {
        let queued = self.queue.messages();
        let queued = queued.map(|message| (message.stream, message.payload.len()));
        queued.chain(self.ring.held_by_stream())
    }
}
