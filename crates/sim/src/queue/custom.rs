use core::fmt::{self, Debug};
use core::time::Duration;

use sheave_engine::{Ecn, Time};

use super::{Limit, Queue, Verdict, Waiting};
use crate::Random;
use crate::packets::PacketId;

/// A queue that the user brings: its name, by which scenarios name it and two are compared, and how
/// one is made for a link.
#[derive(Clone, Copy)]
pub struct CustomQueue {
    /// Two with the same name are taken for the same.
    pub name: &'static str,
    /// Called once for each direction of a link.
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

/// The circumstances of a new queue.
#[derive(Clone, Debug)]
pub struct NewQueue {
    /// The capacity that the scenario gives it, under `packets` or `bytes`.
    pub limit: Limit,
    /// Time that the link needs for a packet of middling size.
    pub packet_time: Duration,
    /// A source of draws of its own, which follow from the run's seed.
    pub random: Random,
}

/// Packets that wait for their turn on a link, in an order of the user's own. The packet being sent
/// does not wait any more.
///
/// Each packet that it gets must come out once: from [`pop`](Self::pop), as one to be sent or one of
/// those that were dropped, or from [`push`](Self::push).
pub trait PacketQueue: Debug + Send {
    /// The link has had nothing to send since then; a packet follows.
    fn on_idle(&mut self, _since: Time, _now: Time) {}

    /// Takes a packet that arrives. Gives back one that is dropped instead of waiting: this one or
    /// another.
    fn push(&mut self, now: Time, packet: QueuedPacket) -> Option<QueuedPacket>;

    /// The next packet to send; none only when none is left. Those that are dropped on that occasion
    /// go to `dropped`.
    fn pop(&mut self, now: Time, dropped: &mut Vec<QueuedPacket>) -> Option<QueuedPacket>;

    /// Packets that wait.
    fn len(&self) -> usize;

    /// Whether none waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A packet in a queue.
#[derive(Debug)]
pub struct QueuedPacket(Waiting);

impl QueuedPacket {
    /// Bytes of IP packet.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no packet is empty")]
    pub const fn len(&self) -> u32 {
        self.0.len
    }

    /// The time of its arrival.
    #[must_use]
    pub const fn since(&self) -> Time {
        self.0.since
    }

    /// The ECN field of its IP header.
    #[must_use]
    pub const fn ecn(&self) -> Ecn {
        self.0.ecn
    }

    /// The flow that it belongs to: a hash of its addresses and ports.
    #[must_use]
    pub const fn flow(&self) -> u32 {
        self.0.flow
    }

    /// Marks it as having met congestion (RFC 3168 §5). False if its transport does not know such
    /// marks: then it has to be dropped for the signal.
    #[must_use]
    pub fn mark(&mut self) -> bool {
        self.0.mark(super::Signal::Mark)
    }
}

/// A queue of the user's own at work.
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
