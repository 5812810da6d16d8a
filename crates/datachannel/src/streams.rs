//! The streams in use, by channels or while closing.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use sheave_wire::StreamId;

use crate::channel::{Channel, ChannelId, Origin};
use crate::role::MAX_STREAM;
use crate::{ChannelConfig, Role};

/// Channels, and streams being reset with or without a channel.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    role: Role,
    channels: BTreeMap<StreamId, Channel>,
    closings: BTreeMap<StreamId, Closing>,
    /// No id of our parity below this one is free.
    lowest_free: u16,
    generation: u32,
    label_bytes: usize,
}

/// A stream being reset in both directions (RFC 8831 §6.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closing {
    pub(crate) outgoing: OutgoingReset,
    pub(crate) incoming: IncomingReset,
}

impl Closing {
    /// This end never used the stream's channel; a reset must still inform the peer.
    pub(crate) const UNUSED: Self = Self {
        outgoing: OutgoingReset::Wanted,
        incoming: IncomingReset::Optional,
    };

    /// The state of [`UNUSED`](Self::UNUSED) after the peer was informed: a new channel may use the
    /// stream.
    pub(crate) const TOLD: Self = Self {
        outgoing: OutgoingReset::Done,
        incoming: IncomingReset::Optional,
    };
}

/// Reset of our outgoing stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutgoingReset {
    /// Waits until everything sent was acknowledged.
    Wanted,
    Requested,
    Done,
    /// The peer does not perform it, so the id stays unusable.
    Impossible,
}

/// Reset of the peer's outgoing stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IncomingReset {
    Awaited,
    /// The peer may have no channel on the stream, and then nothing to reset.
    Optional,
    Done,
}

impl Streams {
    pub(crate) const fn new(role: Role) -> Self {
        Self {
            role,
            channels: BTreeMap::new(),
            closings: BTreeMap::new(),
            lowest_free: role.first(),
            generation: 0,
            label_bytes: 0,
        }
    }

    /// The number of channels.
    pub(crate) fn len(&self) -> usize {
        self.channels.len()
    }

    /// The number of streams being reset.
    pub(crate) fn closings(&self) -> usize {
        self.closings.len()
    }

    /// Whether a stream is free for a new channel.
    pub(crate) fn is_free(&self, stream: StreamId) -> bool {
        let is_kept = |closing: &Closing| *closing != Closing::TOLD;
        !self.channels.contains_key(&stream) && !self.closings.get(&stream).is_some_and(is_kept)
    }

    /// Whether the peer may open a channel on a stream.
    pub(crate) const fn is_peers(&self, stream: StreamId) -> bool {
        self.role.peer().may_take(stream)
    }

    /// The lowest free id that our role may choose.
    pub(crate) fn lowest_free(&mut self) -> Option<StreamId> {
        let ours = (self.lowest_free..=MAX_STREAM).step_by(2).map(StreamId);
        let free = ours.into_iter().find(|stream| self.is_free(*stream))?;
        self.lowest_free = free.0;
        Some(free)
    }

    /// Adds a channel on a free stream.
    pub(crate) fn insert(
        &mut self,
        stream: StreamId,
        origin: Origin,
        config: ChannelConfig,
    ) -> &mut Channel {
        self.generation = self.generation.wrapping_add(1);
        let id = ChannelId {
            stream,
            generation: self.generation,
        };
        let channel = Channel::new(id, origin, config);
        self.label_bytes += channel.label_bytes();
        self.channels.remove(&stream);
        self.channels.entry(stream).or_insert(channel)
    }

    /// Removes a channel.
    pub(crate) fn remove(&mut self, stream: StreamId) -> Option<Channel> {
        let channel = self.channels.remove(&stream)?;
        self.label_bytes -= channel.label_bytes();
        self.on_freed(stream);
        Some(channel)
    }

    pub(crate) fn get(&self, id: ChannelId) -> Option<&Channel> {
        let channel = self.channels.get(&id.stream)?;
        (channel.id == id).then_some(channel)
    }

    pub(crate) fn get_mut(&mut self, id: ChannelId) -> Option<&mut Channel> {
        let channel = self.channels.get_mut(&id.stream)?;
        (channel.id == id).then_some(channel)
    }

    /// The channel on a stream.
    pub(crate) fn at(&self, stream: StreamId) -> Option<&Channel> {
        self.channels.get(&stream)
    }

    /// Mutable access to the channel on a stream.
    pub(crate) fn at_mut(&mut self, stream: StreamId) -> Option<&mut Channel> {
        self.channels.get_mut(&stream)
    }

    pub(crate) fn channels(&self) -> impl Iterator<Item = &Channel> {
        self.channels.values()
    }

    /// Size of labels and protocols chosen by the peer, bytes.
    pub(crate) const fn label_bytes(&self) -> usize {
        self.label_bytes
    }

    /// Streams in use, ascending.
    pub(crate) fn in_use(&self) -> Vec<StreamId> {
        let mut streams: Vec<StreamId> = self
            .channels
            .keys()
            .chain(self.closings.keys())
            .copied()
            .collect();
        streams.sort_unstable();
        streams.dedup();
        streams
    }

    /// Streams affected when the peer resets all its outgoing streams.
    pub(crate) fn awaiting_reset(&self) -> Vec<StreamId> {
        let awaiting = |closing: &Closing| closing.incoming != IncomingReset::Done;
        let closings = self.closings.iter();
        let closings = closings.filter(|(_, closing)| awaiting(closing));
        let closings = closings.map(|(stream, _)| *stream);
        let open = self.channels.keys().copied();
        let open = open.filter(|stream| !self.closings.contains_key(stream));
        closings.chain(open).collect()
    }

    pub(crate) fn closing(&self, stream: StreamId) -> Option<Closing> {
        self.closings.get(&stream).copied()
    }

    pub(crate) fn closing_mut(&mut self, stream: StreamId) -> Option<&mut Closing> {
        self.closings.get_mut(&stream)
    }

    pub(crate) fn set_closing(&mut self, stream: StreamId, closing: Closing) {
        self.closings.insert(stream, closing);
    }

    /// Both directions of a stream were reset.
    pub(crate) fn end_closing(&mut self, stream: StreamId) {
        self.closings.remove(&stream);
        self.on_freed(stream);
    }

    /// Clears all closing state.
    pub(crate) fn forget_closings(&mut self) {
        self.closings.clear();
        self.lowest_free = self.role.first();
    }

    fn on_freed(&mut self, stream: StreamId) {
        if self.role.may_take(stream) {
            self.lowest_free = self.lowest_free.min(stream.0);
        }
    }
}

#[cfg(test)]
mod tests;
