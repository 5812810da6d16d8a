use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use core::num::NonZeroU16;

use sheave_wire::StreamId;

use super::{HasMore, Schedule};
use crate::per_stream::PerStream;

/// Bits of fraction in a tag.
const FRACTION: u32 = 16;

/// Streams send in proportion to their weights (RFC 8260 §3.6), by start-time fair queueing: what a
/// stream sends moves its tag on by bytes over weight, and the least tag goes first. A stream that
/// had nothing to send begins where the others are, so that it neither saves a share up nor loses
/// one.
#[derive(Clone, Debug, Default)]
pub(super) struct Weighted {
    ready: BinaryHeap<Reverse<WaitingStream>>,
    /// Start of each stream's next chunk, unless the others are already farther.
    tags: PerStream<Tag>,
    /// Weights; 0 stands for 1.
    weights: PerStream<u16>,
    /// The tag of what was sent last.
    now: Tag,
    /// The farthest tag given.
    farthest: Tag,
    turns: u64,
}

/// Bytes over weight: 2^128 is never reached.
type Tag = u128;

/// A stream that has something: the least goes first, of equal ones the one that came first.
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
            // What was sent while others had nothing is no debt.
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
