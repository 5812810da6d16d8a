//! Key management of an endpoint, if it protects its associations, and the peers that it has refused.

use std::collections::VecDeque;
use std::task::Waker;

use sheave_engine::{AssocId, Endpoint, OptionError, Options, Time};
use sheave_secure::{Fingerprint, KeyManagement, Names};

pub(crate) use crate::secure::{Fault, KeyProgress, Refusal};

use crate::Config;
use crate::error::without_keys;
use crate::wait::Waiters;

/// Most failed set-ups kept for [`Endpoint::refused`](crate::Endpoint::refused).
const MAX_REFUSALS: usize = 64;

/// Key management of an endpoint, if its associations are protected.
#[derive(Default)]
pub(crate) struct Keys {
    management: Option<Box<KeyManagement>>,
    refusals: VecDeque<Refusal>,
    waiters: Waiters,
}

impl Keys {
    pub(crate) fn new(config: &Config) -> Self {
        let management = config.secure.as_ref();
        Self {
            management: management.map(|secure| Box::new(secure.key_management())),
            ..Self::default()
        }
    }

    /// The options of an association, which demand protection where the endpoint has keys.
    /// Errors: they ask for protection where it has none.
    pub(crate) fn fit(&self, options: Options) -> Result<Options, OptionError> {
        match &self.management {
            Some(management) => Ok(management.fit(options)),
            None => without_keys(options),
        }
    }

    /// Adds an association that is being set up from here.
    pub(crate) fn expect(
        &mut self,
        now: Time,
        engine: &mut Endpoint,
        id: AssocId,
        names: Option<&Names>,
    ) {
        if let Some(management) = &mut self.management {
            management.expect(now, engine, id, names);
        }
    }

    /// Fingerprint of the own certificate.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        Some(self.management.as_ref()?.fingerprint())
    }

    /// The engine's next event for the application.
    pub(crate) fn poll_event(&mut self, now: Time, engine: &mut Endpoint) -> Option<KeyProgress> {
        match &mut self.management {
            Some(management) => management.poll_event(now, engine),
            None => {
                let (id, event) = engine.poll_event()?;
                Some(KeyProgress::Event(id, event))
            }
        }
    }

    /// Records that a peer's association could not be protected.
    pub(crate) fn refuse(&mut self, refusal: Refusal, awake: &mut Vec<Waker>) {
        if self.refusals.len() < MAX_REFUSALS {
            self.refusals.push_back(refusal);
            self.waiters.wake_into(awake);
        }
    }

    /// Wakes who waits for a refusal: the endpoint is closed.
    pub(crate) fn close(&mut self, awake: &mut Vec<Waker>) {
        self.waiters.wake_into(awake);
    }

    pub(crate) fn next_refusal(&mut self) -> Option<Refusal> {
        self.refusals.pop_front()
    }

    /// Threads and tasks waiting for a refusal, if any peer may be refused.
    pub(crate) fn refusal_waiters(&mut self) -> Option<&mut Waiters> {
        self.management.as_ref()?;
        Some(&mut self.waiters)
    }
}
