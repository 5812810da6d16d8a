//! Taking back what was sent to a peer that turns out to be another one.

use super::Outbound;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use sheave_wire::Tsn;

use crate::Options;
use crate::outbound::messages::Extent;
use crate::outbound::queue::Outgoing;

/// The fate of messages of which all was sent when what was sent is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Complete {
    /// Sent again: the peer has not taken them.
    SentAgain,
    /// Given up: the peer's user may have them already.
    GivenUp,
}

impl Outbound {
    /// Whether a chunk was ever cut.
    pub(crate) fn has_fragmented(&self) -> bool {
        self.ring.next_seq() > 0
    }

    /// Takes all that is not acknowledged back into the queue, in order, to be cut from `initial_tsn`
    /// on: chunks, numbers and skips are made for one agreement, and hold for no other. Returns what
    /// is given up.
    pub(crate) fn recall(
        &mut self,
        initial_tsn: Tsn,
        complete: Complete,
        options: &Options,
    ) -> Vec<Outgoing> {
        let fresh = Self::new(initial_tsn, self.streams, options);
        let mut old = mem::replace(self, fresh);
        self.corruption_retransmissions = old.corruption_retransmissions;
        self.last_ticket = old.last_ticket;
        let ledger = old.extensions.take(|extensions| &mut extensions.partial);
        let keys = old
            .extensions
            .take(|extensions| &mut extensions.message_keys);
        self.extensions
            .put(|extensions| &mut extensions.message_keys, keys);
        let preferences = old
            .extensions
            .take(|extensions| &mut extensions.preferences);
        if preferences.is_some() {
            self.extensions
                .put(|extensions| &mut extensions.preferences, preferences);
            self.set_scheduler(self.chosen_scheduler().unwrap_or(options.scheduler));
        }
        let buffers = old
            .extensions
            .take(|extensions| &mut extensions.stream_buffers);
        self.extensions.put(
            |extensions| &mut extensions.stream_buffers,
            buffers.map(|buffers| Box::new(buffers.emptied())),
        );
        let (mut waiting, mut given_up) = (Vec::new(), Vec::new());
        for (outgoing, extent) in old.ring.into_outstanding() {
            match (complete, extent) {
                (Complete::GivenUp, Extent::Whole) => given_up.push(outgoing),
                _ => waiting.push(outgoing),
            }
        }
        waiting.extend(old.queue.into_iter());
        if let Some(ledger) = ledger {
            let recalled = ledger.recalled(&waiting);
            self.extensions
                .put(|extensions| &mut extensions.partial, Some(recalled));
        }
        for outgoing in waiting {
            self.buffered += outgoing.charge();
            self.note_queued(&outgoing.message);
            self.queue.push(outgoing);
        }
        if let Some(keys) = self.extensions.message_keys() {
            keys.forget(&given_up);
        }
        for Outgoing { message, .. } in &given_up {
            self.note_queued(message);
            self.note_freed(message.stream, message.payload.len());
        }
        given_up
    }
}
