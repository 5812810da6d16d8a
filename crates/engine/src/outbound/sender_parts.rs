use alloc::boxed::Box;

use super::acked::AckedRanges;
use super::concurrent::ConcurrentPaths;
use super::copies::Copies;
use super::corrupted::Corrupted;
use super::interleaved::Mids;
use super::message_keys::MessageKeys;
use super::partial::Partial;
use super::preferences::Preferences;
use super::probe::WindowProbe;
use super::queue::Ticket;
use super::scout::Scout;
use super::stream_buffers::StreamBuffers;
use crate::flight::sent::Sent;
use crate::group::{Group, Parts};

/// Sender state that only extensions or options need.
#[derive(Clone, Debug, Default)]
pub(super) struct SenderParts {
    /// State of each path, where new data leaves on several.
    pub(super) concurrent: Option<Box<ConcurrentPaths>>,
    /// Made by the first message that leaves on every path.
    pub(super) copies: Option<Box<Copies>>,
    /// Chunks that the peer will never drop, where it says so.
    pub(super) released: Option<Box<AckedRanges>>,
    /// Made by the first report.
    pub(super) corrupted: Option<Box<Corrupted>>,
    /// Made by the first message that may be given up.
    pub(super) partial: Option<Box<Partial>>,
    /// In place of SSNs, where I-DATA is in use.
    pub(super) mids: Option<Box<Mids>>,
    /// From a timeout until something is heard, where there are several paths.
    pub(super) scout: Option<Box<Scout>>,
    /// The probe of the peer's window, while that is closed.
    pub(super) probe: Option<Box<WindowProbe>>,
    /// Made by the first choice about a stream.
    pub(super) preferences: Option<Box<Preferences>>,
    /// Made by the first low-water mark.
    pub(super) stream_buffers: Option<Box<StreamBuffers>>,
    /// Made by the first message with a key of its own.
    pub(super) message_keys: Option<Box<MessageKeys>>,
}

impl Parts for SenderParts {
    const NONE: &'static Self = &Self {
        concurrent: None,
        copies: None,
        released: None,
        corrupted: None,
        partial: None,
        mids: None,
        scout: None,
        probe: None,
        preferences: None,
        stream_buffers: None,
        message_keys: None,
    };

    fn is_empty(&self) -> bool {
        self.concurrent.is_none()
            && self.copies.is_none()
            && self.released.is_none()
            && self.corrupted.is_none()
            && self.partial.is_none()
            && self.mids.is_none()
            && self.scout.is_none()
            && self.probe.is_none()
            && self.preferences.is_none()
            && self.stream_buffers.is_none()
            && self.message_keys.is_none()
    }
}

impl SenderParts {
    /// Bytes of the parts on the heap.
    pub(super) fn parts_footprint(&self) -> usize {
        self.concurrent
            .as_deref()
            .map_or(0, ConcurrentPaths::footprint)
            + self.copies.as_deref().map_or(0, Copies::footprint)
            + self
                .released
                .as_deref()
                .map_or(0, |_| size_of::<AckedRanges>())
            + self.partial.as_deref().map_or(0, Partial::footprint)
            + self.mids.as_deref().map_or(0, Mids::footprint)
            + self
                .preferences
                .as_deref()
                .map_or(0, Preferences::footprint)
            + self
                .stream_buffers
                .as_deref()
                .map_or(0, StreamBuffers::footprint)
            + self
                .message_keys
                .as_deref()
                .map_or(0, MessageKeys::footprint)
    }

    /// Notes that the peer has a chunk.
    #[inline]
    pub(super) fn on_delivered(&mut self, chunk: &Sent, seq: u64) {
        if let Some(concurrent) = &mut self.concurrent {
            concurrent.on_delivered(chunk, seq);
        }
    }

    /// Notes that a chunk, which stood like that, is cumulatively acknowledged, and with it the
    /// message of that ticket.
    #[inline(never)] // Elsewhere the chunk can stay in registers.
    pub(super) fn on_popped(&mut self, chunk: &Sent, seq: u64, done: Ticket) {
        if let Some(partial) = &mut self.partial {
            partial.on_acknowledged(done);
        }
        if let Some(keys) = &mut self.message_keys {
            keys.release(done);
        }
        if let Some(concurrent) = &mut self.concurrent {
            if !chunk.is_resolved() {
                concurrent.on_delivered(chunk, seq);
            }
            concurrent.on_popped(chunk);
        }
    }
}

impl Group<SenderParts> {
    #[inline]
    pub(super) fn concurrent(&mut self) -> Option<&mut ConcurrentPaths> {
        self.part(|extensions| &mut extensions.concurrent)
    }

    #[inline]
    pub(super) fn partial(&mut self) -> Option<&mut Partial> {
        self.part(|extensions| &mut extensions.partial)
    }

    #[inline]
    pub(super) fn mids(&mut self) -> Option<&mut Mids> {
        self.part(|extensions| &mut extensions.mids)
    }

    #[inline]
    pub(super) fn stream_buffers(&mut self) -> Option<&mut StreamBuffers> {
        self.part(|extensions| &mut extensions.stream_buffers)
    }

    #[inline]
    pub(super) fn message_keys(&mut self) -> Option<&mut MessageKeys> {
        self.part(|extensions| &mut extensions.message_keys)
    }
}
