//! Taking back what was sent to a peer that turns out to be another one.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use sheave_wire::Tsn;

use super::{Outbound, Outgoing};
use crate::Options;

impl Outbound {
    /// Whether a chunk was ever cut.
    pub(crate) fn has_fragmented(&self) -> bool {
        self.ring.next_seq() > 0
    }

    /// Takes all that is not acknowledged back into the queue, in order, to be cut from `initial_tsn`
    /// on: chunks, numbers and skips are made for one agreement, and hold for no other.
    pub(crate) fn recall(&mut self, initial_tsn: Tsn, options: &Options) {
        let fresh = Self::new(initial_tsn, self.streams, options);
        let mut old = mem::replace(self, fresh);
        self.corruption_retransmissions = old.corruption_retransmissions;
        let ledger = old.extensions.take(|extensions| &mut extensions.partial);
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
        let waiting: Vec<Outgoing> = old.into_undelivered().map(|(message, _)| message).collect();
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
    }
}
