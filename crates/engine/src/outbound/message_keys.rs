//! Messages that leave with a key of their own (RFC 6458 §5.3.8).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::mem;

use super::queue::Ticket;
use super::{Outbound, Outgoing};
use crate::KeyId;
use crate::value::ids::PathIndex;

/// The keys that messages were sent with, until these are acknowledged or given up.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageKeys {
    messages: BTreeMap<Ticket, KeyId>,
    /// Number of messages of each key.
    uses: BTreeMap<KeyId, usize>,
    /// Keys whose last message is gone, and of which the user was not yet told.
    freed: Vec<KeyId>,
}

impl MessageKeys {
    fn note(&mut self, ticket: Ticket, key: KeyId) {
        self.messages.insert(ticket, key);
        *self.uses.entry(key).or_default() += 1;
    }

    /// A message will not be sent again.
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

    /// No message will be sent again.
    fn release_all(&mut self) {
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

impl Outbound {
    /// Whether messages may have keys of their own.
    #[inline]
    pub(crate) fn has_message_keys(&self) -> bool {
        self.extensions
            .get(|extensions| &extensions.message_keys)
            .is_some()
    }

    /// Whether a message that is neither acknowledged nor given up was sent with that key.
    pub(crate) fn uses_key(&self, key: KeyId) -> bool {
        let keys = self.extensions.get(|extensions| &extensions.message_keys);
        keys.is_some_and(|keys| keys.uses.contains_key(&key))
    }

    /// The key of the message whose turn it is, if it has one of its own.
    pub(crate) fn next_key(&self) -> Option<KeyId> {
        let next = self.next_fragment()?;
        self.key_of(self.ticket_of_next(next)?)
    }

    /// The same of the chunk that is to be sent again on that path.
    pub(crate) fn next_key_again(&self, path: PathIndex) -> Option<KeyId> {
        self.key_of(self.ring.ticket(self.first_marked_on(path)?)?)
    }

    fn key_of(&self, ticket: Ticket) -> Option<KeyId> {
        let keys = self.extensions.get(|extensions| &extensions.message_keys)?;
        keys.messages.get(&ticket).copied()
    }

    /// Takes the keys that no message uses any longer.
    pub(crate) fn take_freed_keys(&mut self) -> Vec<KeyId> {
        let keys = self.extensions.message_keys();
        keys.map_or_else(Vec::new, |keys| mem::take(&mut keys.freed))
    }

    /// Takes over from one whose messages will not be sent again.
    pub(crate) fn free_keys_of(&mut self, old: &mut Self) {
        let mut keys = old
            .extensions
            .take(|extensions| &mut extensions.message_keys);
        if let Some(keys) = &mut keys {
            keys.release_all();
        }
        self.extensions
            .put(|extensions| &mut extensions.message_keys, keys);
    }

    #[cold]
    pub(super) fn note_key(&mut self, ticket: Ticket, key: KeyId) {
        let keys = self.extensions.part_or_else(
            |extensions| &mut extensions.message_keys,
            MessageKeys::default,
        );
        keys.note(ticket, key);
    }
}
