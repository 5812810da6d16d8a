use core::fmt::{self, Debug};
use core::time::Duration;

use sheave_engine::{Ecn, Time};

use super::{Limit, Queue, Verdict, Waiting};
use crate::Random;
use crate::packets::PacketId;

/// A user-defined queue: a name, by which scenarios select it and two queues are compared, and a
/// constructor called per link direction.
#[derive(Clone, Copy)]
pub struct CustomQueue {
    /// Two queues with the same name count as equal.
    pub name: &'static str,
    /// Called once per direction of a link.
    pub make: fn(NewQueue) -> Box<dyn PacketQueue>,
}

impl Debug for CustomQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CustomQueue").field(&self.name).finish()
    }
}

impl PartialEq for CustomQueue {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CustomQueue {}

/// Parameters of a new queue.
#[derive(Clone, Debug)]
pub struct NewQueue {
    /// Capacity from the scenario, under `packets` or `bytes`.
    pub limit: Limit,
    /// Time in which the link sends a medium packet.
    pub packet_time: Duration,
    /// A random generator for this queue, derived from the run's seed.
    pub random: Random,
}

/// Packets waiting for a link, in a user-defined order. The packet being sent is not included.
///
/// Each packet must come out exactly once: from [`pop`](Self::pop), as sent or dropped, or from
/// [`push`](Self::push).
pub trait PacketQueue: Debug + Send {
    /// The link has been idle since that time; a packet follows.
    fn on_idle(&mut self, _since: Time, _now: Time) {}

    /// Adds an arriving packet. Returns a packet dropped in the process: this one or another.
    fn push(&mut self, now: Time, packet: QueuedPacket) -> Option<QueuedPacket>;

    /// Takes the next packet to send; `None` only if the queue is empty. Packets dropped in the
    /// process are added to `dropped`.
    fn pop(&mut self, now: Time, dropped: &mut Vec<QueuedPacket>) -> Option<QueuedPacket>;

    /// Number of queued packets.
    fn len(&self) -> usize;

    /// Whether the queue is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A packet in a queue.
#[derive(Debug)]
pub struct QueuedPacket(Waiting);

impl QueuedPacket {
    /// Bytes of IP packet.
    #[expect(clippy::len_without_is_empty, reason = "no packet is empty")]
    pub const fn len(&self) -> u32 {
        self.0.len
    }

    /// Arrival time.
    pub const fn since(&self) -> Time {
        self.0.since
    }

    /// The ECN field of its IP header.
    pub const fn ecn(&self) -> Ecn {
        self.0.ecn
    }

    /// Flow of the packet: a hash of its addresses and ports.
    pub const fn flow(&self) -> u32 {
        self.0.flow
    }

    /// Marks the packet as having met congestion (RFC 3168 §5). False if its transport is not
    /// ECN-capable; drop it instead.
    #[must_use]
    pub fn mark(&mut self) -> bool {
        self.0.mark(super::Signal::Mark)
    }
}

/// State of a user-defined queue.
#[derive(Debug)]
pub(super) struct Own {
    queue: Box<dyn PacketQueue>,
    dropped: Vec<QueuedPacket>,
}

impl Own {
    pub(super) fn new(queue: Box<dyn PacketQueue>) -> Self {
        let dropped = Vec::new();
        Self { queue, dropped }
    }
}

impl Queue for Own {
    fn on_idle(&mut self, since: Time, now: Time) {
        self.queue.on_idle(since, now);
    }

    fn push(&mut self, now: Time, waiting: Waiting) -> Verdict {
        match self.queue.push(now, QueuedPacket(waiting)) {
            None => Verdict::Queued,
            Some(QueuedPacket(other)) if other.packet == waiting.packet => Verdict::Dropped,
            Some(QueuedPacket(other)) => Verdict::QueuedInsteadOf(other.packet),
        }
    }

    fn pop(&mut self, now: Time, dropped: &mut Vec<PacketId>) -> Option<Waiting> {
        let next = self.queue.pop(now, &mut self.dropped);
        dropped.extend(
            self.dropped
                .drain(..)
                .map(|QueuedPacket(waiting)| waiting.packet),
        );
        next.map(|QueuedPacket(waiting)| waiting)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }
}
