//! Unordered messages that the peer has given up: what still comes of them is dropped.

use alloc::collections::{BTreeMap, VecDeque};

use sheave_wire::{Mid, StreamId};

use super::Key;

/// The last unordered message of each stream that was skipped.
///
/// A sender begins no message of a stream before it has cut the one before it into chunks (RFC 8260
/// §2.2.2), so that the MIDs before are past, too, unless they are complete.
#[derive(Clone, Debug, Default)]
pub(super) struct Skipped {
    last: BTreeMap<StreamId, Last>,
    /// The streams of `last`, and some that were reset, in about the order in which they expire.
    queue: VecDeque<StreamId>,
}

/// The last message that was skipped of a stream.
#[derive(Clone, Copy, Debug)]
struct Last {
    mid: Mid,
    /// Chunks from that unwrapped TSN on are of later messages, even if MIDs have wrapped.
    until: u64,
}

/// TSNs that can have been on their way with the skip: as many as a window has bytes, and no
/// more, so that MIDs cannot come round meanwhile.
const REACH: u64 = 1 << 30;

/// Streams remembered at most. Where more are skipped at a time, those skipped first are forgotten.
const MAX_STREAMS: usize = 512;

impl Skipped {
    /// The peer has skipped the unordered messages of a stream up to that one.
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

    /// Whether a chunk with that TSN, if it is not all of its message, is of one that was skipped.
    pub(super) fn covers(&self, key: Key, at: u64) -> bool {
        let last = self.last.get(&key.stream);
        last.is_some_and(|last| at < last.until && !last.mid.is_before(Mid(key.mid)))
    }

    /// MIDs of these streams begin anew; of all streams if there are none.
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
