//! Restart keys of an association (draft-porfiri-tsvwg-sctp-dtls-handshake-01 §6.3).

use std::path::PathBuf;
use std::time::Duration;

use sheave_engine::{Assoc, KeyContext, ProtectionError, Time};

use crate::Fault;
use crate::certificate::Subject;
use crate::restart_store::{Place, RestartKeys, RestartStore};

/// Time after which no packet under the restart keys that were used is on its way.
const DRAIN: Duration = Duration::from_secs(3);

/// Time between looks whether the peer hears the restart keys.
const LOOK: Duration = Duration::from_secs(1);

/// COOKIE ECHOs under restart keys before the association is set up as a new one: the peer has
/// lost its state, too.
const ATTEMPTS: u64 = 3;

/// The restart keys in the engine, and those that will take their place.
#[derive(Debug)]
pub(crate) struct Restart {
    store: RestartStore,
    stage: Stage,
    /// Epoch of the keys in the engine.
    epoch: Option<u64>,
    file: Option<PathBuf>,
    next: Option<Box<Next>>,
}

/// The use of the keys in the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// None: they wait for a restart.
    #[default]
    Waiting,
    /// The association is being set up under them; the time of the next look at it.
    Resuming(Time),
    /// The association was set up under them.
    Used,
}

#[derive(Debug)]
struct Next {
    due: Time,
    keys: RestartKeys,
}

impl Restart {
    pub(crate) const fn new(store: RestartStore) -> Self {
        Self {
            store,
            stage: Stage::Waiting,
            epoch: None,
            file: None,
            next: None,
        }
    }

    /// Sets up the association under the keys of the store, if it has them; returns the peer.
    pub(crate) fn resume(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Option<Subject> {
        let (keys, file) = self.store.find(&place(assoc))?;
        self.file = Some(file);
        self.install(now, assoc, &keys).ok()?;
        self.stage = Stage::Resuming(now + LOOK);
        Some(keys.peer)
    }

    /// The association is established, anew if there are keys. Returns whether there are, of a peer that
    /// was authenticated.
    pub(crate) fn begin(&mut self) -> bool {
        self.stage = match self.epoch {
            Some(_) => Stage::Used,
            None => Stage::Waiting,
        };
        self.next = None;
        self.epoch.is_some()
    }

    /// Takes the keys of a handshake: at once, or when those that were used are drained.
    pub(crate) fn renew(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        keys: RestartKeys,
    ) -> Result<(), Fault> {
        let due = match (&self.next, self.stage) {
            (Some(next), _) => next.due,
            (None, Stage::Used) => now + DRAIN,
            (None, _) => now,
        };
        self.next = Some(Box::new(Next { due, keys }));
        self.handle_timeout(now, assoc)
    }

    /// When [`handle_timeout`](Self::handle_timeout) has something to do.
    pub(crate) fn due(&self) -> Option<Time> {
        match self.stage {
            Stage::Resuming(look) => Some(look),
            _ => self.next.as_ref().map(|next| next.due),
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Result<(), Fault> {
        match self.stage {
            Stage::Resuming(look) if look <= now => self.look(now, assoc),
            _ => {}
        }
        let Some(next) = self.next.take_if(|next| next.due <= now) else {
            return Ok(());
        };
        self.stage = Stage::Waiting;
        // An association whose keys cannot be kept lives on without.
        self.file = self.store.keep(&place(assoc), &next.keys).ok();
        self.install(now, assoc, &next.keys)
    }

    /// Gives up the keys of an association that is being set up if the peer does not hear them.
    fn look(&mut self, now: Time, assoc: &mut Assoc<'_>) {
        self.stage = Stage::Resuming(now + LOOK);
        let (Some(epoch), Some(mut shield)) = (self.epoch, assoc.protection()) else {
            return;
        };
        let used = shield.key_stats(KeyContext::restart(epoch));
        if used.is_some_and(|used| used.sealed >= ATTEMPTS) {
            shield.remove_restart_send_keys();
            *self = Self::new(self.store.clone());
        }
    }

    fn install(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        keys: &RestartKeys,
    ) -> Result<(), Fault> {
        let mut shield = assoc.protection().ok_or(Fault::NotAgreed)?;
        if let Some(old) = self.epoch.take() {
            match shield.remove_receive_keys(KeyContext::restart(old)) {
                Ok(()) | Err(ProtectionError::Unknown) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let id = KeyContext::restart(keys.epoch);
        let kept = self.file.clone().map(|file| (self.store.clone(), file));
        shield.add_receive_keys(id, keys.receive.cipher()?)?;
        shield.set_send_keys(now, id, keys.sender(kept)?)?;
        self.epoch = Some(keys.epoch);
        Ok(())
    }

    /// Removes the keys from the store: the association has ended.
    pub(crate) fn forget(&mut self) {
        if let Some(file) = self.file.take() {
            // The keys are of no use without the association at the other end.
            let _ = self.store.remove(&file);
        }
    }
}

/// The names by which the association's keys are found.
fn place(assoc: &Assoc<'_>) -> Place {
    let stats = assoc.stats();
    Place {
        local_port: stats.local_port,
        remote_port: stats.remote_port,
        remote: assoc.path_stats().iter().map(|path| path.remote).collect(),
    }
}
