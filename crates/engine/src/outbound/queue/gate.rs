use alloc::collections::VecDeque;
use alloc::vec::Vec;

use sheave_wire::StreamId;

use super::{Outgoing, Ticket, Waiting, position};

/// Holds messages back while streams are being reset (RFC 6525 §5.1.2, §5.1.4).
#[derive(Clone, Debug)]
pub(super) struct Gate {
    pub(super) queue: Waiting,
    way: Way,
    /// Messages held back by the gate, in order.
    pub(super) held: VecDeque<Outgoing>,
    /// Number of queued messages that belong to gated streams and came before the gate.
    ahead: usize,
}

/// The messages held back.
#[derive(Clone, Debug)]
enum Way {
    /// New messages of these streams, in ascending order; an empty list means all streams.
    Streams(Vec<StreamId>),
    /// Every message not yet begun is held back.
    Shut,
}

impl Gate {
    pub(super) fn for_streams(queue: Waiting, streams: Vec<StreamId>) -> Self {
        let mut gate = Self {
            queue,
            way: Way::Streams(streams),
            held: VecDeque::new(),
            ahead: 0,
        };
        gate.ahead = gate
            .queue
            .iter()
            .filter(|outgoing| gate.covers(outgoing.message.stream))
            .count();
        gate
    }

    pub(super) fn shut(mut queue: Waiting) -> Self {
        let held = queue.take_all().into();
        Self {
            queue,
            way: Way::Shut,
            held,
            ahead: 0,
        }
    }

    pub(super) fn push(&mut self, outgoing: Outgoing) {
        if self.covers(outgoing.message.stream) {
            self.held.push_back(outgoing);
        } else {
            self.queue.push(outgoing);
        }
    }

    pub(super) fn front(&self) -> Option<&Outgoing> {
        self.queue.front()
    }

    pub(super) fn pop(&mut self) -> Option<Outgoing> {
        let outgoing = self.queue.pop()?;
        if self.covers(outgoing.message.stream) {
            self.ahead = self.ahead.saturating_sub(1);
        }
        Some(outgoing)
    }

    pub(super) fn find(&self, stream: StreamId, ticket: Ticket) -> Option<&Outgoing> {
        let ahead = self.queue.find(stream, ticket);
        ahead.or_else(|| self.held.get(position(&self.held, ticket)?))
    }

    pub(super) fn remove(&mut self, stream: StreamId, ticket: Ticket) -> Option<Outgoing> {
        if let Some(outgoing) = self.queue.remove(stream, ticket) {
            if self.covers(stream) {
                self.ahead = self.ahead.saturating_sub(1);
            }
            return Some(outgoing);
        }
        self.held.remove(position(&self.held, ticket)?)
    }

    /// Whether the reset affects the stream.
    pub(super) fn covers(&self, stream: StreamId) -> bool {
        match &self.way {
            Way::Streams(streams) => streams.is_empty() || streams.binary_search(&stream).is_ok(),
            Way::Shut => true,
        }
    }

    /// Whether an affected message is partly sent, if messages are interleaved.
    pub(super) fn has_begun(&self) -> bool {
        self.queue
            .stream_queues()
            .is_some_and(|stream_queues| match &self.way {
                Way::Streams(streams) if !streams.is_empty() => streams
                    .iter()
                    .any(|stream| stream_queues.has_begun(Some(*stream))),
                Way::Streams(_) | Way::Shut => stream_queues.has_begun(None),
            })
    }

    /// Whether no message of the gated streams is left in the queue.
    pub(super) const fn is_clear(&self) -> bool {
        self.ahead == 0
    }

    /// Removes the gate and appends the held messages to the queue.
    pub(super) fn open(self) -> Waiting {
        let mut queue = self.queue;
        for outgoing in self.held {
            queue.push(outgoing);
        }
        queue
    }
}
