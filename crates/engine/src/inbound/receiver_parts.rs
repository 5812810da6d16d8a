use alloc::boxed::Box;

use super::interleaved::Interleaved;
use super::skip::Skipping;
use crate::group::{Group, Parts};

/// Receiver state that only extensions need.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceiverParts {
    /// Replaces assembly and backlog where I-DATA is in use.
    pub(super) interleaved: Option<Box<Interleaved>>,
    /// State for abandoned messages, where the peer may abandon messages.
    pub(super) skipping: Option<Box<Skipping>>,
}

impl Parts for ReceiverParts {
    const NONE: &'static Self = &Self {
        interleaved: None,
        skipping: None,
    };

    fn is_empty(&self) -> bool {
        self.interleaved.is_none() && self.skipping.is_none()
    }
}

impl Group<ReceiverParts> {
    #[inline]
    pub(super) fn interleaved(&mut self) -> Option<&mut Interleaved> {
        self.part(|extensions| &mut extensions.interleaved)
    }

    #[inline]
    pub(super) fn skipping(&mut self) -> Option<&mut Skipping> {
        self.part(|extensions| &mut extensions.skipping)
    }
}
