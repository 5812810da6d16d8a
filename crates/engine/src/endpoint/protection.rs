//! Packets in DTLS chunks, and what a key manager asks of an association that has them
//! (draft-ietf-tsvwg-sctp-dtls-chunk-04).

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use bytes::Bytes;
use sheave_wire::{Chunk, DtlsContext, Packet};

use super::Endpoint;
use crate::assoc::extensions::protection::{Opened, Shield, messages};
use crate::assoc::{Context, Incoming, Tcb};
use crate::cookie::Cookie;
use crate::value::event::Events;
use crate::{
    Event, KeyAgreement, KeyContext, KeyStats, PeerAddress, Phase, ProtectionChange,
    ProtectionError, ProtectionStats, RecordCipher, Time,
};

/// The protection of an association, borrowed from its endpoint: what a key manager has to know and to do.
pub struct Shielded<'a> {
    endpoint: &'a mut Endpoint,
    index: usize,
}

impl<'a> Shielded<'a> {
    /// `None` where packets are not protected.
    pub(super) fn of(endpoint: &'a mut Endpoint, index: usize) -> Option<Self> {
        let shield = &endpoint.registry.tcb(index).extensions.shield;
        shield.is_some().then_some(Self { endpoint, index })
    }

    fn shield(&mut self) -> Result<&mut Shield, ProtectionError> {
        let tcb = self.endpoint.registry.tcb_mut(self.index);
        tcb.extensions.shield().ok_or(ProtectionError::NotAgreed)
    }

    /// The agreement of both ends (§6.2); `None` until the peer has told its parameter.
    pub fn agreement(&mut self) -> Option<&KeyAgreement> {
        self.shield().ok()?.agreement()
    }

    /// Takes keys for what the peer sends (§6.5). Keys of several epochs may be there at a time.
    ///
    /// # Errors
    /// See [`ProtectionError`].
    pub fn add_receive_keys(
        &mut self,
        id: KeyContext,
        cipher: Arc<dyn RecordCipher>,
    ) -> Result<(), ProtectionError> {
        self.shield()?.add_receiving(id, cipher)
    }

    /// Forgets keys for what the peer sends (§6.7).
    ///
    /// # Errors
    /// [`ProtectionError::Unknown`].
    pub fn remove_receive_keys(&mut self, id: KeyContext) -> Result<(), ProtectionError> {
        self.shield()?.remove_receiving(id)
    }

    /// Protects what leaves from now on with these keys (§6.4). Restart keys wait until the peer restarts; given to
    /// an association that is being connected, they set up again the one that was there before: its COOKIE ECHO
    /// leaves under them.
    ///
    /// # Errors
    /// See [`ProtectionError`].
    pub fn set_send_keys(
        &mut self,
        now: Time,
        id: KeyContext,
        cipher: Arc<dyn RecordCipher>,
    ) -> Result<(), ProtectionError> {
        let shield = self.shield()?;
        shield.set_sending(id, cipher)?;
        if id.kind == DtlsContext::Restart
            && self.endpoint.registry.tcb(self.index).phase < Phase::Established
        {
            self.shield()?.restart();
        }
        self.endpoint.with_tcb(now, self.index, |_, _| ());
        Ok(())
    }

    /// Forgets the restart keys for what leaves (§6.6). An association that is being connected under them goes on
    /// as a new one, in plain text.
    pub fn remove_restart_send_keys(&mut self) {
        let phase = self.endpoint.registry.tcb(self.index).phase;
        if let Ok(shield) = self.shield() {
            match phase < Phase::Established {
                true => shield.give_up_restart(),
                false => shield.remove_restart_sending(),
            }
        }
    }

    /// Takes protected packets alone from now on, and user data (§6.8): "protection established". For ever.
    ///
    /// # Errors
    /// [`ProtectionError::NoKeys`] unless there are keys in both directions.
    pub fn enforce(&mut self, now: Time) -> Result<(), ProtectionError> {
        if self.shield()?.enforce()? {
            self.endpoint.with_tcb(now, self.index, |tcb, cx| {
                let enforced = Event::Protection(ProtectionChange::Enforced);
                cx.events.push(tcb.id, enforced);
                tcb.adopt_retention();
                // What was refused before is welcome.
                cx.events.push(tcb.id, Event::Writable);
                tcb.advance_address_changes(cx);
                tcb.advance_shutdown(cx);
            });
        }
        Ok(())
    }

    /// Sends a message to the peer's key manager (§9.6): on stream 0, in order, however full the send
    /// buffer is, and in plain text before there are keys for sending.
    ///
    /// # Errors
    /// [`ProtectionError::Closing`].
    pub fn send(&mut self, now: Time, payload: impl Into<Bytes>) -> Result<(), ProtectionError> {
        let payload = payload.into();
        let send = |tcb: &mut Tcb, _: &mut Context<'_>| messages::send(tcb, payload);
        self.endpoint.with_tcb(now, self.index, send)
    }

    /// Returns the next message of the peer's key manager, which its user does not see.
    pub fn receive(&mut self, now: Time) -> Option<Bytes> {
        let receive = |tcb: &mut Tcb, _: &mut Context<'_>| messages::receive(tcb);
        self.endpoint.with_tcb(now, self.index, receive)
    }

    /// Sets the time of the next [`ProtectionChange::TimerExpired`]; `None` stops the timer.
    pub fn set_timer(&mut self, now: Time, at: Option<Time>) {
        let set = |tcb: &mut Tcb, _: &mut Context<'_>| messages::set_timer(tcb, at);
        self.endpoint.with_tcb(now, self.index, set);
    }

    /// Whether protected packets alone are taken.
    pub fn is_enforced(&mut self) -> bool {
        self.shield().is_ok_and(|shield| shield.is_enforced())
    }

    /// Counters of the association.
    pub fn stats(&mut self) -> ProtectionStats {
        self.shield()
            .map_or_else(|_| ProtectionStats::default(), |shield| shield.stats)
    }

    /// Counters of keys; `None` if they are not there.
    pub fn key_stats(&mut self, id: KeyContext) -> Option<KeyStats> {
        self.shield().ok()?.key_stats(id)
    }
}

impl Endpoint {
    /// Takes the address of the peer that was refused last because it does not protect packets, or
    /// cannot agree on keys with a listener, and the cause in the ABORT. Anyone may pretend to be
    /// that peer.
    pub fn take_unprotected(&mut self) -> Option<(PeerAddress, u16)> {
        self.unprotected.take()
    }

    /// Opens the DTLS chunk of a packet and handles what was in it. Whether it is for an association that protects
    /// packets; to others the chunk is of an unknown type.
    pub(super) fn handle_protected(&mut self, now: Time, incoming: &Incoming<'_>) -> bool {
        let Some(index) = self.protected_addressee(incoming) else {
            return false;
        };
        let mut plain: Vec<u8> = mem::take(&mut self.opened);
        plain.clear();
        let shield = self.registry.tcb_mut(index).extensions.shield();
        let opened = shield.map(|shield| shield.open(incoming.packet, &mut plain));
        if let Some(Some(kind)) = opened {
            match Packet::parse(&plain) {
                Ok(packet) => self.route(
                    now,
                    Incoming {
                        packet: &packet,
                        opened: Some(Opened { index, kind }),
                        ..*incoming
                    },
                ),
                Err(_) => self.stats.malformed += 1,
            }
        }
        self.opened = plain;
        opened.is_some()
    }

    /// The association whose keys may open a packet: the one that it names by its tag, wherever it comes from, or
    /// the one of its source that is to be set up again.
    fn protected_addressee(&self, incoming: &Incoming<'_>) -> Option<usize> {
        let header = incoming.packet.header;
        let named = self.registry.by_tag(header.vtag).filter(|index| {
            let tcb = self.registry.tcb(*index);
            (tcb.local_port, tcb.remote_port) == (header.destination_port, header.source_port)
        });
        // The tag is not authenticated: a record whose tag was changed must not use up its number.
        let restarts = matches!(incoming.packet.chunks().next(),
            Some(Ok(Chunk::Dtls(chunk))) if chunk.context == DtlsContext::Restart);
        named.or_else(|| {
            self.peer_of(incoming, incoming.remote.ip)
                .filter(|_| restarts)
        })
    }

    /// Whether an association takes a packet, as far as it has to be protected.
    pub(super) fn admits(&mut self, index: usize, incoming: &Incoming<'_>) -> bool {
        if incoming.opened.is_some_and(|opened| opened.index != index) {
            return false;
        }
        let tcb = self.registry.tcb_mut(index);
        match tcb.extensions.shield() {
            // Nothing was agreed on yet.
            Some(_) if tcb.phase == Phase::CookieWait => true,
            Some(shield) => shield.admits(incoming.packet, incoming.opened),
            None => true,
        }
    }

    /// Whether a cookie may do something to the association that it meets (§5.4).
    pub(super) fn admits_cookie(
        &mut self,
        existing: Option<usize>,
        incoming: &Incoming<'_>,
        cookie: &Cookie,
    ) -> bool {
        let opened = incoming.opened;
        if opened.is_some_and(|opened| existing != Some(opened.index)) {
            return false;
        }
        let shield = existing.and_then(|index| self.registry.tcb_mut(index).extensions.shield());
        shield.is_none_or(|shield| shield.admits_cookie(opened, cookie.protection.is_some()))
    }
}

/// Tells the user what has become of keys.
#[inline]
pub(super) fn report(tcb: &mut Tcb, events: &mut Events) {
    let id = tcb.id;
    if let Some(shield) = tcb.extensions.shield() {
        let news = shield.take_news().into_iter();
        news.for_each(|change| events.push(id, Event::Protection(change)));
    }
}
