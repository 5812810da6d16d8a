//! Partially reliable sending: messages that may be abandoned (RFC 3758 §3.5).

pub(super) mod ledger;
pub(super) mod skips;

use alloc::boxed::Box;
use alloc::vec::Vec;

use self::ledger::Ledger;
pub(crate) use self::ledger::Terms;
use self::skips::Skips;
pub(crate) use self::skips::{Skip, Telling};
use super::Outgoing;
use super::queue::Ticket;
use crate::{Policy, SendFailure, Time};

/// Sender state for messages that may be abandoned.
#[derive(Clone, Debug, Default)]
pub(super) struct Partial {
    pub(super) ledger: Ledger,
    pub(super) skips: Skips,
    /// Chunks marked for retransmission and not yet checked against their message's limits.
    pub(super) suspects: Vec<u64>,
    /// Abandoned messages not yet reported to the user.
    pub(super) abandoned: Vec<Abandoned>,
}

/// A message that was abandoned.
#[derive(Clone, Debug)]
pub(crate) struct Abandoned {
    pub(crate) outgoing: Outgoing,
    pub(crate) policy: Policy,
    pub(crate) failure: SendFailure,
}

impl Partial {
    /// A chunk was marked for retransmission; its message may have reached its limits.
    pub(super) fn suspect(&mut self, seq: u64) {
        self.suspects.push(seq);
    }

    pub(super) fn suspect_all(&mut self, marked: impl Iterator<Item = u64>) {
        self.suspects.extend(marked);
    }

    /// The first chunk of the ticket's message is cut.
    pub(super) fn on_begun(&mut self, ticket: Ticket, message: u32, first: u64) {
        self.ledger.on_begun(ticket, message, first);
    }

    /// Notes that a message is completely acknowledged.
    pub(super) fn on_acknowledged(&mut self, ticket: Ticket) {
        if ticket != Ticket::NONE {
            self.ledger.release(ticket);
        }
    }

    pub(super) fn forget(&mut self, refused: &[Outgoing]) {
        for outgoing in refused {
            self.ledger.release(outgoing.ticket);
        }
    }

    /// The state that stays valid after all outstanding messages were `given_up` or went back to the
    /// queue, now `waiting`.
    pub(super) fn recalled(
        mut self: Box<Self>,
        waiting: &[Outgoing],
        given_up: &[Outgoing],
    ) -> Box<Self> {
        self.forget(given_up);
        for outgoing in waiting {
            self.ledger.recall(outgoing.ticket, outgoing.message.stream);
        }
        let sent = self.skips.sent;
        self.skips = Skips::default();
        self.skips.sent = sent;
        self.suspects.clear();
        self
    }

    /// Whether the message's lifetime has expired, so that none of it may be sent (RFC 3758 §4.1,
    /// TR3 and TR4).
    pub(super) fn is_overdue(&self, ticket: Ticket, now: Time) -> bool {
        self.ledger.is_overdue(ticket, now)
    }

    /// Frees memory needed only by a busy sender; everything below `first` is acknowledged.
    pub(super) fn trim(&mut self, first: u64) {
        self.skips.trim(first);
    }

    /// Approximate bytes on the heap.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>() + self.ledger.footprint() + self.skips.footprint()
    }
}
