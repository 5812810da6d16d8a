use alloc::boxed::Box;

use super::interleaved::Interleaved;
use super::skip::Skipping;
use crate::group::{Group, Parts};

/// What a receiver has for an extension.
#[derive(Debug, Default)]
pub(super) struct Rare {
    /// In place of assembly and backlog, where I-DATA is in use.
    pub(super) interleaved: Option<Box<Interleaved>>,
    /// Where the peer may give messages up.
    pub(super) skipping: Option<Box<Skipping>>,
}

impl Parts for Rare {
    const NONE: &'static Self = &Self {
        interleaved: None,
        skipping: None,
    };

    fn is_empty(&self) -> bool {
        self.interleaved.is_none() && self.skipping.is_none()
    }
}

impl Group<Rare> {
    #[inline]
    pub(super) fn interleaved(&mut self) -> Option<&mut Interleaved> {
        self.part(|rare| &mut rare.interleaved)
    }

    #[inline]
    pub(super) fn skipping(&mut self) -> Option<&mut Skipping> {
        self.part(|rare| &mut rare.skipping)
    }
}
