//! Key management of a whole endpoint.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use sheave_engine::wire::dtls;
use sheave_engine::{
    Assoc, AssocId, CloseReason, Endpoint, Event, KeyMethods, Options, PeerAddress,
    ProtectedRestart, Protection, Time,
};

use crate::{Fault, Fingerprint, Names, Tls, TlsSettings};

/// Key management of an endpoint that protects all of its associations: takes the endpoint's events,
/// drives a [`Tls`] for each association, and passes on the events for the endpoint's user.
///
/// To the user, an association is established once its packets are protected. Events from before are
/// held back until then, and those of key management are not passed on.
#[derive(Debug)]
pub struct KeyManagement {
    settings: Arc<TlsSettings>,
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
    tls: Tls,
    peer: Option<PeerAddress>,
    stage: Stage,
}

/// The user's view of an association.
#[derive(Debug)]
enum Stage {
    /// Events that wait until packets are protected.
    Handshake(Vec<Event>),
    Protected,
}

impl KeyManagement {
    /// Key management with these settings. A peer's certificate must hold one of `names`, unless
    /// there are none.
    #[must_use]
    pub fn new(settings: Arc<TlsSettings>, names: Names) -> Self {
        Self {
            settings,
            names,
            managers: HashMap::new(),
            due: VecDeque::new(),
        }
    }

    /// Returns the options of an association or listener with protection demanded.
    #[must_use]
    pub fn fit(&self, options: Options) -> Options {
        let protected_restart = match self.settings.restarts {
            Some(_) => ProtectedRestart::On,
            None => ProtectedRestart::Off,
        };
        Options {
            protection: Protection::Strict,
            protected_restart,
            key_methods: KeyMethods(vec![dtls::METHOD_TLS]),
            ..options
        }
    }

    /// Fingerprint of the own certificate.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.settings.identity().fingerprint()
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
            managed.tls.resume(now, &mut assoc);
        }
    }

    fn admit(&mut self, id: AssocId, peer: Option<PeerAddress>, names: Option<&Names>) {
        self.managers.entry(id).or_insert_with(|| Managed {
            tls: Tls::new(Arc::clone(&self.settings), names.unwrap_or(&self.names)),
            peer,
            stage: Stage::Handshake(Vec::new()),
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
            let is_held = managed.is_some_and(|one| matches!(one.stage, Stage::Handshake(_)));
            return (!is_held).then_some(KeyProgress::Event(id, event));
        };
        if !self.managers.contains_key(&id) {
            self.admit(id, peer_of(&assoc), None);
        }
        let managed = self.managers.get_mut(&id)?;
        let Err(fault) = managed.tls.handle_event(now, &mut assoc, &event) else {
            return managed.pass(id, &assoc, event, &mut self.due);
        };
        assoc.abort(now, fault.to_string().into());
        let Managed {
            mut tls,
            peer,
            stage,
        } = self.managers.remove(&id)?;
        tls.forget();
        let refusal = Refusal { peer, fault };
        Some(match stage {
            Stage::Handshake(_) => KeyProgress::Refused(Some(id), refusal),
            Stage::Protected => KeyProgress::Lost(id, refusal),
        })
    }
}

impl Managed {
    /// Returns the event if the user gets it now that the key manager has seen it; adds those that waited to
    /// `due`.
    fn pass(
        &mut self,
        id: AssocId,
        assoc: &Assoc<'_>,
        event: Event,
        due: &mut VecDeque<(AssocId, Event)>,
    ) -> Option<KeyProgress> {
        if let Stage::Handshake(held) = &mut self.stage
            && self.tls.epoch().is_some()
        {
            let held = std::mem::take(held).into_iter();
            due.extend(held.map(|event| (id, with_streams(assoc, event))));
            self.stage = Stage::Protected;
        }
        match (event, &mut self.stage) {
            (Event::Protection(_), _) => None,
            // Early data is never sent, and there is nothing yet that could be restarted.
            (Event::Answered { .. } | Event::Restarted, Stage::Handshake(_)) => None,
            (event, Stage::Handshake(held)) => {
                held.push(event);
                None
            }
            (event, Stage::Protected) => Some(KeyProgress::Event(id, with_streams(assoc, event))),
        }
    }

    /// The fault of an association that has ended before it was protected. Its restart keys go.
    fn refusal(mut self, closed: &Event) -> Option<Refusal> {
        self.tls.forget();
        let Event::Closed { reason, .. } = closed else {
            return None;
        };
        let cause = match reason {
            CloseReason::PeerFault { cause, .. } => Some(*cause),
            CloseReason::AbortedByPeer { cause, .. } => *cause,
            _ => None,
        };
        let fault = self.tls.fault().cloned().or_else(|| fault_of(cause?))?;
        match self.stage {
            Stage::Handshake(_) => Some(Refusal {
                peer: self.peer,
                fault,
            }),
            Stage::Protected => None,
        }
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
