//! Skipped unordered messages: late fragments are dropped.

use alloc::collections::{BTreeMap, VecDeque};

use sheave_wire::{Mid, StreamId};

use super::Key;

/// The last skipped unordered message of each stream.
///
/// A sender fragments the messages of a stream one after the other (RFC 8260 §2.2.2), so earlier
/// MIDs are past as well, unless their messages are complete.
#[derive(Clone, Debug, Default)]
pub(super) struct Skipped {
    last: BTreeMap<StreamId, Last>,
    /// Streams in `last`, in approximate order of expiry; may include streams reset since.
    queue: VecDeque<StreamId>,
}

/// The last skipped message of a stream.
#[derive(Clone, Copy, Debug)]
struct Last {
    mid: Mid,
    /// Chunks from this unwrapped TSN on belong to later messages, even if MIDs have wrapped.
    until: u64,
}

/// Number of TSNs that can have been in flight together with the skip: one per byte of a window,
/// few enough that MIDs cannot wrap meanwhile.
const REACH: u64 = 1 << 30;

/// Most streams remembered; beyond that, the oldest skips are forgotten.
const MAX_STREAMS: usize = 512;

impl Skipped {
    /// Records that the peer skipped unordered messages of a stream, up to this one.
    pub(super) fn note(&mut self, key: Key, cumulative: u64) {
        let mid = Mid(key.mid);
        let until = cumulative + REACH;
        if let Some(last) = self.last.get_mut(&key.stream) {
            if cumulative >= last.until || last.mid.is_before(mid) {
                *last = Last { mid, until };
            }
            return;
        }
        if self.queue.len() >= MAX_STREAMS
            && let Some(first) = self.queue.pop_front()
        {
            self.last.remove(&first);
        }
        self.queue.push_back(key.stream);
        self.last.insert(key.stream, Last { mid, until });
    }

    /// Whether a fragment with that TSN belongs to a skipped message. Single-chunk messages are not
    /// fragments and are never skipped.
    pub(super) fn covers(&self, key: Key, at: u64) -> bool {
        let last = self.last.get(&key.stream);
        last.is_some_and(|last| at < last.until && !last.mid.is_before(Mid(key.mid)))
    }

    /// Forgets the skips of these streams, whose MIDs restart; of all streams if the list is empty.
    pub(super) fn reset(&mut self, streams: &[StreamId]) {
        if streams.is_empty() {
            *self = Self::default();
        }
        for stream in streams {
            self.last.remove(stream);
        }
    }

    /// Bytes on the heap.
    pub(super) fn footprint(&self) -> usize {
        self.queue.capacity() * size_of::<StreamId>()
            + self.last.len() * size_of::<(StreamId, Last)>()
    }
}
