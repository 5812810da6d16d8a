//! Keys of protected associations: shows a key manager the events of each association, and hides
//! from the application that there is one.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::task::Waker;

use sheave_engine::{
    Assoc, AssocId, CloseReason, Event, KeyMethods, Options, Protection, ProtectionChange, Time,
};
use sheave_secure::{Fingerprint, Names, Tls, TlsSettings};
use sheave_wire::dtls;

pub(crate) use crate::secure::{Fault, Refusal};

use crate::Config;
use crate::wait::Waiters;

/// Most failed set-ups kept for [`Endpoint::refused`](crate::Endpoint::refused).
const MAX_REFUSALS: usize = 64;

/// The key managers of an endpoint's associations, if they are protected.
#[derive(Default)]
pub(crate) struct KeyManagement(Option<Box<Managers>>);

struct Managers {
    settings: Arc<TlsSettings>,
    names: Names,
    managers: HashMap<AssocId, Managed>,
    refusals: VecDeque<Refusal>,
    waiters: Waiters,
}

struct Managed {
    tls: Tls,
    stage: Stage,
}

/// The application's view of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The application waits until packets are protected.
    Handshake {
        outbound_streams: u16,
        inbound_streams: u16,
    },
    Protected,
}

/// The result of showing an event to a key manager.
pub(crate) enum Outcome {
    /// The application gets this event.
    Pass(Event),
    /// The application gets nothing.
    Keep,
    /// The association must be aborted.
    Fail(Fault),
}

impl KeyManagement {
    pub(crate) fn new(config: &Config) -> Self {
        let secure = config.secure.as_ref().map(|secure| {
            Box::new(Managers {
                settings: Arc::clone(&secure.settings),
                names: secure.names.clone(),
                managers: HashMap::new(),
                refusals: VecDeque::new(),
                waiters: Waiters::default(),
            })
        });
        Self(secure)
    }

    /// The options of an association, which demand protection where the endpoint has keys.
    pub(crate) fn fit(&self, options: Options) -> Options {
        match self.0 {
            Some(_) => Options {
                protection: Protection::Strict,
                key_methods: KeyMethods(vec![dtls::METHOD_TLS]),
                ..options
            },
            None => options,
        }
    }

    /// Adds the manager of an association that is being set up from here.
    pub(crate) fn expect(&mut self, id: AssocId, names: Option<&Names>) {
        if let Some(managers) = &mut self.0 {
            managers.add(id, names);
        }
    }

    /// Fingerprint of the own certificate.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        let managers = self.0.as_ref()?;
        Some(managers.settings.identity().fingerprint())
    }

    /// Whether associations are protected.
    pub(crate) const fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Shows an event to the manager of its association, which is `None` once it has ended.
    pub(crate) fn handle(
        &mut self,
        now: Time,
        id: AssocId,
        assoc: Option<Assoc<'_>>,
        event: Event,
    ) -> Outcome {
        match &mut self.0 {
            Some(managers) => managers.handle(now, id, assoc, event),
            None => Outcome::Pass(event),
        }
    }

    /// Forgets an association that has ended. Returns the fault, if it was never protected.
    pub(crate) fn remove(&mut self, id: AssocId, reason: &CloseReason) -> Option<Fault> {
        let managed = self.0.as_mut()?.managers.remove(&id)?;
        let of_reason = || match reason {
            CloseReason::PeerFault { cause, .. } => fault_of(*cause),
            CloseReason::AbortedByPeer { cause, .. } => fault_of((*cause)?),
            _ => None,
        };
        let fault = managed.tls.fault().cloned().or_else(of_reason);
        fault.filter(|_| managed.stage != Stage::Protected)
    }

    /// Records that a peer's association could not be protected.
    pub(crate) fn refuse(&mut self, refusal: Refusal, awake: &mut Vec<Waker>) {
        if let Some(managers) = &mut self.0
            && managers.refusals.len() < MAX_REFUSALS
        {
            managers.refusals.push_back(refusal);
            managers.waiters.wake_into(awake);
        }
    }

    /// Wakes who waits for a refusal: the endpoint is closed.
    pub(crate) fn close(&mut self, awake: &mut Vec<Waker>) {
        if let Some(managers) = &mut self.0 {
            managers.waiters.wake_into(awake);
        }
    }

    pub(crate) fn next_refusal(&mut self) -> Option<Refusal> {
        self.0.as_mut()?.refusals.pop_front()
    }

    /// Threads and tasks waiting for a refusal.
    pub(crate) fn refusal_waiters(&mut self) -> Option<&mut Waiters> {
        Some(&mut self.0.as_mut()?.waiters)
    }
}

/// The fault of two ends that cannot agree on protection, by the cause in the ABORT (§4.3).
pub(crate) const fn fault_of(cause: u16) -> Option<Fault> {
    match cause {
        dtls::MISSING_SUPPORT => Some(Fault::Unprotected),
        dtls::NO_COMMON_METHOD | dtls::TIE_BREAKER_COLLISION | dtls::INCOMPATIBLE_ROLES => {
            Some(Fault::NotAgreed)
        }
        _ => None,
    }
}

impl Managers {
    fn add(&mut self, id: AssocId, names: Option<&Names>) -> &mut Managed {
        let names = names.unwrap_or(&self.names);
        self.managers.entry(id).or_insert_with(|| Managed {
            tls: Tls::new(Arc::clone(&self.settings), names),
            stage: Stage::Handshake {
                outbound_streams: 0,
                inbound_streams: 0,
            },
        })
    }

    fn handle(
        &mut self,
        now: Time,
        id: AssocId,
        assoc: Option<Assoc<'_>>,
        event: Event,
    ) -> Outcome {
        let Some(mut assoc) = assoc else {
            return Outcome::Pass(event);
        };
        let managed = self.add(id, None);
        if let Err(fault) = managed.tls.handle_event(now, &mut assoc, &event) {
            return Outcome::Fail(fault);
        }
        match (event, managed.stage) {
            (Event::Answered { .. }, _) => Outcome::Keep,
            (
                Event::Established {
                    outbound_streams,
                    inbound_streams,
                }
                | Event::StreamsChanged {
                    outbound_streams,
                    inbound_streams,
                },
                Stage::Handshake { .. },
            ) => {
                managed.stage = Stage::Handshake {
                    outbound_streams,
                    inbound_streams,
                };
                Outcome::Keep
            }
            (Event::Protection(ProtectionChange::Enforced), stage) => {
                managed.stage = Stage::Protected;
                match stage {
                    Stage::Handshake {
                        outbound_streams,
                        inbound_streams,
                    } => Outcome::Pass(Event::Established {
                        outbound_streams,
                        inbound_streams,
                    }),
                    Stage::Protected => Outcome::Keep,
                }
            }
            (Event::Protection(_), _) => Outcome::Keep,
            // There is nothing yet that could be restarted.
            (Event::Restarted, Stage::Handshake { .. }) => Outcome::Keep,
            (event, _) => Outcome::Pass(event),
        }
    }
}
