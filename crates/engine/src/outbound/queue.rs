use alloc::collections::VecDeque;
use alloc::vec::Vec;

use sheave_wire::StreamId;

use crate::{Message, SendOptions};

/// What a message is charged beyond its bytes: the records that are kept of it.
const MESSAGE_OVERHEAD: usize = 64;

/// A message that the user handed in.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) message: Message,
    pub(crate) options: SendOptions,
}

impl Outgoing {
    pub(crate) const fn new(message: Message, options: SendOptions) -> Self {
        Self { message, options }
    }

    /// Bytes charged to the send buffer.
    pub(crate) fn charge(&self) -> usize {
        Self::charge_for(&self.message)
    }

    /// Bytes that a message would be charged.
    pub(crate) fn charge_for(message: &Message) -> usize {
        message.payload.len() + MESSAGE_OVERHEAD
    }

    /// The part of the charge that is released when the whole message is acknowledged.
    pub(crate) const fn overhead() -> usize {
        MESSAGE_OVERHEAD
    }
}

/// Messages of which nothing was sent yet, in the order in which they will be: first come, first
/// served over all streams.
#[derive(Debug, Default)]
pub(crate) struct SendQueue {
    messages: VecDeque<Outgoing>,
    unsent_bytes: usize,
}

impl SendQueue {
    pub(crate) fn push(&mut self, outgoing: Outgoing) {
        self.unsent_bytes += outgoing.message.payload.len();
        self.messages.push_back(outgoing);
    }

    pub(crate) fn front(&self) -> Option<&Outgoing> {
        self.messages.front()
    }

    /// Takes the next message; its bytes count as unsent until [`on_cut`](Self::on_cut).
    pub(crate) fn pop(&mut self) -> Option<Outgoing> {
        self.messages.pop_front()
    }

    pub(crate) fn on_cut(&mut self, bytes: usize) {
        self.unsent_bytes = self.unsent_bytes.saturating_sub(bytes);
    }

    /// User bytes that were not yet put into a chunk.
    pub(crate) const fn unsent_bytes(&self) -> usize {
        self.unsent_bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.unsent_bytes == 0
    }

    pub(crate) fn trim(&mut self) {
        self.messages.shrink_to_fit();
    }

    /// Bytes on the heap, user data not counted.
    pub(crate) fn footprint(&self) -> usize {
        self.messages.capacity() * size_of::<Outgoing>()
    }

    /// Takes out the messages of streams that the peer did not grant.
    pub(crate) fn remove_streams_from(&mut self, first: StreamId) -> Vec<Outgoing> {
        if self
            .messages
            .iter()
            .all(|outgoing| outgoing.message.stream < first)
        {
            return Vec::new();
        }
        let (refused, kept): (Vec<_>, Vec<_>) = core::mem::take(&mut self.messages)
            .into_iter()
            .partition(|outgoing| outgoing.message.stream >= first);
        self.messages = kept.into();
        self.unsent_bytes -= refused
            .iter()
            .map(|one| one.message.payload.len())
            .sum::<usize>();
        refused
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = Outgoing> {
        self.messages.into_iter()
    }
}
