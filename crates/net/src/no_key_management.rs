//! Stand-in for key management in a build without the feature `secure`: no packet is protected.

use std::task::Waker;

use sheave_engine::{Assoc, AssocId, CloseReason, Event, Options, PeerAddress, Time};

use crate::Config;

#[derive(Default)]
pub(crate) struct KeyManagement;

/// Uninhabited: nothing can fail.
#[derive(Clone, Debug)]
pub(crate) enum Fault {}

pub(crate) struct Refusal {
    #[expect(dead_code, reason = "nobody is refused")]
    pub(crate) peer: Option<PeerAddress>,
    #[expect(dead_code, reason = "nobody is refused")]
    pub(crate) fault: Fault,
}

pub(crate) enum Outcome {
    Pass(Event),
    #[expect(dead_code, reason = "every event is the application's")]
    Keep,
    #[expect(dead_code, reason = "nothing can fail")]
    Fail(Fault),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

/// Nothing is refused for lack of protection.
pub(crate) const fn fault_of(_: u16) -> Option<Fault> {
    None
}

impl KeyManagement {
    pub(crate) fn new(_: &Config) -> Self {
        Self
    }

    pub(crate) fn fit(&self, options: Options) -> Options {
        options
    }

    pub(crate) const fn is_on(&self) -> bool {
        false
    }

    pub(crate) fn handle(
        &mut self,
        _: Time,
        _: AssocId,
        _: Option<Assoc<'_>>,
        event: Event,
    ) -> Outcome {
        Outcome::Pass(event)
    }

    pub(crate) fn remove(&mut self, _: AssocId, _: &CloseReason) -> Option<Fault> {
        None
    }

    pub(crate) fn refuse(&mut self, _: Refusal, _: &mut Vec<Waker>) {}

    pub(crate) fn close(&mut self, _: &mut Vec<Waker>) {}
}
