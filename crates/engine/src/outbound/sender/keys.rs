//! Keys of individual messages (RFC 4895).

use super::Outbound;
use crate::KeyId;
use crate::outbound::message_keys::MessageKeys;
use crate::outbound::queue::Ticket;
use crate::value::ids::PathIndex;
use alloc::vec::Vec;
use core::mem;

impl Outbound {
    /// Whether messages may have keys of their own.
    #[inline]
    pub(crate) fn has_message_keys(&self) -> bool {
        self.extensions
            .get(|extensions| &extensions.message_keys)
            .is_some()
    }

    /// Whether a message neither acknowledged nor abandoned uses the key.
    pub(crate) fn uses_key(&self, key: KeyId) -> bool {
        let keys = self.extensions.get(|extensions| &extensions.message_keys);
        keys.is_some_and(|keys| keys.uses.contains_key(&key))
    }

    /// The key of the next message, if it has one of its own.
    pub(crate) fn next_key(&self) -> Option<KeyId> {
        let next = self.next_fragment()?;
        self.key_of(self.ticket_of_next(next)?)
    }

    /// The key of the next chunk to be retransmitted on the path, if its message has one of its
    /// own.
    pub(crate) fn next_key_again(&self, path: PathIndex) -> Option<KeyId> {
        self.key_of(self.ring.ticket(self.first_marked_on(path)?)?)
    }

    fn key_of(&self, ticket: Ticket) -> Option<KeyId> {
        let keys = self.extensions.get(|extensions| &extensions.message_keys)?;
        keys.messages.get(&ticket).copied()
    }

    /// Takes the keys no longer used by any message.
    pub(crate) fn take_freed_keys(&mut self) -> Vec<KeyId> {
        let keys = self.extensions.message_keys();
        keys.map_or_else(Vec::new, |keys| mem::take(&mut keys.freed))
    }

    /// Takes over the keys of a sender whose messages will not be retransmitted.
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
