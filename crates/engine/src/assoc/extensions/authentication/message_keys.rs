//! Keys of individual messages (RFC 6458 §5.3.8); all DATA of a packet uses one key.

use sheave_wire::ChunkType;

use crate::assoc::extensions::authentication::Sealing;
use crate::assoc::tcb::{Context, Tcb};
use crate::value::event::Events;
use crate::value::ids::PathIndex;
use crate::{AuthenticationChange, Event, KeyError, KeyId, Phase, SharedKey};

/// The key for the DATA chunks of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::assoc) enum PacketKey {
    /// No DATA chunk yet, or no message has a key of its own: the active key.
    #[default]
    Active,
    /// The key of the first DATA chunk.
    Chosen(KeyId),
}

impl PacketKey {
    /// Uses `key` if it is for the first chunk. Returns whether a chunk with this key may join the
    /// packet.
    fn admits(&mut self, key: KeyId) -> bool {
        if *self == Self::Active {
            *self = Self::Chosen(key);
        }
        *self == Self::Chosen(key)
    }

    /// The packet's seal with the chosen key; `sealing` has the active one.
    pub(in crate::assoc) fn chosen_for(self, sealing: Sealing) -> Sealing {
        match self {
            Self::Active => sealing,
            Self::Chosen(key) => sealing.with_key(key),
        }
    }
}

impl Tcb {
    /// The key for a message sent with `key` instead of the active one; `None` if this has no
    /// effect.
    pub(in crate::assoc) fn message_key(&self, key: KeyId) -> Result<Option<KeyId>, KeyError> {
        let Some(authenticator) = &self.extensions.authenticator else {
            return Ok(None);
        };
        // The peer's requirements are unknown before its INIT ACK.
        if self.phase != Phase::CookieWait && !self.authenticates_data() {
            return Ok(None);
        }
        authenticator.check_key(key)?;
        Ok(Some(key))
    }

    /// Whether DATA chunks are authenticated.
    fn authenticates_data(&self) -> bool {
        let authenticator = self.extensions.authenticator.as_ref();
        authenticator.is_some_and(|authenticator| authenticator.owes(ChunkType::DATA))
    }

    /// Whether the next chunk of new data may join a packet with this key.
    #[inline]
    pub(in crate::assoc) fn shares_key(&self, packet: &mut PacketKey) -> bool {
        !self.outbound.has_message_keys() || self.takes_next(packet)
    }

    /// Whether the path's next retransmission may join a packet with this key.
    #[inline]
    pub(in crate::assoc) fn shares_key_again(
        &self,
        packet: &mut PacketKey,
        path: PathIndex,
    ) -> bool {
        !self.outbound.has_message_keys() || self.takes_next_again(packet, path)
    }

    #[cold]
    #[inline(never)] // Nothing of it stands in the way of packets without keys.
    fn takes_next(&self, packet: &mut PacketKey) -> bool {
        self.takes_key(packet, self.outbound.next_key())
    }

    #[cold]
    #[inline(never)] // See `takes_next`.
    fn takes_next_again(&self, packet: &mut PacketKey, path: PathIndex) -> bool {
        self.takes_key(packet, self.outbound.next_key_again(path))
    }

    fn takes_key(&self, packet: &mut PacketKey, key: Option<KeyId>) -> bool {
        let Some(authenticator) = &self.extensions.authenticator else {
            return true;
        };
        let key = key.unwrap_or_else(|| authenticator.active_key());
        !self.authenticates_data() || packet.admits(key)
    }

    pub(crate) fn insert_key(&mut self, key: SharedKey) -> Result<(), KeyError> {
        self.check_unused(key.id())?;
        self.authenticator()?.insert_key(key)
    }

    pub(crate) fn delete_key(&mut self, id: KeyId) -> Result<(), KeyError> {
        self.check_unused(id)?;
        self.authenticator()?.delete_key(id)
    }

    /// RFC 6458 §8.3.4
    fn check_unused(&self, id: KeyId) -> Result<(), KeyError> {
        if self.outbound.uses_key(id) {
            Err(KeyError::InUse)
        } else {
            Ok(())
        }
    }

    pub(crate) fn deactivate_key(
        &mut self,
        cx: &mut Context<'_>,
        id: KeyId,
    ) -> Result<(), KeyError> {
        self.authenticator()?.deactivate_key(id)?;
        // Packets are authenticated when they leave, so only messages with a key of their own keep
        // it in use.
        if !self.outbound.uses_key(id) {
            self.announce_free_key(cx.events, id);
        }
        Ok(())
    }

    /// Notifies the user of deactivated keys whose last message was acknowledged or abandoned.
    #[inline]
    pub(crate) fn report_free_keys(&mut self, events: &mut Events) {
        if self.outbound.has_message_keys() {
            self.report_freed_keys(events);
        }
    }

    #[cold]
    #[inline(never)]
    fn report_freed_keys(&mut self, events: &mut Events) {
        for id in self.outbound.take_freed_keys() {
            let authenticator = self.extensions.authenticator.as_ref();
            let standing = authenticator.map(|authenticator| authenticator.check_key(id));
            if standing == Some(Err(KeyError::Deactivated)) {
                self.announce_free_key(events, id);
            }
        }
    }

    fn announce_free_key(&self, events: &mut Events, id: KeyId) {
        let event = Event::Authentication(AuthenticationChange::FreeKey(id));
        events.push(self.id, event);
    }
}
