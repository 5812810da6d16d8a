use alloc::boxed::Box;

use super::opening::Opening;
use super::packet_drop::DropReports;
use crate::address_changes::AddressDialogue;
use crate::authentication::Authenticator;
use crate::buffer_sizes::ReadRate;
use crate::group::{Group, Parts};
use crate::inbound::Damage;
use crate::marks::Marks;
use crate::reconfiguration::Dialogue;

/// What an association has while it is being opened, or for an extension.
#[derive(Debug, Default)]
pub(crate) struct Rare {
    /// What arrived damaged; made by the first.
    pub(crate) damage: Option<Box<Damage>>,
    /// What was reported of it; made by the first.
    pub(crate) drop_reports: Option<Box<DropReports>>,
    /// Where ECN is in use.
    pub(crate) marks: Option<Box<Marks>>,
    /// Where addresses can be added and deleted.
    pub(crate) address_changes: Option<Box<AddressDialogue>>,
    /// Where chunks are authenticated.
    pub(crate) authenticator: Option<Box<Authenticator>>,
    /// Where buffers follow it; made by the first read.
    pub(crate) read_rate: Option<Box<ReadRate>>,
    /// Where streams can be reset and added.
    pub(crate) dialogue: Option<Box<Dialogue>>,
    /// The handshake as the side that connects sees it; gone once established.
    pub(crate) opening: Option<Box<Opening>>,
}

impl Parts for Rare {
    const NONE: &'static Self = &Self {
        damage: None,
        drop_reports: None,
        marks: None,
        address_changes: None,
        authenticator: None,
        read_rate: None,
        dialogue: None,
        opening: None,
    };

    fn is_empty(&self) -> bool {
        self.damage.is_none()
            && self.drop_reports.is_none()
            && self.marks.is_none()
            && self.address_changes.is_none()
            && self.authenticator.is_none()
            && self.read_rate.is_none()
            && self.dialogue.is_none()
            && self.opening.is_none()
    }
}

impl Rare {
    /// Bytes on the heap of those parts that are there.
    pub(super) fn parts_footprint(&self) -> usize {
        const fn size<T>(part: &Option<Box<T>>) -> usize {
            if part.is_some() { size_of::<T>() } else { 0 }
        }
        let authenticator = self.authenticator.as_ref();
        size(&self.read_rate)
            + size(&self.dialogue)
            + authenticator.map_or(0, |found| found.footprint())
            + size(&self.address_changes)
            + size(&self.opening)
    }
}

impl Group<Rare> {
    #[inline]
    pub(crate) fn damage(&mut self) -> Option<&mut Damage> {
        self.part(|rare| &mut rare.damage)
    }

    #[inline]
    pub(crate) fn marks(&mut self) -> Option<&mut Marks> {
        self.part(|rare| &mut rare.marks)
    }

    #[inline]
    pub(crate) fn address_changes(&mut self) -> Option<&mut AddressDialogue> {
        self.part(|rare| &mut rare.address_changes)
    }

    #[inline]
    pub(crate) fn authenticator(&mut self) -> Option<&mut Authenticator> {
        self.part(|rare| &mut rare.authenticator)
    }

    #[inline]
    pub(crate) fn dialogue(&mut self) -> Option<&mut Dialogue> {
        self.part(|rare| &mut rare.dialogue)
    }

    #[inline]
    pub(crate) fn opening(&mut self) -> Option<&mut Opening> {
        self.part(|rare| &mut rare.opening)
    }
}
