//! The sending half where messages may be given up (RFC 3758 §3.5).

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

/// Sender state where messages may be given up.
#[derive(Clone, Debug, Default)]
pub(super) struct Partial {
    pub(super) ledger: Ledger,
    pub(super) skips: Skips,
    /// Chunks that were marked and not yet judged.
    pub(super) suspects: Vec<u64>,
    /// Abandoned messages that the user is not yet told of.
    pub(super) abandoned: Vec<Abandoned>,
}

/// A message that was given up.
#[derive(Clone, Debug)]
pub(crate) struct Abandoned {
    pub(crate) outgoing: Outgoing,
    pub(crate) policy: Policy,
    pub(crate) failure: SendFailure,
}

impl Partial {
    /// A chunk was marked for retransmission, which it may not be worth.
    pub(super) fn suspect(&mut self, seq: u64) {
        self.suspects.push(seq);
    }

    pub(super) fn suspect_all(&mut self, marked: impl Iterator<Item = u64>) {
        self.suspects.extend(marked);
    }

    /// The message of that ticket is being cut from now on.
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

    /// Keeps what still counts once nothing is cut any more of what there is, `waiting`.
    pub(super) fn recalled(mut self: Box<Self>, waiting: &[Outgoing]) -> Box<Self> {
        for outgoing in waiting {
            self.ledger.recall(outgoing.ticket, outgoing.message.stream);
        }
        let sent = self.skips.sent;
        self.skips = Skips::default();
        self.skips.sent = sent;
        self.suspects.clear();
        self
    }

    /// Whether time has run out for that message, so that nothing of it may be sent (RFC 3758
    /// §4.1, TR3 and TR4).
    pub(super) fn is_overdue(&self, ticket: Ticket, now: Time) -> bool {
        self.ledger.is_overdue(ticket, now)
    }

    /// Gives back what only a busy sender needs: all is acknowledged below `first`.
    pub(super) fn trim(&mut self, first: u64) {
        self.skips.trim(first);
    }

    /// Bytes on the heap, about.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>() + self.ledger.footprint() + self.skips.footprint()
    }
}
