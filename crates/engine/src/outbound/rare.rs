use alloc::boxed::Box;

use super::acked::AckedRanges;
use super::concurrent::Lanes;
use super::corrupted::Corrupted;
use super::interleaved::Mids;
use super::partial::Partial;
use super::preferences::Preferences;
use super::rack::Rack;
use crate::group::{Group, Parts};

/// What a sender has for an extension, or by choice.
#[derive(Debug, Default)]
pub(super) struct Rare {
    /// In place of miss indications, where it was chosen.
    pub(super) rack: Option<Box<Rack>>,
    /// Where new data leaves on several paths.
    pub(super) lanes: Option<Box<Lanes>>,
    /// What the peer will never drop of what it has; where it says so.
    pub(super) released: Option<Box<AckedRanges>>,
    /// Made by the first report.
    pub(super) corrupted: Option<Box<Corrupted>>,
    /// Made by the first message that may be given up.
    pub(super) partial: Option<Box<Partial>>,
    /// In place of SSNs, where I-DATA is in use.
    pub(super) mids: Option<Box<Mids>>,
    /// Made by the first choice about a stream.
    pub(super) preferences: Option<Box<Preferences>>,
}

impl Parts for Rare {
    const NONE: &'static Self = &Self {
        rack: None,
        lanes: None,
        released: None,
        corrupted: None,
        partial: None,
        mids: None,
        preferences: None,
    };

    fn is_empty(&self) -> bool {
        self.rack.is_none()
            && self.lanes.is_none()
            && self.released.is_none()
            && self.corrupted.is_none()
            && self.partial.is_none()
            && self.mids.is_none()
            && self.preferences.is_none()
    }
}

impl Group<Rare> {
    #[inline]
    pub(super) fn rack(&mut self) -> Option<&mut Rack> {
        self.part(|rare| &mut rare.rack)
    }

    #[inline]
    pub(super) fn lanes(&mut self) -> Option<&mut Lanes> {
        self.part(|rare| &mut rare.lanes)
    }

    #[inline]
    pub(super) fn partial(&mut self) -> Option<&mut Partial> {
        self.part(|rare| &mut rare.partial)
    }

    #[inline]
    pub(super) fn mids(&mut self) -> Option<&mut Mids> {
        self.part(|rare| &mut rare.mids)
    }
}
