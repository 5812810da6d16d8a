//! Taking back data sent to a peer that restarted.

use super::Outbound;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use sheave_wire::Tsn;

use crate::Options;
use crate::outbound::messages::Extent;
use crate::outbound::queue::Outgoing;

/// Fate of fully sent messages when sent data is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Complete {
    /// The messages are sent again: the peer has not accepted them.
    SentAgain,
    /// The messages are abandoned: the peer's user may have received them.
    GivenUp,
}

impl Outbound {
    /// Whether a chunk was ever cut.
    pub(crate) fn has_fragmented(&self) -> bool {
        self.ring.next_seq() > 0
    }

    /// Returns all unacknowledged data to the queue, in order, to be cut again from `initial_tsn`
    /// on; chunks, numbers and skips are valid for one negotiated association only. Returns the
    /// messages given up.
    pub(crate) fn recall(
        &mut self,
        initial_tsn: Tsn,
        complete: Complete,
        options: &Options,
    ) -> Vec<Outgoing> {
        let fresh = Self::new(initial_tsn, self.streams, options);
        let mut old = mem::replace(self, fresh);
        self.ring.follow(&old.ring);
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
            let recalled = ledger.recalled(&waiting, &given_up);
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
