//! Key management of a whole endpoint.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use sheave_engine::wire::dtls;
use sheave_engine::{
    Assoc, AssocId, CloseReason, Endpoint, Event, KeyMethods, Options, PeerAddress,
    ProtectedRestart, Protection, Time,
};

use crate::shared_secret::SecretManager;
use crate::{Fault, Fingerprint, Names, SharedSecret, Tls, TlsSettings};

/// The source of an endpoint's keys.
#[derive(Clone, Debug)]
pub enum KeySource {
    /// TLS handshakes with certificates.
    Tls(Arc<TlsSettings>),
    /// A secret that both ends were given (method 0).
    Secret(SharedSecret),
}

impl KeySource {
    /// Fingerprint of the own certificate; of a secret, a name that does not tell it.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        match self {
            Self::Tls(settings) => settings.identity().fingerprint(),
            Self::Secret(secret) => secret.fingerprint(),
        }
    }

    /// Limits the time until the packets of an association are protected.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        match self {
            Self::Tls(settings) => {
                let settings = TlsSettings::clone(&settings).with_patience(patience);
                Self::Tls(Arc::new(settings))
            }
            Self::Secret(secret) => Self::Secret(secret.with_patience(patience)),
        }
    }

    fn manager(&self, names: &Names) -> Manager {
        match self {
            Self::Tls(settings) => Manager::Tls(Tls::new(Arc::clone(settings), names).into()),
            Self::Secret(secret) => Manager::Secret(SecretManager::new(secret).into()),
        }
    }
}

impl From<Arc<TlsSettings>> for KeySource {
    fn from(settings: Arc<TlsSettings>) -> Self {
        Self::Tls(settings)
    }
}

impl From<TlsSettings> for KeySource {
    fn from(settings: TlsSettings) -> Self {
        Self::Tls(Arc::new(settings))
    }
}

impl From<SharedSecret> for KeySource {
    fn from(secret: SharedSecret) -> Self {
        Self::Secret(secret)
    }
}

/// Key manager of one association.
#[derive(Debug)]
enum Manager {
    Tls(Box<Tls>),
    Secret(Box<SecretManager>),
}

impl Manager {
    fn handle_event(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        event: &Event,
    ) -> Result<(), Fault> {
        match self {
            Self::Tls(tls) => tls.handle_event(now, assoc, event),
            Self::Secret(secret) => secret.handle_event(now, assoc, event),
        }
    }

    fn resume(&mut self, now: Time, assoc: &mut Assoc<'_>) {
        if let Self::Tls(tls) = self {
            tls.resume(now, assoc);
        }
    }

    fn forget(&mut self) {
        if let Self::Tls(tls) = self {
            tls.forget();
        }
    }

    fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Tls(tls) => tls.fault(),
            Self::Secret(secret) => secret.fault(),
        }
    }

    fn has_protected(&self, assoc: &mut Assoc<'_>) -> bool {
        match self {
            Self::Tls(tls) => tls.epoch().is_some(),
            Self::Secret(_) => assoc
                .protection()
                .is_some_and(|mut shield| shield.is_enforced()),
        }
    }
}

/// Key management of an endpoint that protects all of its associations: takes the endpoint's events,
/// drives a key manager for each association, and passes on the events for the endpoint's user.
///
/// To the user, an association is established once its packets are protected. Events from before are
/// held back until then, and those of key management are not passed on.
#[derive(Debug)]
pub struct KeyManagement {
    source: KeySource,
    names: Names,
    managers: HashMap<AssocId, Managed>,
    /// Events that were held back.
    due: VecDeque<(AssocId, Event)>,
}

/// Result of a step of key management, for the endpoint's user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyProgress {
    /// An event of an association.
    Event(AssocId, Event),
    /// A peer's association could not be protected. Its end is a later event, unless the endpoint has
    /// refused it from the start, and it has no id.
    Refused(Option<AssocId>, Refusal),
    /// A protected association is being aborted: its keys could not be replaced.
    Lost(AssocId, Refusal),
}

/// A peer whose association could not be protected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The peer's address, if known.
    pub peer: Option<PeerAddress>,
    /// The reason.
    pub fault: Fault,
}

#[derive(Debug)]
struct Managed {
    manager: Manager,
    /// `None` once packets are protected: the user knows the association.
    held: Option<Box<Held>>,
}

/// An association that the user does not know yet.
#[derive(Debug)]
struct Held {
    peer: Option<PeerAddress>,
    /// Events that wait until packets are protected.
    events: Vec<Event>,
}

impl KeyManagement {
    /// Key management with keys from this source. A peer's certificate must hold one of `names`,
    /// unless there are none.
    #[must_use]
    pub fn new(source: impl Into<KeySource>, names: Names) -> Self {
        Self {
            source: source.into(),
            names,
            managers: HashMap::new(),
            due: VecDeque::new(),
        }
    }

    /// Returns the options of an association or listener with protection demanded.
    #[must_use]
    pub fn fit(&self, options: Options) -> Options {
        let (protected_restart, method) = match &self.source {
            KeySource::Tls(settings) if settings.restarts.is_some() => {
                (ProtectedRestart::On, dtls::METHOD_TLS)
            }
            KeySource::Tls(_) => (ProtectedRestart::Off, dtls::METHOD_TLS),
            KeySource::Secret(_) => (ProtectedRestart::Off, dtls::METHOD_PRE_SHARED),
        };
        Options {
            protection: Protection::Strict,
            protected_restart,
            key_methods: KeyMethods(vec![method]),
            ..options
        }
    }

    /// See [`KeySource::fingerprint`].
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.source.fingerprint()
    }

    /// Adds an association that has begun to be set up from here, whose peer must have one of
    /// `names` in place of the usual ones. Where a [store](TlsSettings::with_restarts) has restart
    /// keys for it, it is set up again under them.
    pub fn expect(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint,
        id: AssocId,
        names: Option<&Names>,
    ) {
        let Some(mut assoc) = endpoint.assoc(id) else {
            return;
        };
        self.admit(id, peer_of(&assoc), names);
        if let Some(managed) = self.managers.get_mut(&id) {
            managed.manager.resume(now, &mut assoc);
        }
    }

    fn admit(&mut self, id: AssocId, peer: Option<PeerAddress>, names: Option<&Names>) {
        self.managers.entry(id).or_insert_with(|| Managed {
            manager: self.source.manager(names.unwrap_or(&self.names)),
            held: Some(Box::new(Held {
                peer,
                events: Vec::new(),
            })),
        });
    }

    /// Handles events of the endpoint until one is for its user. Takes the place of
    /// [`Endpoint::poll_event`].
    pub fn poll_event(&mut self, now: Time, endpoint: &mut Endpoint) -> Option<KeyProgress> {
        loop {
            if let Some((id, event)) = self.due.pop_front() {
                return Some(KeyProgress::Event(id, event));
            }
            let Some((id, event)) = endpoint.poll_event() else {
                let (peer, cause) = endpoint.take_unprotected()?;
                let (peer, fault) = (Some(peer), fault_of(cause)?);
                return Some(KeyProgress::Refused(None, Refusal { peer, fault }));
            };
            let progress = match event {
                Event::Closed { .. } => self.on_closed(id, event),
                event => self.handle(now, endpoint, id, event),
            };
            if progress.is_some() {
                return progress;
            }
        }
    }

    /// Forgets an association that has ended.
    fn on_closed(&mut self, id: AssocId, closed: Event) -> Option<KeyProgress> {
        let refusal = self
            .managers
            .remove(&id)
            .and_then(|managed| managed.refusal(&closed));
        let Some(refusal) = refusal else {
            return Some(KeyProgress::Event(id, closed));
        };
        self.due.push_back((id, closed));
        Some(KeyProgress::Refused(Some(id), refusal))
    }

    fn handle(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint,
        id: AssocId,
        event: Event,
    ) -> Option<KeyProgress> {
        let Some(mut assoc) = endpoint.assoc(id) else {
            // The association has ended meanwhile; the user does not know one that was never protected.
            let managed = self.managers.get(&id);
            let is_held = managed.is_some_and(|one| one.held.is_some());
            return (!is_held).then_some(KeyProgress::Event(id, event));
        };
        if !self.managers.contains_key(&id) {
            self.admit(id, peer_of(&assoc), None);
        }
        let managed = self.managers.get_mut(&id)?;
        let Err(fault) = managed.manager.handle_event(now, &mut assoc, &event) else {
            return managed.pass(id, &mut assoc, event, &mut self.due);
        };
        let peer = peer_of(&assoc);
        assoc.abort(now, fault.to_string().into());
        let mut managed = self.managers.remove(&id)?;
        managed.manager.forget();
        let refusal = Refusal { peer, fault };
        Some(match managed.held {
            Some(_) => KeyProgress::Refused(Some(id), refusal),
            None => KeyProgress::Lost(id, refusal),
        })
    }
}

impl Managed {
    /// Returns the event if the user gets it now that the key manager has seen it; adds those that waited to
    /// `due`.
    fn pass(
        &mut self,
        id: AssocId,
        assoc: &mut Assoc<'_>,
        event: Event,
        due: &mut VecDeque<(AssocId, Event)>,
    ) -> Option<KeyProgress> {
        if let Some(held) = self.held.take_if(|_| self.manager.has_protected(assoc)) {
            let held = held.events.into_iter();
            due.extend(held.map(|event| (id, with_streams(assoc, event))));
        }
        match (event, &mut self.held) {
            (Event::Protection(_), _) => None,
            // Early data is never sent, and there is nothing yet that could be restarted.
            (Event::Answered { .. } | Event::Restarted, Some(_)) => None,
            (event, Some(held)) => {
                held.events.push(event);
                None
            }
            (event, None) => Some(KeyProgress::Event(id, with_streams(assoc, event))),
        }
    }

    /// The fault of an association that has ended before it was protected. Its restart keys go.
    fn refusal(mut self, closed: &Event) -> Option<Refusal> {
        self.manager.forget();
        let Event::Closed { reason, .. } = closed else {
            return None;
        };
        let cause = match reason {
            CloseReason::PeerFault { cause, .. } => Some(*cause),
            CloseReason::AbortedByPeer { cause, .. } => *cause,
            _ => None,
        };
        let fault = self.manager.fault().cloned().or_else(|| fault_of(cause?))?;
        let peer = self.held?.peer;
        Some(Refusal { peer, fault })
    }
}

/// An event, with the current numbers of streams if the association is established.
fn with_streams(assoc: &Assoc<'_>, event: Event) -> Event {
    match event {
        Event::Established { .. } => {
            let stats = assoc.stats();
            Event::Established {
                outbound_streams: stats.outbound_streams,
                inbound_streams: stats.inbound_streams,
            }
        }
        event => event,
    }
}

/// The fault of two ends that cannot agree on protection, by the cause in the ABORT (§4.3).
const fn fault_of(cause: u16) -> Option<Fault> {
    match cause {
        dtls::MISSING_SUPPORT => Some(Fault::Unprotected),
        dtls::NO_COMMON_METHOD | dtls::TIE_BREAKER_COLLISION | dtls::INCOMPATIBLE_ROLES => {
            Some(Fault::NotAgreed)
        }
        _ => None,
    }
}

/// The peer's primary address.
fn peer_of(assoc: &Assoc<'_>) -> Option<PeerAddress> {
    let paths = assoc.path_stats();
    let primary = paths.iter().find(|path| path.primary).or(paths.first())?;
    Some(PeerAddress {
        ip: primary.remote,
        encapsulation: primary.encapsulation,
    })
}
