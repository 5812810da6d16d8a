//! Abandoning messages (RFC 3758).

use super::Outbound;
use crate::flight::sent::{ChunkState, Sent};
use crate::outbound::Terms;
use crate::outbound::partial::ledger::Location;
use crate::outbound::partial::skips::{Skip, Telling};
use crate::outbound::partial::{Abandoned, Partial};
use crate::outbound::queue::{Outgoing, Ticket};
use crate::path::Path;
use crate::{Abandonments, KeyId, Policy, SendFailure, Time};
use alloc::vec::Vec;
use core::mem;
use core::time::Duration;
use sheave_wire::{StreamId, Tsn};

impl Outbound {
    /// Whether any message that may be abandoned was ever sent.
    #[inline]
    pub(crate) fn is_partial(&self) -> bool {
        self.extensions
            .get(|extensions| &extensions.partial)
            .is_some()
    }

    /// Issues the ticket of a message of the stream, and notes its terms and key, if any. Every
    /// message has a ticket from the first one with terms or a key on, so that it can be found in a
    /// queue.
    #[inline]
    pub(super) fn enter(
        &mut self,
        stream: StreamId,
        terms: Option<Terms>,
        key: Option<KeyId>,
    ) -> Ticket {
        if terms.is_none() && key.is_none() && self.last_ticket == Ticket::NONE {
            return Ticket::NONE;
        }
        self.issue(stream, terms, key)
    }

    #[cold]
    fn issue(&mut self, stream: StreamId, terms: Option<Terms>, key: Option<KeyId>) -> Ticket {
        let ticket = self.last_ticket.next();
        self.last_ticket = ticket;
        if let Some(terms) = terms {
            let partial = self
                .extensions
                .part_or_else(|extensions| &mut extensions.partial, Partial::default);
            partial.ledger.pledge(ticket, stream, terms);
        }
        if let Some(key) = key {
            self.note_key(ticket, key);
        }
        ticket
    }

    /// Abandons less important messages not yet begun if that makes room for `charge` bytes beside
    /// `held` within `limit` (RFC 7496 §3.2). Returns whether it did.
    #[cold]
    pub(super) fn push_out(
        &mut self,
        held: usize,
        charge: usize,
        limit: usize,
        terms: Option<Terms>,
    ) -> bool {
        let Some(partial) = &self.extensions.partial else {
            return false;
        };
        let mut excess = held.saturating_add(charge).saturating_sub(limit);
        let mut victims = Vec::new();
        for ticket in partial.ledger.less_important(terms) {
            let Some(freed) = self.queued_charge(ticket) else {
                continue;
            };
            victims.push(ticket);
            excess = excess.saturating_sub(freed);
            if excess == 0 {
                break;
            }
        }
        // The remaining messages are in flight: no other message can make room either.
        if excess > 0 {
            return false;
        }
        for ticket in victims {
            self.abandon(ticket);
        }
        true
    }

    fn queued_charge(&self, ticket: Ticket) -> Option<usize> {
        let pledge = self.extensions.partial.as_ref()?.ledger.get(ticket)?;
        let Location::Queued(stream) = pledge.location else {
            return None;
        };
        self.queue.find(stream, ticket).map(Outgoing::charge)
    }

    /// Abandons messages whose lifetime expired (RFC 3758 §4.1, TR5). A message entirely in flight
    /// is left to arrive or to be found lost, unless the peer had no room for it.
    pub(crate) fn expire(&mut self, now: Time) {
        while let Some(partial) = self.extensions.partial()
            && let Some((ticket, pledge)) = partial.ledger.pop_expired(now)
        {
            let wholly_sent = match pledge.location {
                Location::Queued(_) => false,
                Location::Outstanding { message, first } => {
                    !self.ring.is_stalled(message, first) && !self.was_refused(first)
                }
            };
            if !wholly_sent {
                self.abandon(ticket);
            }
        }
    }

    /// The time at which [`expire`](Self::expire) must be called.
    pub(crate) fn next_deadline(&self) -> Option<Time> {
        self.extensions.partial.as_ref()?.ledger.next_deadline()
    }

    /// Abandons messages whose chunks were marked too often or too late, and advances the skip
    /// point.
    pub(crate) fn settle_partial(&mut self, now: Time) {
        self.judge_suspects(now);
        if let Some(partial) = self.extensions.partial() {
            partial.skips.advance(&self.ring);
        }
    }

    /// A SACK arrived that may not answer the last FORWARD TSN. `round_trip` is the time for a
    /// FORWARD TSN and its answer.
    pub(crate) fn remind_of_skip(&mut self, now: Time, round_trip: Duration) {
        if let Some(partial) = self.extensions.partial() {
            partial.skips.remind(&self.ring, now, round_trip);
        }
    }

    fn judge_suspects(&mut self, now: Time) {
        let Some(partial) = self.extensions.partial() else {
            return;
        };
        for seq in mem::take(&mut partial.suspects) {
            if self.ring.give_up(seq) || !self.is_spent(seq, now) {
                continue;
            }
            if let Some(ticket) = self.ring.ticket(seq) {
                self.abandon(ticket);
            }
        }
    }

    /// Whether a chunk must not be retransmitted.
    pub(super) fn is_spent(&self, seq: u64, now: Time) -> bool {
        let Some(partial) = &self.extensions.partial else {
            return false;
        };
        let Some((ticket, chunk)) = self.ring.ticket(seq).zip(self.ring.get(seq)) else {
            return false;
        };
        let ledger = &partial.ledger;
        ledger.is_spent(ticket, chunk.retransmissions, now)
    }

    /// Abandons a whole message (RFC 3758 §3.5, A3). A TSN is assigned to its unsent rest, so that
    /// the peer can be told to skip a message whose beginning it has.
    // DEVIATION RFC 3758 §3.5, A2: chunks that are on their way count as outstanding until they are
    // acknowledged or found lost; else lifetimes below a round trip would lift the limits of
    // congestion control (F5).
    fn abandon(&mut self, ticket: Ticket) {
        let Some(partial) = self.extensions.partial() else {
            return;
        };
        let Some(pledge) = partial.ledger.release(ticket) else {
            return;
        };
        let (outgoing, freed, failure) = match pledge.location {
            Location::Queued(stream) => {
                let Some(outgoing) = self.queue.remove(stream, ticket) else {
                    return;
                };
                let freed = outgoing.charge();
                (outgoing, freed, SendFailure::Unsent)
            }
            Location::Outstanding { message, first } => {
                let Some(given_up) = self.ring.abandon(message, first) else {
                    return;
                };
                let (outgoing, freed) = (given_up.outgoing, given_up.charge);
                let stream = outgoing.message.stream;
                self.queue.on_abandoned(stream, message, given_up.unsent);
                (outgoing, freed, SendFailure::Unacknowledged)
            }
        };
        self.buffered = self.buffered.saturating_sub(freed);
        let stream = outgoing.message.stream;
        let policy = partial.ledger.count(stream, &pledge);
        partial.abandoned.push(Abandoned {
            outgoing,
            policy,
            failure,
        });
        if let Some(keys) = self.extensions.message_keys() {
            keys.release(ticket);
        }
        self.note_freed(stream, freed.saturating_sub(Outgoing::overhead()));
    }

    /// With go-back-N, the peer dropped chunks that left before it was told to skip the ones below.
    /// Retransmits those chunks; this does not count as congestion.
    pub(crate) fn go_back_behind_skip(&mut self, now: Time, paths: &mut [Path]) {
        if !self.goes_back_n() {
            return;
        }
        let Some(partial) = self.extensions.partial() else {
            return;
        };
        let Some(told_at) = partial.skips.take_answered() else {
            return;
        };
        for seq in self.ring.first_seq()..self.ring.next_seq() {
            let left_before = |chunk: &Sent| chunk.sent_at < told_at;
            if self.ring.get(seq).is_some_and(left_before) {
                self.mark(seq, ChunkState::Marked, paths);
            }
        }
        // Chunks abandoned now are skipped too: no later event may trigger it.
        self.settle_partial(now);
    }

    /// Takes the abandoned messages not yet reported to the user.
    pub(crate) fn take_abandoned(&mut self) -> Vec<Abandoned> {
        let partial = self.extensions.partial();
        partial.map_or_else(Vec::new, |partial| mem::take(&mut partial.abandoned))
    }

    /// The peer does not support partial reliability: all messages become reliable.
    pub(crate) fn forgo_partial(&mut self) {
        if let Some(partial) = self.extensions.partial() {
            partial.ledger.release_all();
        }
    }

    /// Whether a FORWARD TSN is to be sent.
    #[inline]
    pub(crate) fn owes_skip(&self) -> bool {
        let partial = self.extensions.get(|extensions| &extensions.partial);
        partial.is_some_and(|partial| partial.skips.is_due())
    }

    /// Whether the peer has not yet skipped everything required.
    pub(crate) fn awaits_skip(&self) -> bool {
        let partial = self.extensions.partial.as_ref();
        partial.is_some_and(|partial| partial.skips.is_awaited())
    }

    /// The content of a FORWARD TSN naming at most `max` streams, if one is due.
    pub(crate) fn skip(&mut self, now: Time, max: usize) -> Option<(Tsn, Vec<Skip>, Telling)> {
        let (end, streams, telling) = self.extensions.partial()?.skips.tell(now, max)?;
        Some((self.ring.tsn_before(end), streams, telling))
    }

    /// The FORWARD TSN was not answered: makes another one due.
    pub(crate) fn skip_again(&mut self) {
        if let Some(partial) = self.extensions.partial() {
            partial.skips.tell_again();
        }
    }

    /// FORWARD TSN chunks sent.
    pub(crate) fn skips_sent(&self) -> u64 {
        self.extensions
            .partial
            .as_ref()
            .map_or(0, |partial| partial.skips.sent)
    }

    /// Number of messages abandoned under the policy, on one stream or on all.
    pub(crate) fn abandonments(&self, policy: Policy, stream: Option<StreamId>) -> Abandonments {
        let partial = self.extensions.partial.as_ref();
        partial
            .map(|partial| partial.ledger.abandonments(policy, stream))
            .unwrap_or_default()
    }
}
