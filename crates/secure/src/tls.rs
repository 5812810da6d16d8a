//! Keys from TLS 1.3 (draft-porfiri-tsvwg-sctp-dtls-handshake-01).

use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use sheave_engine::wire::{DtlsContext, dtls};
use sheave_engine::{
    Assoc, Event, KeyAgreement, KeyContext, KeyRole, ProtectedRestart, ProtectionChange,
    ProtectionError, Shielded, Time,
};

use crate::certificate::{self, Subject};
use crate::handshake::{Handshake, is_client_hello};
use crate::restart::Restart;
use crate::restart_store::RestartKeys;
use crate::{Fault, TlsSettings};

/// Bit of a message that holds no TLS records but a control message (§4).
const CONTROL: u8 = 0x80;

/// Control message: the sender of keys has enforced protection (§4.1.1).
const ESTABLISHED: u8 = 0x01;

/// Time for which old keys open late packets (§6.2.3).
const DRAIN: Duration = Duration::from_secs(120);

/// Shortest time that a rekeying may take: its messages wait behind user data.
const REKEYING_PATIENCE: Duration = Duration::from_secs(300);

/// Shortest life of keys that a certificate's end shortens.
const SHORTEST_LIFE: Duration = Duration::from_secs(60);

/// Time for the alert to reach the peer before the association is aborted.
const ALERT_GRACE: Duration = Duration::from_millis(500);

/// Key manager of one association with keys from TLS 1.3, authenticated by certificates at both
/// ends. It must see all events of the association.
///
/// The first handshake takes place in plain text, at once when the association is established; user
/// data waits for its end. Rekeying is another handshake, inside protected packets. Of two that
/// begin at the same time, the one of the key management's client continues.
#[derive(Debug)]
pub struct Tls {
    settings: Arc<TlsSettings>,
    names: Arc<[ServerName<'static>]>,
    /// The epoch of the keys in use; one less than the first before there are any.
    epoch: u64,
    /// The peer of the first handshake.
    peer: Option<Subject>,
    handshake: Option<Box<Handshake>>,
    /// `None` without a store.
    restart: Option<Box<Restart>>,
    due: Due,
    fault: Option<Box<Fault>>,
}

/// Times at which something is to be done; [`Time::MAX`] for never.
#[derive(Clone, Copy, Debug)]
struct Due {
    /// The keys before the present ones are removed.
    drain: Time,
    rekeying: Time,
    /// A certificate ends.
    end: Time,
    /// The association is aborted for a fault.
    abort: Time,
}

impl Due {
    const fn abort(abort: Time) -> Self {
        Self {
            drain: Time::MAX,
            rekeying: Time::MAX,
            end: Time::MAX,
            abort,
        }
    }
}

/// A certificate name that is not a DNS name or an IP address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadName(pub String);

impl std::fmt::Display for BadName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} is no name for a certificate", self.0)
    }
}

impl std::error::Error for BadName {}

impl Tls {
    /// Creates the manager for an association that is about to be set up. The peer's certificate
    /// must hold one of `names`, DNS names or IP addresses, unless the list is empty or its
    /// fingerprint is trusted.
    #[must_use]
    pub fn new(settings: Arc<TlsSettings>, names: &Names) -> Self {
        let restart = (settings.restarts.as_ref()).map(|store| Restart::new(store.clone()).into());
        Self {
            settings,
            names: Arc::clone(&names.0),
            epoch: dtls::FIRST_EPOCH - 1,
            peer: None,
            handshake: None,
            restart,
            due: Due::abort(Time::MAX),
            fault: None,
        }
    }

    /// Sets up again the association that was there before this end has lost its state, if the
    /// settings have a store and it has the keys. Call it when the association has begun to be set
    /// up from here.
    pub fn resume(&mut self, now: Time, assoc: &mut Assoc<'_>) {
        // Without the keys it is set up as a new one.
        if let Some(restart) = &mut self.restart
            && let Some(peer) = restart.resume(now, assoc)
        {
            self.peer = Some(peer);
            self.set_timer(now, assoc);
        }
    }

    /// Forgets the association's restart keys: it has ended.
    pub fn forget(&mut self) {
        if let Some(restart) = &mut self.restart {
            restart.forget();
        }
    }

    /// Uses these settings from the next handshake on, for instance a renewed certificate; the store
    /// of restart keys stays.
    pub fn set_settings(&mut self, settings: Arc<TlsSettings>) {
        self.settings = settings;
    }

    /// The fault that ends the association; the peer may abort it before this end does.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_deref()
    }

    /// The epoch of the keys that the last completed handshake has made; `None` before the first.
    #[must_use]
    pub const fn epoch(&self) -> Option<u64> {
        if self.epoch < dtls::FIRST_EPOCH {
            return None;
        }
        Some(self.epoch)
    }

    /// Handles an event of the association.
    ///
    /// # Errors
    /// A [`Fault`]: abort the association, with its text for the peer.
    pub fn handle_event(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        event: &Event,
    ) -> Result<(), Fault> {
        let outcome = match event {
            Event::Established { .. } | Event::Restarted => self.begin(now, assoc),
            Event::Protection(ProtectionChange::Message) => self.handle_messages(now, assoc),
            Event::Protection(ProtectionChange::TimerExpired) => self.handle_timeout(now, assoc),
            Event::Protection(ProtectionChange::NearLimit(keys))
                if *keys == KeyContext::primary(self.epoch) =>
            {
                self.rekey(now, assoc)
            }
            _ => return Ok(()),
        };
        let outcome = outcome.or_else(|fault| self.fail(now, fault));
        self.set_timer(now, assoc);
        outcome
    }

    /// Replaces the keys now, unless that is under way.
    ///
    /// # Errors
    /// See [`handle_event`](Self::handle_event).
    pub fn rekey(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<(), Fault> {
        if self.handshake.is_some() || self.epoch().is_none() || self.fault.is_some() {
            return Ok(());
        }
        self.due.rekeying = Time::MAX;
        let patience = self.settings.rekeying.every.max(REKEYING_PATIENCE);
        let sent = self.start_client(now, assoc, patience);
        self.set_timer(now, assoc);
        sent
    }

    /// Starts the first handshake, or waits for the peer to start it.
    fn begin(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<(), Fault> {
        let restart = self.restart.as_deref_mut();
        let has_keys = restart.is_some_and(Restart::begin);
        self.epoch = dtls::FIRST_EPOCH - 1;
        self.peer = self.peer.filter(|_| has_keys);
        self.handshake = None;
        self.fault = None;
        self.due = Due::abort(now + self.settings.patience);
        match agreement(assoc)?.role {
            KeyRole::Client => self.start_client(now, assoc, self.settings.patience),
            KeyRole::Server => Ok(()),
        }
    }

    fn start_client(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        patience: Duration,
    ) -> Result<(), Fault> {
        let connection = self.settings.client(&self.names, self.peer)?;
        let mut handshake = Handshake::new(self.epoch + 1, connection, now + patience);
        let sent = send_records(now, assoc, &mut handshake);
        self.handshake = Some(Box::new(handshake));
        sent
    }

    fn handle_messages(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<(), Fault> {
        while let Some(message) = shield(assoc)?.receive(now) {
            if self.fault.is_some() {
                continue;
            }
            let (&first, rest) = message.split_first().ok_or(Fault::Message)?;
            let named = u64::from(first & !CONTROL);
            match first & CONTROL {
                0 => self.handle_records(now, assoc, named, rest)?,
                _ if rest == [ESTABLISHED] => self.on_established(now, assoc, named)?,
                _ => return Err(Fault::Message),
            }
        }
        Ok(())
    }

    /// Handles TLS records that are for the epoch that ends in the seven bits `named`.
    fn handle_records(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        named: u64,
        records: &[u8],
    ) -> Result<(), Fault> {
        let next = self.epoch + 1;
        if named != next & 0x7f {
            // Late records of a connection that has done its work.
            let is_late = named == self.epoch & 0x7f && !is_client_hello(records);
            return if is_late { Ok(()) } else { Err(Fault::Message) };
        }
        if is_client_hello(records) && !self.admits_client_hello(now, assoc)? {
            return Ok(());
        }
        let mut handshake = self.handshake.take().ok_or(Fault::Message)?;
        let handled = self.advance(now, assoc, &mut handshake, records);
        if handled.is_err() {
            // The alert that names the fault.
            send_records(now, assoc, &mut handshake)?;
        }
        if self.epoch != handshake.epoch {
            self.handshake = Some(handshake);
        }
        handled
    }

    /// Becomes the TLS server for a ClientHello, unless it yields to a handshake of ours (§6.2.4).
    fn admits_client_hello(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<bool, Fault> {
        let role = agreement(assoc)?.role;
        match self.handshake.as_ref().map(|handshake| handshake.role()) {
            // The second ClientHello, after a HelloRetryRequest.
            Some(KeyRole::Server) => return Ok(true),
            Some(KeyRole::Client) if role == KeyRole::Client => return Ok(false),
            None if self.epoch().is_none() && role == KeyRole::Client => {
                return Err(Fault::Message);
            }
            Some(KeyRole::Client) | None => {}
        }
        let patience = match self.epoch() {
            None => self.settings.patience,
            Some(_) => self.settings.rekeying.every.max(REKEYING_PATIENCE),
        };
        let connection = self.settings.server(&self.names, self.peer)?;
        let handshake = Handshake::new(self.epoch + 1, connection, now + patience);
        self.handshake = Some(Box::new(handshake));
        Ok(true)
    }

    fn advance(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        handshake: &mut Handshake,
        records: &[u8],
    ) -> Result<(), Fault> {
        handshake.handle(records)?;
        if !handshake.is_complete() || handshake.keys.is_some() {
            return send_records(now, assoc, handshake);
        }
        let agreement = agreement(assoc)?;
        let bytes = self.settings.rekeying.bytes;
        let keys = handshake.export(DtlsContext::Primary, &agreement, bytes)?;
        if agreement.restart == ProtectedRestart::On {
            let keys = handshake.export(DtlsContext::Restart, &agreement, bytes)?;
            handshake.restart_keys = Some(keys);
        }
        if let Some(log) = &self.settings.key_log {
            for keys in [Some(&keys), handshake.restart_keys.as_ref()]
                .into_iter()
                .flatten()
            {
                log.write(handshake.epoch, [&keys.client, &keys.server]);
            }
        }
        let role = handshake.role();
        let id = KeyContext::primary(handshake.epoch);
        let mut shield = shield(assoc)?;
        // At most two epochs have keys; the engine tells four apart.
        remove_keys(&mut shield, handshake.epoch - 2)?;
        shield.add_receive_keys(id, keys.of(role.other()).cipher()?)?;
        handshake.keys = Some(keys);
        // The peer has our keys, or gets them with these records. No close_notify: what comes later
        // would be answered by a second alert.
        send_records(now, assoc, handshake)?;
        if role == KeyRole::Server {
            self.complete(now, assoc, handshake)?;
            let [.., low] = handshake.epoch.to_be_bytes();
            shield_send(now, assoc, vec![CONTROL | low & 0x7f, ESTABLISHED])?;
        }
        Ok(())
    }

    /// The peer uses its new keys, and so may we.
    fn on_established(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        named: u64,
    ) -> Result<(), Fault> {
        let handshake = self.handshake.take().filter(|handshake| {
            handshake.role() == KeyRole::Client
                && handshake.keys.is_some()
                && named == handshake.epoch & 0x7f
        });
        let handshake = handshake.ok_or(Fault::Message)?;
        self.complete(now, assoc, &handshake)
    }

    /// Sends under the new keys, and enforces protection under the first ones.
    fn complete(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        handshake: &Handshake,
    ) -> Result<(), Fault> {
        let keys = handshake.keys.as_ref().ok_or(Fault::Message)?;
        let id = KeyContext::primary(handshake.epoch);
        let mut shield = shield(assoc)?;
        shield.set_send_keys(now, id, keys.of(handshake.role()).cipher()?)?;
        shield.enforce(now)?;
        let time_of_day = self.settings.clock.now();
        let (peer, left) = handshake.peer(time_of_day)?;
        self.epoch = handshake.epoch;
        self.peer = Some(peer);
        let own = self.settings.identity().certified.cert.first();
        let own = own.and_then(|own| certificate::time_left(own, time_of_day));
        let left = own.into_iter().chain(left).min();
        let left = left.unwrap_or(Duration::MAX);
        let of_certificates = (left - left / 8).max(SHORTEST_LIFE);
        self.due = Due {
            drain: match self.epoch > dtls::FIRST_EPOCH {
                true => now + DRAIN,
                false => Time::MAX,
            },
            rekeying: now + of_certificates.min(self.settings.rekeying.every),
            end: now + left,
            abort: Time::MAX,
        };
        if let Some(restart) = &mut self.restart
            && let Some(keys) = &handshake.restart_keys
        {
            let keys = RestartKeys {
                epoch: self.epoch,
                send: keys.of(handshake.role()).clone(),
                receive: keys.of(handshake.role().other()).clone(),
                peer,
            };
            restart.renew(now, assoc, keys)?;
        }
        Ok(())
    }

    fn handle_timeout(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<(), Fault> {
        let is_due = |at: Time| at <= now;
        if is_due(self.due.abort) {
            self.due.abort = Time::MAX;
            return Err(self.fault().cloned().unwrap_or(Fault::TimedOut));
        }
        if let Some(restart) = &mut self.restart {
            restart.handle_timeout(now, assoc)?;
        }
        if is_due(self.due.drain) {
            self.due.drain = Time::MAX;
            remove_keys(&mut shield(assoc)?, self.epoch - 1)?;
        }
        if is_due(self.due.end) {
            self.due.end = Time::MAX;
            return Err(Fault::CertificateEnded);
        }
        let overdue = |handshake: &Handshake| handshake.deadline <= now;
        if self.handshake.as_deref().is_some_and(overdue) {
            self.handshake = None;
            return Err(Fault::TimedOut);
        }
        if !is_due(self.due.rekeying) {
            return Ok(());
        }
        self.due.rekeying = Time::MAX;
        self.rekey(now, assoc)
    }

    /// Remembers the fault until its alert has left; then the association is aborted.
    fn fail(&mut self, now: Time, fault: Fault) -> Result<(), Fault> {
        let is_first = self.fault.is_none();
        self.fault = Some(fault.clone().into());
        match fault {
            Fault::Message
            | Fault::Keys(_)
            | Fault::Unprotected
            | Fault::NotAgreed
            | Fault::TimedOut
            | Fault::Refused(_)
            | Fault::CertificateEnded => Err(fault),
            _ if is_first => {
                self.due = Due::abort(now + ALERT_GRACE);
                self.handshake = None;
                Ok(())
            }
            _ => Err(fault),
        }
    }

    fn set_timer(&self, now: Time, assoc: &mut Assoc<'_>) {
        let deadline = self.handshake.as_ref().map(|handshake| handshake.deadline);
        let Due {
            drain,
            rekeying,
            end,
            abort,
        } = self.due;
        let restart = self.restart.as_ref().and_then(|restart| restart.due());
        let due = deadline.into_iter().chain(restart);
        let due = due.chain([drain, rekeying, end, abort]).min();
        if let Some(mut shield) = assoc.protection() {
            shield.set_timer(now, due.filter(|due| *due < Time::MAX));
        }
    }
}

/// Names of which a peer's certificate must hold one; by default any name is accepted.
#[derive(Clone, Debug)]
pub struct Names(Arc<[ServerName<'static>]>);

impl Default for Names {
    fn default() -> Self {
        Self(Arc::new([]))
    }
}

impl Names {
    /// Reads DNS names and IP addresses.
    ///
    /// # Errors
    /// [`BadName`].
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, BadName> {
        let names = names.into_iter().map(|name| {
            let name = name.into();
            ServerName::try_from(name.clone()).map_err(|_| BadName(name))
        });
        Ok(Self(names.collect::<Result<Vec<_>, _>>()?.into()))
    }
}

fn shield<'a>(assoc: &'a mut Assoc<'_>) -> Result<Shielded<'a>, Fault> {
    assoc.protection().ok_or(Fault::NotAgreed)
}

/// Returns the ends' agreement if it is on this method.
fn agreement(assoc: &mut Assoc<'_>) -> Result<KeyAgreement, Fault> {
    let mut shield = shield(assoc)?;
    let agreement = shield.agreement();
    let ours = agreement.filter(|found| found.method == dtls::METHOD_TLS);
    ours.cloned().ok_or(Fault::NotAgreed)
}

fn shield_send(now: Time, assoc: &mut Assoc<'_>, message: Vec<u8>) -> Result<(), Fault> {
    match shield(assoc)?.send(now, message) {
        // An association that ends needs no more keys.
        Ok(()) | Err(ProtectionError::Closing) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Sends what a handshake has to send, in one message.
fn send_records(now: Time, assoc: &mut Assoc<'_>, handshake: &mut Handshake) -> Result<(), Fault> {
    let Some(records) = handshake.output() else {
        return Ok(());
    };
    let [.., low] = handshake.epoch.to_be_bytes();
    let message = [&[low & 0x7f], &records[..]].concat();
    shield_send(now, assoc, message)
}

/// Removes the keys of an epoch for receiving, if they are still there.
fn remove_keys(shield: &mut Shielded<'_>, epoch: u64) -> Result<(), Fault> {
    match shield.remove_receive_keys(KeyContext::primary(epoch)) {
        Ok(()) | Err(ProtectionError::Unknown) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
