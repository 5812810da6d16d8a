//! The extensions of an association: state, rules and handlers, in a file or folder each.

pub(crate) mod address_changes;
pub(crate) mod authentication;
pub(crate) mod chunk_checksum;
mod ecn;
mod error_warning;
mod interleaving;
mod multipath;
mod nr_sack;
mod packet_drop;
mod partial;
mod path_mtu;
mod potentially_failed;
pub(crate) mod protection;
mod rack;
pub(crate) mod reconfiguration;
mod zero_checksum;

use alloc::boxed::Box;
use core::net::IpAddr;

use sheave_wire::ChunkType;

use self::address_changes::{AddressDialogue, GoneAddresses};
use self::authentication::Authenticator;
use self::chunk_checksum::Damage;
use self::ecn::Marks;
use self::packet_drop::DropReports;
use self::protection::{Cover, Shield};
use self::reconfiguration::Dialogue;
use super::chunk_counts::RareCounts;
use super::control::Control;
use super::failover::Silence;
use super::handshake::Handshake;
use super::stale_data::StaleData;
use crate::buffer_sizes::ReadRate;
use crate::group::{Group, Parts};
use crate::value::protection::KeyParameters;
use crate::{Message, Options, Phase};

/// State needed only during the handshake or by an extension.
#[derive(Clone, Debug, Default)]
pub(crate) struct AssocExtensions {
    /// Damaged chunks; created by the first one.
    pub(crate) damage: Option<Box<Damage>>,
    /// Reports of damaged packets; created by the first one.
    pub(crate) drop_reports: Option<Box<DropReports>>,
    /// ECN state, if ECN is in use.
    pub(crate) marks: Option<Box<Marks>>,
    /// Address change requests, if addresses can be changed.
    pub(crate) address_changes: Option<Box<AddressDialogue>>,
    /// Addresses that the peer removed, which the endpoint must forget.
    pub(crate) gone: Option<Box<GoneAddresses>>,
    /// Keys and chunk lists, if chunks are authenticated.
    pub(crate) authenticator: Option<Box<Authenticator>>,
    /// Keys and their state, if packets are protected.
    pub(crate) shield: Option<Box<Shield>>,
    /// The user's reading rate, if buffer sizes depend on it; created by the first read.
    pub(crate) read_rate: Option<Box<ReadRate>>,
    /// Reconfiguration requests, if streams can be reset and added.
    pub(crate) dialogue: Option<Box<Dialogue>>,
    /// State for detecting a silent peer, while an answer is due.
    pub(crate) silence: Option<Box<Silence>>,
    /// Counts of rare chunk kinds; created by the first one.
    pub(crate) rare_counts: Option<Box<RareCounts>>,
    /// Handshake state of the connecting side, until established.
    pub(crate) handshake: Option<Box<Handshake>>,
}

impl Parts for AssocExtensions {
    const NONE: &'static Self = &Self {
        damage: None,
        drop_reports: None,
        marks: None,
        address_changes: None,
        gone: None,
        authenticator: None,
        shield: None,
        read_rate: None,
        dialogue: None,
        silence: None,
        rare_counts: None,
        handshake: None,
    };

    fn is_empty(&self) -> bool {
        self.damage.is_none()
            && self.drop_reports.is_none()
            && self.marks.is_none()
            && self.address_changes.is_none()
            && self.gone.is_none()
            && self.authenticator.is_none()
            && self.shield.is_none()
            && self.read_rate.is_none()
            && self.dialogue.is_none()
            && self.silence.is_none()
            && self.rare_counts.is_none()
            && self.handshake.is_none()
    }
}

impl AssocExtensions {
    /// Heap bytes of the allocated parts.
    pub(super) fn parts_footprint(&self) -> usize {
        const fn size<T>(part: &Option<Box<T>>) -> usize {
            if part.is_some() { size_of::<T>() } else { 0 }
        }
        let authenticator = self.authenticator.as_ref();
        size(&self.read_rate)
            + size(&self.dialogue)
            + authenticator.map_or(0, |found| found.footprint())
            + self.shield.as_ref().map_or(0, |shield| shield.footprint())
            + size(&self.address_changes)
            + size(&self.silence)
            + size(&self.rare_counts)
            + size(&self.handshake)
    }
}

impl Group<AssocExtensions> {
    #[inline]
    pub(crate) fn damage(&mut self) -> Option<&mut Damage> {
        self.part(|extensions| &mut extensions.damage)
    }

    #[inline]
    pub(crate) fn marks(&mut self) -> Option<&mut Marks> {
        self.part(|extensions| &mut extensions.marks)
    }

    #[inline]
    pub(crate) fn address_changes(&mut self) -> Option<&mut AddressDialogue> {
        self.part(|extensions| &mut extensions.address_changes)
    }

    /// Takes an address that the peer removed and that the endpoint still routes to this
    /// association.
    pub(crate) fn take_gone_address(&mut self) -> Option<IpAddr> {
        let gone = self.part(|extensions| &mut extensions.gone)?;
        let first = gone.0.pop_front();
        if gone.0.is_empty() {
            self.take(|extensions| &mut extensions.gone);
        }
        first
    }

    /// Takes the note of data that left with a stale cookie.
    pub(super) fn take_stale_data(&mut self) -> Option<StaleData> {
        self.handshake()?.stale_data.take()
    }

    #[inline]
    pub(crate) fn authenticator(&mut self) -> Option<&mut Authenticator> {
        self.part(|extensions| &mut extensions.authenticator)
    }

    /// The protection of a packet that begins with this control chunk, if any.
    pub(super) fn cover(&self, begins: Option<&Control>) -> Cover {
        let shield = self.get(|extensions| &extensions.shield);
        match (shield, begins) {
            (None, _) | (_, Some(Control::Init)) => Cover::NONE,
            (Some(shield), Some(Control::CookieAck)) => shield.cover_of_cookie_ack(),
            (Some(shield), _) => shield.cover(),
        }
    }

    #[inline]
    pub(crate) fn shield(&mut self) -> Option<&mut Shield> {
        self.part(|extensions| &mut extensions.shield)
    }

    /// Whether users' data and requests have to wait for protection. Restart keys are none before the
    /// association is established: they are given up where the peer does not hear them.
    pub(super) fn awaits_protection(&self, phase: Phase) -> bool {
        let shield = self.get(|extensions| &extensions.shield);
        shield.is_some_and(|shield| phase < Phase::Established || !shield.is_enforced())
    }

    /// Whether a reset has to wait: for protection, and until the peer, which denies one before it has the keys, could
    /// be understood.
    pub(super) fn delays_reset(&self, phase: Phase) -> bool {
        let shield = self.get(|extensions| &extensions.shield);
        self.awaits_protection(phase) || shield.is_some_and(|shield| !shield.peer_seals())
    }

    /// The messages that are hidden from users: those of key managers.
    pub(super) fn hidden(&self) -> fn(&Message) -> bool {
        match self.get(|extensions| &extensions.shield) {
            Some(_) => protection::is_for_key_managers,
            None => |_| false,
        }
    }

    /// Whether chunks of the type must be authenticated.
    pub(super) fn asks_proof_of(&self, chunk_type: ChunkType) -> bool {
        let authenticator = self.get(|extensions| &extensions.authenticator);
        authenticator.is_some_and(|authenticator| authenticator.asks_for(chunk_type))
    }

    /// Applies the negotiated protection, replacing the previous one; `None` if packets are not
    /// protected.
    pub(crate) fn renew_shield(&mut self, options: &Options, parameters: Option<&KeyParameters>) {
        let Some(parameters) = parameters else {
            self.take(|extensions| &mut extensions.shield);
            return;
        };
        let fresh = || Shield::new(parameters.ours.clone(), options);
        let shield = self.part_or_else(|extensions| &mut extensions.shield, fresh);
        shield.adopt(parameters);
    }

    #[inline]
    pub(crate) fn dialogue(&mut self) -> Option<&mut Dialogue> {
        self.part(|extensions| &mut extensions.dialogue)
    }

    #[inline]
    pub(crate) fn handshake(&mut self) -> Option<&mut Handshake> {
        self.part(|extensions| &mut extensions.handshake)
    }
}
