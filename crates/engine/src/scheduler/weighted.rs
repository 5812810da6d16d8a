use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use core::num::NonZeroU16;

use sheave_wire::StreamId;

use super::{HasMore, Schedule};
use crate::per_stream::PerStream;

/// Bits of fraction in a tag.
const FRACTION: u32 = 16;

/// Streams send in proportion to their weights (RFC 8260 §3.6), by start-time fair queueing:
/// sending advances a stream's tag by bytes over weight, and the lowest tag goes first. A stream
/// that becomes ready starts at the current tag, so idle time neither earns nor costs it a share.
#[derive(Clone, Debug, Default)]
pub(super) struct Weighted {
    ready: BinaryHeap<Reverse<WaitingStream>>,
    /// Start tag of each stream's next chunk, unless the current tag is already higher.
    tags: PerStream<Tag>,
    /// Weight per stream; 0 (unset) counts as 1.
    weights: PerStream<u16>,
    /// Tag of the last transmission.
    now: Tag,
    /// Highest tag assigned so far.
    farthest: Tag,
    turns: u64,
}

/// Sum of bytes over weight; cannot reach 2^128.
type Tag = u128;

/// A ready stream: the lowest tag goes first, and among equal tags the one that became ready first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct WaitingStream {
    tag: Tag,
    turn: u64,
    stream: StreamId,
}

impl Weighted {
    fn push(&mut self, stream: StreamId, tag: Tag) {
        self.turns += 1;
        self.ready.push(Reverse(WaitingStream {
            tag,
            turn: self.turns,
            stream,
        }));
    }
}

impl Schedule for Weighted {
    fn on_ready(&mut self, stream: StreamId) {
        self.push(stream, self.now.max(self.tags.get(stream)));
    }

    fn next(&self) -> Option<StreamId> {
        self.ready.peek().map(|Reverse(next)| next.stream)
    }

    fn on_sent(&mut self, stream: StreamId, bytes: usize, more: HasMore) {
        let Some(Reverse(sent)) = self.ready.pop() else {
            return;
        };
        self.now = sent.tag;
        let weight = Tag::from(self.weights.get(stream).max(1));
        let tag = sent.tag + ((bytes as Tag) << FRACTION) / weight;
        self.farthest = self.farthest.max(tag);
        self.tags.replace(stream, tag);
        if more == HasMore::Yes {
            self.push(stream, tag);
        } else if self.ready.is_empty() {
            // Data sent while the other streams were idle costs the stream nothing.
            self.now = self.farthest;
        }
    }

    fn on_withdrawn(&mut self, stream: StreamId) {
        self.ready.retain(|Reverse(other)| other.stream != stream);
    }

    fn trim(&mut self) {
        if self.ready.is_empty() {
            self.ready = BinaryHeap::new();
            self.tags = PerStream::default();
            self.now = self.farthest;
        }
    }

    fn set_weight(&mut self, stream: StreamId, weight: NonZeroU16) {
        self.weights.replace(stream, weight.get());
    }
}
