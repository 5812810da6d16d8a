//! Queues for packets waiting to be sent on a link.

mod codel;
mod custom;
mod drop_tail;
mod red;

use core::fmt::Debug;
use core::time::Duration;

use sheave_engine::{Ecn, Time};

pub use codel::Codel;
pub use custom::{CustomQueue, NewQueue, PacketQueue, QueuedPacket};
pub use drop_tail::Limit;
pub use red::Red;

use crate::Random;
use crate::packets::PacketId;

/// Queue discipline of a link. The packet being sent does not count as queued.
#[derive(Clone, Debug, PartialEq)]
pub enum Discipline {
    /// FIFO; packets that do not fit are dropped.
    DropTail(Limit),
    /// Random early detection.
    Red(Red),
    /// Controlled delay.
    Codel(Codel),
    /// A user-defined queue with that capacity.
    Custom(CustomQueue, Limit),
}

impl Default for Discipline {
    /// Drop-tail without a limit.
    fn default() -> Self {
        Self::DropTail(Limit::None)
    }
}

/// Congestion signal of an active queue to ECN-capable transports. Other packets are always
/// dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signal {
    /// The packet is dropped.
    #[default]
    Drop,
    /// The packet is marked (RFC 3168 §5).
    Mark,
}

/// A queued packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) packet: PacketId,
    /// Bytes of IP packet.
    pub(crate) len: u32,
    pub(crate) since: Time,
    pub(crate) ecn: Ecn,
    /// Hash of addresses and ports, for user-defined queues; otherwise 0.
    pub(crate) flow: u32,
}

impl Waiting {
    /// Marks the packet to signal congestion; false if it must be dropped instead.
    pub(crate) fn mark(&mut self, signal: Signal) -> bool {
        let marked = signal == Signal::Mark && self.ecn != Ecn::NotEct;
        if marked {
            self.ecn = Ecn::Ce;
        }
        marked
    }
}

/// Whether an arriving packet is queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Queued,
    Dropped,
    /// The packet is queued, and another one is dropped in its place.
    QueuedInsteadOf(PacketId),
}

/// State of a queue. Time is passed in; a queue does not know its link.
pub(crate) trait Queue: Debug + Send {
    /// The link has been idle since that time.
    fn on_idle(&mut self, _since: Time, _now: Time) {}

    /// A packet arrives.
    fn push(&mut self, now: Time, waiting: Waiting) -> Verdict;

    /// Takes the next packet to send; packets dropped in the process are added to `dropped`.
    fn pop(&mut self, now: Time, dropped: &mut Vec<PacketId>) -> Option<Waiting>;

    /// Number of queued packets.
    fn len(&self) -> usize;
}

impl Discipline {
    /// Creates a queue for a link that sends a medium packet in `packet_time`.
    pub(crate) fn queue(&self, packet_time: Duration, random: Random) -> LinkQueue {
        match self {
            Self::DropTail(limit) => LinkQueue::DropTail(drop_tail::DropTail::new(*limit)),
            Self::Red(red) => LinkQueue::active(red::RedQueue::new(*red, packet_time, random)),
            Self::Codel(codel) => LinkQueue::active(codel::CodelQueue::new(*codel)),
            Self::Custom(custom, limit) => {
                LinkQueue::active(custom::Own::new((custom.make)(NewQueue {
                    limit: *limit,
                    packet_time,
                    random,
                })))
            }
        }
    }
}

/// The queue of a link; the most common kind is called without dynamic dispatch.
#[derive(Debug)]
pub(crate) enum LinkQueue {
    DropTail(drop_tail::DropTail),
    Active(Box<dyn Queue>),
}

impl LinkQueue {
    fn active(queue: impl Queue + 'static) -> Self {
        Self::Active(Box::new(queue))
    }
}

impl Queue for LinkQueue {
    #[inline]
    fn on_idle(&mut self, since: Time, now: Time) {
        match self {
            Self::DropTail(queue) => queue.on_idle(since, now),
            Self::Active(queue) => queue.on_idle(since, now),
        }
    }

    #[inline]
    fn push(&mut self, now: Time, waiting: Waiting) -> Verdict {
        match self {
            Self::DropTail(queue) => queue.push(now, waiting),
            Self::Active(queue) => queue.push(now, waiting),
        }
    }

    #[inline]
    fn pop(&mut self, now: Time, dropped: &mut Vec<PacketId>) -> Option<Waiting> {
        match self {
            Self::DropTail(queue) => queue.pop(now, dropped),
            Self::Active(queue) => queue.pop(now, dropped),
        }
    }

    #[inline]
    fn len(&self) -> usize {
        match self {
            Self::DropTail(queue) => queue.len(),
            Self::Active(queue) => queue.len(),
        }
    }
}

#[cfg(test)]
mod tests;
