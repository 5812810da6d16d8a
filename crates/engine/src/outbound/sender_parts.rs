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
use crate::path::Path;
use crate::value::ids::PathIndex;

/// Sender state needed only by extensions or options.
#[derive(Clone, Debug, Default)]
pub(super) struct SenderParts {
    /// State per path, if new data leaves on several paths.
    pub(super) concurrent: Option<Box<ConcurrentPaths>>,
    /// Created by the first message sent on every path.
    pub(super) copies: Option<Box<Copies>>,
    /// Chunks that the peer declared it will never drop.
    pub(super) released: Option<Box<AckedRanges>>,
    /// Created by the first damage report.
    pub(super) corrupted: Option<Box<Corrupted>>,
    /// Created by the first message that may be abandoned.
    pub(super) partial: Option<Box<Partial>>,
    /// Replaces SSNs if I-DATA is in use.
    pub(super) mids: Option<Box<Mids>>,
    /// Present from a timeout until new information arrives, if there are several paths.
    pub(super) scout: Option<Box<Scout>>,
    /// The probe of the peer's closed window.
    pub(super) probe: Option<Box<WindowProbe>>,
    /// Created by the first stream setting.
    pub(super) preferences: Option<Box<Preferences>>,
    /// Created by the first low-water mark.
    pub(super) stream_buffers: Option<Box<StreamBuffers>>,
    /// Created by the first message with a key of its own.
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
    /// Heap bytes of the parts.
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

    /// Notes that a chunk arrived at the peer.
    #[inline]
    pub(super) fn on_delivered(&mut self, chunk: &Sent, seq: u64) {
        if let Some(concurrent) = &mut self.concurrent {
            concurrent.on_delivered(chunk, seq);
        }
    }

    /// Notes that a chunk, given in its previous state, is cumulatively acknowledged; `done` is the
    /// ticket of a message completed by it.
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
    pub(super) fn copies(&mut self) -> Option<&mut Copies> {
        self.part(|extensions| &mut extensions.copies)
    }

    /// The transmission that the acknowledgement of a chunk answers, by a SACK that came by `from`.
    #[inline]
    pub(super) fn answered_copy(
        &mut self,
        seq: u64,
        chunk: Sent,
        from: PathIndex,
        paths: &mut [Path],
    ) -> Sent {
        match self.copies() {
            Some(copies) => copies.on_acked(seq, &chunk, from, paths),
            None => chunk,
        }
    }

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
