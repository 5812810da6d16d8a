use std::cmp::Ordering;
use std::collections::BinaryHeap;

use sheave_engine::Time;

use crate::packets::PacketId;
use crate::world::{AgentId, LinkId};

/// An event of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The packet in front of those in flight on a link arrives.
    Arrival(LinkId),
    /// A link can send the next packet of its queue.
    Free(LinkId),
    /// The node before a link sends that ICMP message about a packet.
    Icmp(LinkId, PacketId),
    /// An agent may have something to do.
    Timer(AgentId),
}

/// The position of an event in the total order: by time, then by the order of planning.
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
    /// The earliest is the greatest, as the heap wants it.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Entries that are kept sorted.
const NEAR: usize = 16;

/// The planned events, in order. The queue holds a few entries for each link and agent, however
/// many packets are on their way.
///
/// The next few stand in a sorted list, all others in a heap behind them: in a small world there
/// are no others, and most of what is planned comes soon.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The latest first. All of them come before all that are far.
    near: Vec<Entry>,
    far: BinaryHeap<Entry>,
    sequence: u64,
}

impl Events {
    /// The next key at `time`.
    pub(crate) const fn key(&mut self, time: Time) -> EventKey {
        self.sequence += 1;
        EventKey {
            time,
            sequence: self.sequence,
        }
    }

    /// Plans an event under a key taken before.
    pub(crate) fn plan(&mut self, key: EventKey, event: Event) {
        let entry = Entry { key, event };
        if self.far.peek().is_some_and(|far| far.key < key) {
            return self.far.push(entry);
        }
        let mut at = self.near.len();
        self.near.push(entry);
        // Few are sooner: to move them one by one takes less than to ask for it.
        while at > 0 && self.near[at - 1].key < key {
            self.near[at] = self.near[at - 1];
            at -= 1;
        }
        self.near[at] = entry;
        if self.near.len() > NEAR {
            self.far.push(self.near.remove(0));
        }
    }

    /// Takes the next event, unless it comes after `end`.
    pub(crate) fn pop_until(&mut self, end: Time) -> Option<(EventKey, Event)> {
        if self.near.is_empty() {
            self.near.extend(self.far.pop());
        }
        let entry = self.near.pop_if(|entry| entry.key.time <= end)?;
        Some((entry.key, entry.event))
    }

    /// When the next event is due.
    pub(crate) fn next_time(&self) -> Option<Time> {
        let next = self.near.last().or_else(|| self.far.peek());
        next.map(|entry| entry.key.time)
    }

    /// Whether nothing is left to happen.
    pub(crate) fn is_empty(&self) -> bool {
        self.near.is_empty() && self.far.is_empty()
    }
}

#[cfg(test)]
mod tests;
