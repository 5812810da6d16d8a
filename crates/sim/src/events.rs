use std::cmp::Ordering;
use std::collections::BinaryHeap;

use sheave_engine::Time;

use crate::packets::PacketId;
use crate::world::{AgentId, LinkId};

/// What happens at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The packet in front of those in flight on a link arrives.
    Arrival(LinkId),
    /// A link can send the next packet of its queue.
    Free(LinkId),
    /// The node before a link sends that notice of a packet.
    Notice(LinkId, PacketId),
    /// An agent may have something to do.
    Timer(AgentId),
}

/// Where an event stands in the order of all: by time, then by the order of planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) time: Time,
    pub(crate) sequence: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    place: Place,
    event: Event,
}

impl Ord for Entry {
    /// The earliest is the greatest, as the heap wants it.
    fn cmp(&self, other: &Self) -> Ordering {
        other.place.cmp(&self.place)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Entries that are kept sorted.
const NEAR: usize = 16;

/// What is to happen, in order. It holds a few entries a link and an agent, however many packets
/// are on their way.
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
    /// The next place at `time`.
    pub(crate) const fn place(&mut self, time: Time) -> Place {
        self.sequence += 1;
        Place {
            time,
            sequence: self.sequence,
        }
    }

    /// Plans an event at a place taken before.
    pub(crate) fn plan(&mut self, place: Place, event: Event) {
        let entry = Entry { place, event };
        if self.far.peek().is_some_and(|far| far.place < place) {
            return self.far.push(entry);
        }
        let later = self.near.iter().rev();
        let sooner = later.take_while(|near| near.place < place).count();
        let at = self.near.len() - sooner;
        self.near.insert(at, entry);
        if self.near.len() > NEAR {
            self.far.push(self.near.remove(0));
        }
    }

    /// Takes the next event, unless it comes after `end`.
    pub(crate) fn pop_until(&mut self, end: Time) -> Option<(Place, Event)> {
        if self.near.is_empty() {
            self.near.extend(self.far.pop());
        }
        let entry = self.near.pop_if(|entry| entry.place.time <= end)?;
        Some((entry.place, entry.event))
    }

    /// When the next event is due.
    pub(crate) fn next_time(&self) -> Option<Time> {
        let next = self.near.last().or_else(|| self.far.peek());
        next.map(|entry| entry.place.time)
    }

    /// Whether nothing is left to happen.
    pub(crate) fn is_empty(&self) -> bool {
        self.near.is_empty() && self.far.is_empty()
    }
}

#[cfg(test)]
mod tests;
