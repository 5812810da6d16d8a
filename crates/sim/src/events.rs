use std::cmp::Ordering;
use std::collections::BinaryHeap;

use sheave_engine::Time;

use crate::packets::PacketId;
use crate::world::{AgentId, LinkId};

/// An event of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The first packet in flight on a link arrives.
    Arrival(LinkId),
    /// A link can send its next queued packet.
    Free(LinkId),
    /// The node before a link sends an ICMP message about a packet.
    Icmp(LinkId, PacketId),
    /// An agent may have work to do.
    Timer(AgentId),
}

/// Position of an event in the total order: by time, then by scheduling order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventKey {
    pub(crate) time: Time,
    pub(crate) sequence: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    key: EventKey,
    event: Event,
}

impl Ord for Entry {
    /// Reversed, since the heap is a max-heap.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Number of entries kept sorted.
const NEAR: usize = 16;

/// The scheduled events, in order. The queue holds a few entries per link and agent, however many
/// packets are in flight.
///
/// The next few events are in a sorted list, all others in a heap. Most events are scheduled for
/// soon, and a small world needs no heap.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// In descending order of time; all before those in the heap.
    near: Vec<Entry>,
    far: BinaryHeap<Entry>,
    sequence: u64,
}

impl Events {
    /// The next key for `time`.
    pub(crate) const fn key(&mut self, time: Time) -> EventKey {
        self.sequence += 1;
        EventKey {
            time,
            sequence: self.sequence,
        }
    }

    /// Schedules an event under a key obtained earlier.
    pub(crate) fn plan(&mut self, key: EventKey, event: Event) {
        let entry = Entry { key, event };
        if self.far.peek().is_some_and(|far| far.key < key) {
            return self.far.push(entry);
        }
        let mut at = self.near.len();
        self.near.push(entry);
        // Few entries are earlier, so moving them one by one beats a binary search.
        while at > 0 && self.near[at - 1].key < key {
            self.near[at] = self.near[at - 1];
            at -= 1;
        }
        self.near[at] = entry;
        if self.near.len() > NEAR {
            self.far.push(self.near.remove(0));
        }
    }

    /// Takes the next event, unless it is later than `end`.
    pub(crate) fn pop_until(&mut self, end: Time) -> Option<(EventKey, Event)> {
        if self.near.is_empty() {
            self.near.extend(self.far.pop());
        }
        let entry = self.near.pop_if(|entry| entry.key.time <= end)?;
        Some((entry.key, entry.event))
    }

    /// Time of the next event.
    pub(crate) fn next_time(&self) -> Option<Time> {
        let next = self.near.last().or_else(|| self.far.peek());
        next.map(|entry| entry.key.time)
    }

    /// Whether no events are scheduled.
    pub(crate) fn is_empty(&self) -> bool {
        self.near.is_empty() && self.far.is_empty()
    }
}

#[cfg(test)]
mod tests;
