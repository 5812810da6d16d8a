//! The key manager of an end: derives keys of each epoch from both ends' parameters, changes them by messages,
//! and keeps restart keys.

use core::time::Duration;

use bytes::Bytes;
use sheave_engine::wire::dtls::FIRST_EPOCH;
use sheave_engine::{
    Assoc, Endpoint, Event, KeyAgreement, KeyContext, KeyRole, Phase, ProtectedRestart,
    ProtectionChange, ProtectionError, Time,
};

use super::cipher::Keys;
use super::fault::{Verdict, fault};

/// Message of an end that has keys of an epoch for receiving.
const READY: u8 = 0;
/// Message of an end that seals by them, too.
const DONE: u8 = 1;

/// Records under restart keys after which the association is set up as a new one.
const ATTEMPTS: u64 = 3;
const LOOK: Duration = Duration::from_secs(1);

/// Time for the first keys, after which the association is aborted.
const PATIENCE: Duration = Duration::from_secs(60);

/// Removal of the keys before the present ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Drain {
    /// At the next change.
    #[default]
    Slow,
    /// With the first packet under the present ones.
    Hasty,
}

#[derive(Debug, Default)]
pub(crate) struct Manager {
    keys: Keys,
    /// Whether restart keys are lost with the rest of the state.
    forgets: bool,
    /// Epochs of the keys for sending and receiving; 0 if there are none.
    epochs: [u64; 2],
    drain: Drain,
    /// Restart keys in the engine, which survive it unless they were used.
    restart: Option<(KeyAgreement, u64)>,
    /// Associations aborted for lack of keys.
    pub(crate) given_up: u32,
}

impl Manager {
    pub(crate) fn new(keys: &Keys, forgets: bool) -> Self {
        let keys = keys.clone();
        Self {
            keys,
            forgets,
            ..Self::default()
        }
    }

    /// Begins a change of keys, unless one is under way.
    pub(crate) fn rekey(&mut self, now: Time, assoc: &mut Assoc<'_>, hasty: bool) -> Verdict {
        let [sending, receiving] = self.epochs;
        if sending == 0 || sending != receiving || !is_open(assoc) {
            return Ok(());
        }
        self.drain = if hasty { Drain::Hasty } else { Drain::Slow };
        self.begin(now, assoc, receiving + 1).map_err(refused)
    }

    pub(crate) fn handle_event(
        &mut self,
        now: Time,
        mut assoc: Assoc<'_>,
        event: &Event,
    ) -> Verdict {
        if *event == Event::Protection(ProtectionChange::TimerExpired) {
            self.look(now, assoc);
            return Ok(());
        }
        let assoc = &mut assoc;
        match event {
            Event::Established { .. } | Event::Restarted => self.start(now, assoc),
            Event::Protection(ProtectionChange::Message) => self.read(now, assoc),
            Event::Protection(ProtectionChange::FirstReceived(keys))
                if *keys == KeyContext::primary(keys.epoch) =>
            {
                if self.drain == Drain::Hasty {
                    self.remove_below(assoc, keys.epoch);
                }
                self.renew(now, assoc)
            }
            _ => Ok(()),
        }
        .map_err(refused)
    }

    fn start(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<(), ProtectionError> {
        self.epochs = [0; 2];
        let agreement = agreement(assoc);
        if let Some(mut shield) = assoc.protection() {
            shield.set_timer(now, Some(now + PATIENCE));
        }
        match agreement.map(|agreement| agreement.role) {
            Some(KeyRole::Client) => self.begin(now, assoc, FIRST_EPOCH),
            _ => Ok(()),
        }
    }

    fn begin(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        epoch: u64,
    ) -> Result<(), ProtectionError> {
        self.receive_under(assoc, epoch)?;
        say(now, assoc, READY, epoch)
    }

    fn read(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<(), ProtectionError> {
        while let Some(message) = assoc.protection().and_then(|mut it| it.receive(now)) {
            let &[kind, epoch, ..] = &message[..] else {
                return Err(ProtectionError::Unknown);
            };
            let epoch = u64::from(epoch);
            if message != words(kind, epoch) {
                return Err(ProtectionError::Unknown);
            }
            if kind == READY {
                self.receive_under(assoc, epoch)?;
            }
            self.send_under(now, assoc, epoch)?;
            if kind == READY {
                say(now, assoc, DONE, epoch)?;
            }
        }
        Ok(())
    }

    fn receive_under(&mut self, assoc: &mut Assoc<'_>, epoch: u64) -> Result<(), ProtectionError> {
        if self.epochs[1] >= epoch {
            return Ok(());
        }
        self.epochs[1] = epoch;
        let Some(agreement) = agreement(assoc) else {
            return Err(ProtectionError::NotAgreed);
        };
        let id = KeyContext::primary(epoch);
        let cipher = self.keys.cipher(&agreement, agreement.role.other(), id);
        let mut shield = assoc.protection().ok_or(ProtectionError::NotAgreed)?;
        shield.add_receive_keys(id, cipher)
    }

    fn send_under(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        epoch: u64,
    ) -> Result<(), ProtectionError> {
        if self.epochs[0] >= epoch {
            return Ok(());
        }
        self.epochs[0] = epoch;
        // The peer seals by the keys before these, or by these.
        self.remove_below(assoc, epoch - 1);
        let agreement = agreement(assoc).ok_or(ProtectionError::NotAgreed)?;
        let id = KeyContext::primary(epoch);
        let cipher = self.keys.cipher(&agreement, agreement.role, id);
        let mut shield = assoc.protection().ok_or(ProtectionError::NotAgreed)?;
        shield.set_send_keys(now, id, cipher)?;
        shield.enforce(now)?;
        self.renew(now, assoc)
    }

    /// Replaces the restart keys, once the peer does not need those under which it restarted.
    fn renew(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<(), ProtectionError> {
        let agreement = agreement(assoc).ok_or(ProtectionError::NotAgreed)?;
        let mut shield = assoc.protection().ok_or(ProtectionError::NotAgreed)?;
        let [epoch, _] = self.epochs;
        let first = shield.key_stats(KeyContext::FIRST);
        if epoch == 0 || first.is_some_and(|first| first.opened == 0) {
            return Ok(());
        }
        if let Some((_, old)) = self.restart.take() {
            // They are gone where the association was not set up under them.
            let _ = shield.remove_receive_keys(KeyContext::restart(old));
            shield.remove_restart_send_keys();
        }
        match agreement.restart {
            ProtectedRestart::On => self.keep(now, assoc, agreement, epoch),
            ProtectedRestart::Off => Ok(()),
        }
    }

    /// Gives restart keys to the engine.
    fn keep(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        agreement: KeyAgreement,
        epoch: u64,
    ) -> Result<(), ProtectionError> {
        let id = KeyContext::restart(epoch);
        let cipher = |role| self.keys.cipher(&agreement, role, id);
        let mut shield = assoc.protection().ok_or(ProtectionError::NotAgreed)?;
        shield.add_receive_keys(id, cipher(agreement.role.other()))?;
        shield.set_send_keys(now, id, cipher(agreement.role))?;
        self.restart = Some((agreement, epoch));
        Ok(())
    }

    fn remove_below(&self, assoc: &mut Assoc<'_>, epoch: u64) {
        let Some(mut shield) = assoc.protection() else {
            return;
        };
        for old in epoch.saturating_sub(3)..epoch {
            let _ = shield.remove_receive_keys(KeyContext::primary(old));
        }
    }

    /// The end is about to lose its state: restart keys remain that sealed nothing.
    pub(crate) fn lose(&mut self, engine: &mut Endpoint) {
        let ids: Vec<_> = engine.associations().collect();
        let used = self.restart.as_ref().is_none_or(|(_, epoch)| {
            let id = KeyContext::restart(*epoch);
            ids.into_iter().any(|assoc| {
                let assoc = engine.assoc(assoc);
                let stats = assoc.and_then(|mut it| it.protection()?.key_stats(id));
                stats.is_some_and(|stats| stats.sealed > 0)
            })
        });
        if used || self.forgets {
            self.restart = None;
        }
        self.epochs = [0; 2];
    }

    /// Whether there are keys by which the association is sealed.
    pub(crate) const fn has_keys(&self) -> bool {
        self.epochs[0] > 0
    }

    /// The association has ended.
    pub(crate) fn forget(&mut self) {
        self.restart = None;
        self.epochs = [0; 2];
    }

    /// Sets the association up again under restart keys, if there are any.
    pub(crate) fn resume(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Verdict {
        let Some((agreement, epoch)) = self.restart.take() else {
            return Ok(());
        };
        let kept = self.keep(now, assoc, agreement, epoch);
        if let Some(mut shield) = assoc.protection() {
            shield.set_timer(now, Some(now + LOOK));
        }
        kept.map_err(refused)
    }

    /// Gives up restart keys that the peer does not hear, or an association without keys.
    fn look(&mut self, now: Time, mut assoc: Assoc<'_>) {
        let is_up = assoc.phase() >= Phase::Established;
        if is_up && self.epochs[0] == 0 {
            self.given_up += 1;
            return assoc.abort(now, Bytes::from_static(b"no keys"));
        }
        let Some((id, mut shield)) = self.restart.as_ref().and_then(|(_, epoch)| {
            let shield = assoc.protection().filter(|_| !is_up)?;
            Some((KeyContext::restart(*epoch), shield))
        }) else {
            return;
        };
        let unheard = |used: sheave_engine::KeyStats| used.sealed >= ATTEMPTS;
        if shield.key_stats(id).is_some_and(unheard) {
            shield.remove_restart_send_keys();
            self.restart = None;
        } else {
            shield.set_timer(now, Some(now + LOOK));
        }
    }

    /// The packet inside a protected one.
    pub(crate) fn reveal(&self, packet: &[u8]) -> Option<Vec<u8>> {
        self.keys.reveal(packet)
    }
}

fn refused(error: ProtectionError) -> Box<super::Fault> {
    fault("keys", format!("{error:?}"))
}

fn agreement(assoc: &mut Assoc<'_>) -> Option<KeyAgreement> {
    assoc.protection()?.agreement().cloned()
}

fn is_open(assoc: &Assoc<'_>) -> bool {
    assoc.phase() == Phase::Established
}

/// A message: its first two bytes say all, and the rest makes it as long as a TLS handshake's.
fn words(kind: u8, epoch: u64) -> Vec<u8> {
    let mut words = vec![kind; 2 + epoch as usize * 700 % 3000];
    words[1] = epoch as u8;
    words
}

/// Tells the peer's key manager; too late once the association ends.
fn say(now: Time, assoc: &mut Assoc<'_>, kind: u8, epoch: u64) -> Result<(), ProtectionError> {
    let message = Bytes::from(words(kind, epoch));
    let mut shield = assoc.protection().ok_or(ProtectionError::NotAgreed)?;
    match shield.send(now, message) {
        Err(ProtectionError::Closing) => Ok(()),
        other => other,
    }
}
