use alloc::collections::{BTreeMap, BTreeSet};

use sheave_wire::StreamId;

use super::super::queue::Ticket;
use crate::{Abandonments, Policy, Reliability, Time};

/// The limit at which a message is abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terms {
    /// The time at which its lifetime ends.
    Until(Time),
    /// The most retransmissions of any of its chunks.
    Retransmissions(u8),
    /// The priority; the message may be dropped for a more important one until its first chunk is
    /// sent.
    Priority(u32),
}

impl Terms {
    /// The terms of a message handed in at `now`; `None` if it is reliable.
    pub(crate) fn of(reliability: Reliability, now: Time) -> Option<Self> {
        match reliability {
            Reliability::Reliable => None,
            Reliability::Timed(lifetime) => Some(Self::Until(now + lifetime)),
            Reliability::Retransmissions(most) => Some(Self::Retransmissions(most)),
            Reliability::Priority(priority) => Some(Self::Priority(priority)),
        }
    }

    const fn policy(self) -> Policy {
        match self {
            Self::Until(_) => Policy::Timed,
            Self::Retransmissions(_) => Policy::Retransmissions,
            Self::Priority(_) => Policy::Priority,
        }
    }
}

/// The location of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::outbound) enum Location {
    /// In the queue of the stream.
    Queued(StreamId),
    /// In the ring: the message's number and its first chunk.
    Outstanding { message: u32, first: u64 },
}

/// A message that may be abandoned.
#[derive(Clone, Copy, Debug)]
pub(in crate::outbound) struct Pledge {
    pub(in crate::outbound) terms: Terms,
    pub(in crate::outbound) location: Location,
}

/// The messages that may be abandoned, indexed by deadline and priority.
#[derive(Clone, Debug, Default)]
pub(in crate::outbound) struct Ledger {
    /// Messages neither acknowledged nor abandoned.
    pledges: BTreeMap<Ticket, Pledge>,
    /// Messages with a deadline.
    deadlines: BTreeSet<(Time, Ticket)>,
    /// Queued messages that may be dropped to make room.
    priorities: BTreeSet<(u32, Ticket)>,
    counts: Counts,
    by_stream: BTreeMap<StreamId, Counts>,
}

/// Abandoned messages, counted per policy.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    timed: Abandonments,
    retransmissions: Abandonments,
    priority: Abandonments,
}

impl Counts {
    const fn of(&self, policy: Policy) -> Abandonments {
        match policy {
            Policy::Timed => self.timed,
            Policy::Retransmissions => self.retransmissions,
            Policy::Priority => self.priority,
        }
    }

    fn count(&mut self, policy: Policy, location: Location) {
        let counted = match policy {
            Policy::Timed => &mut self.timed,
            Policy::Retransmissions => &mut self.retransmissions,
            Policy::Priority => &mut self.priority,
        };
        match location {
            Location::Queued(_) => counted.unsent += 1,
            Location::Outstanding { .. } => counted.sent += 1,
        }
    }
}

impl Ledger {
    pub(in crate::outbound) fn pledge(&mut self, ticket: Ticket, stream: StreamId, terms: Terms) {
        match terms {
            Terms::Until(at) => {
                self.deadlines.insert((at, ticket));
            }
            Terms::Priority(priority) => {
                self.priorities.insert((priority, ticket));
            }
            Terms::Retransmissions(_) => {}
        }
        let location = Location::Queued(stream);
        self.pledges.insert(ticket, Pledge { terms, location });
    }

    pub(in crate::outbound) fn get(&self, ticket: Ticket) -> Option<&Pledge> {
        self.pledges.get(&ticket)
    }

    /// The first chunk of a message is cut.
    pub(in crate::outbound) fn on_begun(&mut self, ticket: Ticket, message: u32, first: u64) {
        let Some(pledge) = self.pledges.get_mut(&ticket) else {
            return;
        };
        pledge.location = Location::Outstanding { message, first };
        if let Terms::Priority(priority) = pledge.terms {
            // Once sent in part, the message is treated as reliable.
            self.priorities.remove(&(priority, ticket));
            self.pledges.remove(&ticket);
        }
    }

    /// A message is back in the queue, whole.
    pub(in crate::outbound) fn recall(&mut self, ticket: Ticket, stream: StreamId) {
        if let Some(pledge) = self.release(ticket) {
            self.pledge(ticket, stream, pledge.terms);
        }
    }

    /// Stops tracking a message.
    pub(in crate::outbound) fn release(&mut self, ticket: Ticket) -> Option<Pledge> {
        let pledge = self.pledges.remove(&ticket)?;
        match pledge.terms {
            Terms::Until(at) => {
                self.deadlines.remove(&(at, ticket));
            }
            Terms::Priority(priority) => {
                self.priorities.remove(&(priority, ticket));
            }
            Terms::Retransmissions(_) => {}
        }
        Some(pledge)
    }

    /// Makes all messages reliable.
    pub(in crate::outbound) fn release_all(&mut self) {
        self.pledges.clear();
        self.deadlines.clear();
        self.priorities.clear();
    }

    /// Removes and returns the next message whose deadline has passed.
    pub(in crate::outbound) fn pop_expired(&mut self, now: Time) -> Option<(Ticket, Pledge)> {
        while let Some(&(at, ticket)) = self.deadlines.first()
            && at <= now
        {
            self.deadlines.pop_first();
            if let Some(pledge) = self.pledges.get(&ticket) {
                return Some((ticket, *pledge));
            }
        }
        None
    }

    pub(in crate::outbound) fn next_deadline(&self) -> Option<Time> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// The messages less important than `terms`, least important first.
    pub(in crate::outbound) fn less_important(
        &self,
        terms: Option<Terms>,
    ) -> impl Iterator<Item = Ticket> {
        let most = match terms {
            Some(Terms::Priority(priority)) => priority.checked_add(1),
            _ => Some(0),
        };
        let least = most.map(|most| (most, Ticket::NONE)..);
        let less = least.map(|least| self.priorities.range(least).rev());
        less.into_iter().flatten().map(|(_, ticket)| *ticket)
    }

    /// Whether the message's lifetime has expired.
    pub(in crate::outbound) fn is_overdue(&self, ticket: Ticket, now: Time) -> bool {
        let pledge = self.pledges.get(&ticket);
        pledge.is_some_and(|pledge| matches!(pledge.terms, Terms::Until(at) if at <= now))
    }

    /// Whether a chunk of the message, after so many retransmissions, must not be sent again.
    pub(in crate::outbound) fn is_spent(
        &self,
        ticket: Ticket,
        retransmissions: u8,
        now: Time,
    ) -> bool {
        let Some(pledge) = self.pledges.get(&ticket) else {
            return false;
        };
        match pledge.terms {
            Terms::Until(at) => at <= now,
            Terms::Retransmissions(most) => retransmissions >= most,
            Terms::Priority(_) => false,
        }
    }

    /// Counts an abandoned message.
    pub(in crate::outbound) fn count(&mut self, stream: StreamId, pledge: &Pledge) -> Policy {
        let policy = pledge.terms.policy();
        self.counts.count(policy, pledge.location);
        let of_stream = self.by_stream.entry(stream).or_default();
        of_stream.count(policy, pledge.location);
        policy
    }

    /// Number of messages abandoned under the policy, on one stream or on all.
    pub(in crate::outbound) fn abandonments(
        &self,
        policy: Policy,
        stream: Option<StreamId>,
    ) -> Abandonments {
        let counts = match stream {
            None => Some(&self.counts),
            Some(stream) => self.by_stream.get(&stream),
        };
        counts.map(|counts| counts.of(policy)).unwrap_or_default()
    }

    /// Approximate bytes on the heap.
    pub(in crate::outbound) fn footprint(&self) -> usize {
        self.pledges.len() * size_of::<(Ticket, Pledge)>()
            + (self.deadlines.len() + self.priorities.len()) * size_of::<(Time, Ticket)>()
            + self.by_stream.len() * size_of::<(StreamId, Counts)>()
    }
}

#[cfg(test)]
mod tests;
