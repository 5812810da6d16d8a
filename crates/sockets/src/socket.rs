//! The state of a socket.

mod binding;
mod names;
mod readiness;

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeSet, VecDeque};

use sheave_engine::CloseReason;

pub(crate) use self::binding::{Binding, Unbound};
use crate::abi::System;
use crate::association::Stage;
use crate::inbox::Inbox;
use crate::settings::{AssocSettings, SocketSettings};
use crate::{AssocId32, ConnectState, Domain, Errno, How, SocketId};

/// The kind of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    OneToOne,
    OneToMany,
    /// Peeled off a one-to-many socket: has one association but keeps much of the one-to-many
    /// style.
    PeeledOff,
}

/// State of a one-to-one socket's association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// No association yet.
    None,
    Alive,
    /// The peer has shut down its sending side.
    HalfClosed,
    /// Gone after the peer's shutdown.
    Ended,
    /// Like `Ended`, but before the socket was accepted: Linux keeps such an association.
    EndedWaiting,
    /// Gone after the program's shutdown.
    Left,
    /// Gone after an error.
    Lost,
}

/// Whether a half of a connection is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Open,
    Shut,
}

/// The holder of the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// In the accept queue of this listening socket.
    Waiting(SocketId),
    ByProgram,
}

/// The effect of `shutdown` on a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Halves,
    /// Shuts only the reading half, or accepting on a listening socket, and returns this result.
    Reading(Result<(), Errno>),
    Nothing,
}

/// A socket of a program.
#[derive(Clone, Debug)]
pub struct Socket {
    pub(crate) domain: Domain,
    pub(crate) kind: Kind,
    pub(crate) held: Held,
    pub(crate) own: SocketSettings,
    pub(crate) defaults: AssocSettings,
    pub(crate) binding: Option<Binding>,
    pub(crate) backlog: Option<u32>,
    /// The port and addresses last passed to the engine for listening.
    pub(crate) listens_at: Option<(u16, Vec<IpAddr>)>,
    pub(crate) pending: VecDeque<SocketId>,
    pub(crate) assocs: BTreeSet<AssocId32>,
    /// Associations whose send buffers have refused a message for lack of room.
    pub(crate) full: BTreeSet<AssocId32>,
    pub(crate) inbox: Inbox,
    pub(crate) reading: Half,
    pub(crate) writing: Half,
    /// Whether notifications are still delivered.
    pub(crate) notices: Half,
    pub(crate) error: Option<Errno>,
    /// The error of a connection attempt that continues anyway; only `SO_ERROR` returns it.
    pub(crate) soft_error: Option<Errno>,
    pub(crate) connect: ConnectState,
    pub(crate) fate: Fate,
    /// Number of associations that ended gracefully.
    pub(crate) ended: u32,
    /// The peer of the current or last association.
    pub(crate) peer: Option<SocketAddr>,
    /// The first source address of the first association.
    pub(crate) source: Option<IpAddr>,
}

impl Socket {
    pub(crate) fn new(
        domain: Domain,
        kind: Kind,
        own: SocketSettings,
        defaults: AssocSettings,
    ) -> Self {
        Self {
            domain,
            kind,
            held: Held::ByProgram,
            own,
            defaults,
            binding: None,
            backlog: None,
            listens_at: None,
            pending: VecDeque::new(),
            assocs: BTreeSet::new(),
            full: BTreeSet::new(),
            inbox: Inbox::default(),
            reading: Half::Open,
            writing: Half::Open,
            notices: Half::Open,
            error: None,
            soft_error: None,
            connect: ConnectState::Idle,
            fate: Fate::None,
            ended: 0,
            peer: None,
            source: None,
        }
    }

    /// Whether the socket only accepts associations and has none itself.
    pub(crate) fn only_listens(&self) -> bool {
        self.kind == Kind::OneToOne && self.backlog.is_some()
    }

    /// Whether the program has shut down this listening socket, so that it accepts no more
    /// associations.
    pub(crate) fn has_stopped(&self) -> bool {
        self.only_listens() && self.reading == Half::Shut
    }

    /// A new socket for one association of this socket.
    pub(crate) fn offspring(&self, kind: Kind) -> Self {
        let mut socket = Self::new(self.domain, kind, self.own.clone(), self.defaults.clone());
        socket.binding.clone_from(&self.binding);
        socket
    }

    /// The effect of `shutdown` on this socket.
    pub(crate) fn scope_of_shutdown(&self, system: System, how: How) -> Result<Scope, Errno> {
        let listens = self.backlog.is_some();
        match (system, self.kind, self.fate) {
            (System::Linux, ..) if listens && how == How::Write => Ok(Scope::Nothing),
            // Since Linux 6.11: wakes callers of `accept`.
            (System::Linux, Kind::OneToOne, _) if listens => Ok(Scope::Reading(Ok(()))),
            (System::Linux, ..) if listens => Err(Errno::EOPNOTSUPP),
            // No more data is received afterwards.
            (System::Linux, Kind::OneToMany, _) | (System::Linux, Kind::OneToOne, Fate::None) => {
                Ok(Scope::Reading(Err(Errno::ENOTCONN)))
            }
            // The association goes on.
            (System::Linux, Kind::PeeledOff, _) => Ok(Scope::Reading(Ok(()))),
            (System::FreeBsd, Kind::OneToMany, _) if how == How::Read => Ok(Scope::Nothing),
            (System::FreeBsd, Kind::OneToMany, _) => Err(Errno::EOPNOTSUPP),
            (System::Linux, ..) => Ok(Scope::Halves),
            (System::FreeBsd, ..) if !self.assocs.is_empty() => Ok(Scope::Halves),
            (System::FreeBsd, ..) if how == How::Read => Ok(Scope::Nothing),
            (System::FreeBsd, ..) => Err(Errno::ENOTCONN),
        }
    }

    /// Whether messages may be sent once the writing half is shut.
    pub(crate) fn sends_on(&self, system: System) -> bool {
        match self.kind {
            Kind::OneToMany => true,
            Kind::PeeledOff => system == System::Linux,
            Kind::OneToOne => false,
        }
    }

    /// The association of a socket that has exactly one.
    pub(crate) fn only_assoc(&self) -> Option<AssocId32> {
        self.assocs
            .first()
            .copied()
            .filter(|_| self.kind != Kind::OneToMany)
    }

    /// Notes the end of an association.
    pub(crate) fn on_end(&mut self, number: AssocId32, stage: Stage, reason: &CloseReason) {
        let error = error(stage, reason);
        self.assocs.remove(&number);
        self.full.remove(&number);
        self.soft_error = None;
        if stage == Stage::Opening {
            self.connect = ConnectState::Failed(error.unwrap_or(Errno::ECONNREFUSED));
        }
        if (stage, error) == (Stage::Up, None) {
            self.ended += 1;
        }
        match (self.kind, stage, error) {
            (Kind::OneToMany, ..) => {}
            // The socket may connect again.
            (_, Stage::Opening, error) => self.error = error,
            (_, Stage::Up, None) if self.fate == Fate::Alive => self.fate = Fate::Left,
            (_, Stage::Up, None) => {
                self.fate = match self.held {
                    Held::Waiting(_) => Fate::EndedWaiting,
                    _ => Fate::Ended,
                }
            }
            (_, Stage::Up, error) => {
                // The end of the peer's data outlasts the association.
                if self.fate == Fate::HalfClosed {
                    self.reading = Half::Shut;
                }
                self.fate = Fate::Lost;
                self.error = error;
            }
        }
    }
}

/// The socket error for the end of an association.
const fn error(stage: Stage, reason: &CloseReason) -> Option<Errno> {
    match (stage, reason) {
        (_, CloseReason::Graceful) => None,
        (_, CloseReason::TimedOut) => Some(Errno::ETIMEDOUT),
        (Stage::Opening, _) => Some(Errno::ECONNREFUSED),
        (Stage::Up, CloseReason::AbortedByPeer { .. } | CloseReason::NoSuchProtocol) => {
            Some(Errno::ECONNRESET)
        }
        (Stage::Up, _) => Some(Errno::ECONNABORTED),
    }
}
