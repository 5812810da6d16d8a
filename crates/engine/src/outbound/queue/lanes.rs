use alloc::collections::{BTreeMap, VecDeque};

use sheave_wire::StreamId;

use super::{Outgoing, Ticket, position};

/// One queue for each stream that has messages waiting. The lowest rank goes first; streams of
/// one rank take turns, message by message (RFC 8260 §3.2, §3.4).
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: BTreeMap<(u16, StreamId), VecDeque<Outgoing>>,
    /// Ranks other than 0, by stream.
    ranks: BTreeMap<StreamId, u16>,
    /// The stream that was served last.
    last: Option<StreamId>,
}

impl Lanes {
    pub(super) fn push(&mut self, outgoing: Outgoing) {
        let stream = outgoing.message.stream;
        let key = (self.rank(stream), stream);
        self.lanes.entry(key).or_default().push_back(outgoing);
    }

    /// The message whose turn it is.
    pub(super) fn front(&self) -> Option<&Outgoing> {
        self.lanes.get(&self.next()?)?.front()
    }

    pub(super) fn pop(&mut self) -> Option<Outgoing> {
        let key = self.next()?;
        let lane = self.lanes.get_mut(&key)?;
        let outgoing = lane.pop_front();
        if lane.is_empty() {
            self.lanes.remove(&key);
        }
        self.last = Some(key.1);
        outgoing
    }

    pub(super) fn find(&self, stream: StreamId, ticket: Ticket) -> Option<&Outgoing> {
        let lane = self.lanes.get(&(self.rank(stream), stream))?;
        lane.get(position(lane, ticket)?)
    }

    pub(super) fn remove(&mut self, stream: StreamId, ticket: Ticket) -> Option<Outgoing> {
        let key = (self.rank(stream), stream);
        let lane = self.lanes.get_mut(&key)?;
        let outgoing = lane.remove(position(lane, ticket)?);
        if lane.is_empty() {
            self.lanes.remove(&key);
        }
        outgoing
    }

    /// From now on the messages of `stream`, those that wait included, have that rank.
    pub(super) fn set_rank(&mut self, stream: StreamId, rank: u16) {
        let before = self.rank(stream);
        if rank == 0 {
            self.ranks.remove(&stream);
        } else {
            self.ranks.insert(stream, rank);
        }
        if let Some(lane) = self.lanes.remove(&(before, stream)) {
            self.lanes.insert((rank, stream), lane);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Outgoing> {
        self.lanes.values().flatten()
    }

    /// Takes out all messages, stream by stream, lowest rank first.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = Outgoing> + use<> {
        core::mem::take(&mut self.lanes).into_values().flatten()
    }

    fn rank(&self, stream: StreamId) -> u16 {
        self.ranks.get(&stream).copied().unwrap_or(0)
    }

    /// Of the streams with the lowest rank, the one after that served last, in a circle.
    fn next(&self) -> Option<(u16, StreamId)> {
        let (&first, _) = self.lanes.first_key_value()?;
        let (rank, _) = first;
        let after = self.last.and_then(|last| {
            let from = (rank, StreamId(last.0.checked_add(1)?));
            let to = (rank, StreamId(u16::MAX));
            self.lanes.range(from..=to).next()
        });
        Some(after.map_or(first, |(&key, _)| key))
    }
}

#[cfg(test)]
mod tests;
