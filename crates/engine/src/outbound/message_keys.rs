//! Messages sent with a key of their own (RFC 6458 §5.3.8).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::mem;

use super::Outgoing;
use super::queue::Ticket;
use crate::KeyId;

/// The keys of messages neither acknowledged nor given up.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageKeys {
    pub(super) messages: BTreeMap<Ticket, KeyId>,
    /// Number of messages per key.
    pub(super) uses: BTreeMap<KeyId, usize>,
    /// Keys without messages left that are not yet reported to the user.
    pub(super) freed: Vec<KeyId>,
}

impl MessageKeys {
    pub(super) fn note(&mut self, ticket: Ticket, key: KeyId) {
        self.messages.insert(ticket, key);
        *self.uses.entry(key).or_default() += 1;
    }

    /// Forgets the key of a message that will not be retransmitted.
    pub(super) fn release(&mut self, ticket: Ticket) {
        let Some(key) = self.messages.remove(&ticket) else {
            return;
        };
        if let Some(uses) = self.uses.get_mut(&key) {
            *uses -= 1;
            if *uses == 0 {
                self.uses.remove(&key);
                self.freed.push(key);
            }
        }
    }

    /// Forgets all messages; none will be retransmitted.
    pub(super) fn release_all(&mut self) {
        self.messages.clear();
        self.freed.extend(mem::take(&mut self.uses).into_keys());
    }

    pub(super) fn forget(&mut self, gone: &[Outgoing]) {
        for outgoing in gone {
            self.release(outgoing.ticket);
        }
    }

    /// Bytes on the heap, about.
    pub(super) fn footprint(&self) -> usize {
        size_of::<Self>()
            + self.messages.len() * size_of::<(Ticket, KeyId)>()
            + self.uses.len() * size_of::<(KeyId, usize)>()
            + self.freed.capacity() * size_of::<KeyId>()
    }
}
