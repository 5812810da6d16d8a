//! Stand-in for key management in a build without the feature `secure`: no packet is protected.

use std::task::Waker;

use sheave_engine::{AssocId, Endpoint, Event, OptionError, Options, Time};

use crate::Config;
use crate::error::without_keys;

#[derive(Default)]
pub(crate) struct Keys {}

/// Uninhabited: nothing can fail.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {}

pub(crate) struct Refusal {
    pub(crate) fault: Fault,
}

pub(crate) enum KeyProgress {
    Event(AssocId, Event),
    #[expect(dead_code, reason = "nobody is refused")]
    Refused(Option<AssocId>, Refusal),
    #[expect(dead_code, reason = "there are no keys to lose")]
    Lost(AssocId, Refusal),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

impl Keys {
    pub(crate) fn new(_: &Config) -> Self {
        Self {}
    }

    pub(crate) fn fit(&self, options: Options) -> Result<Options, OptionError> {
        without_keys(options)
    }

    pub(crate) fn poll_event(&mut self, _: Time, engine: &mut Endpoint) -> Option<KeyProgress> {
        let (id, event) = engine.poll_event()?;
        Some(KeyProgress::Event(id, event))
    }

    pub(crate) fn refuse(&mut self, _: Refusal, _: &mut Vec<Waker>) {}

    pub(crate) fn close(&mut self, _: &mut Vec<Waker>) {}
}
