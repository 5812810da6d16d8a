//! Queues in which packets wait for their turn on a link.

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

/// The queue discipline of a link. The packet being sent does not count as waiting.
#[derive(Clone, Debug, PartialEq)]
pub enum Discipline {
    /// First come, first served; what does not fit is dropped.
    DropTail(Limit),
    /// Random early detection.
    Red(Red),
    /// Controlled delay.
    Codel(Codel),
    /// A queue of the user's own, of that capacity.
    Custom(CustomQueue, Limit),
}

impl Default for Discipline {
    /// Drop-tail, without a limit.
    fn default() -> Self {
        Self::DropTail(Limit::None)
    }
}

/// The congestion signal of an active queue to a packet of an ECN-capable transport.
/// Others are always dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signal {
    /// The packet is dropped.
    #[default]
    Drop,
    /// The packet is marked (RFC 3168 §5).
    Mark,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) packet: PacketId,
    /// Bytes of IP packet.
    pub(crate) len: u32,
    pub(crate) since: Time,
    pub(crate) ecn: Ecn,
    /// A hash of addresses and ports, which queues of the user's own ask for; else 0.
    pub(crate) flow: u32,
}

impl Waiting {
    /// Signals congestion. False if the packet must be dropped for it.
    pub(crate) fn mark(&mut self, signal: Signal) -> bool {
        let marked = signal == Signal::Mark && self.ecn != Ecn::NotEct;
        if marked {
            self.ecn = Ecn::Ce;
        }
        marked
    }
}

/// Whether a packet may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Queued,
    Dropped,
    /// Yes, and that one is dropped for it.
    QueuedInsteadOf(PacketId),
}

/// A queue at work. Queues neither know the link nor the time but by what they are told.
pub(crate) trait Queue: Debug + Send {
    /// The link has had nothing to send since then.
    fn on_idle(&mut self, _since: Time, _now: Time) {}

    /// A packet arrives.
    fn push(&mut self, now: Time, waiting: Waiting) -> Verdict;

    /// The next packet to send. Those that are dropped on that occasion go to `dropped`.
    fn pop(&mut self, now: Time, dropped: &mut Vec<PacketId>) -> Option<Waiting>;

    /// Packets that wait.
    fn len(&self) -> usize;
}

impl Discipline {
    /// A queue of this kind on a link on which a packet of middling size takes `packet_time`.
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

/// The queue of a link: nearly all links have the same kind, which is called without a detour.
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
