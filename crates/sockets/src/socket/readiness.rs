//! The state of a socket as `poll` and reads see it.

use core::time::Duration;

use bytes::Bytes;

use super::{Fate, Half, Kind, Socket};
use crate::abi::System;
use crate::associations::Associations;
use crate::calls::{Keep, Limits};
use crate::{Abi, ConnectState, Errno, Incoming, ReadToken, Readiness};

impl Socket {
    /// The longest time that `close` may wait for pending data (`SO_LINGER`); `None` for no
    /// waiting.
    #[must_use]
    pub fn linger(&self) -> Option<Duration> {
        let (on, seconds) = self.own.linger;
        (on != 0 && seconds > 0).then(|| Duration::from_secs(seconds.into()))
    }

    /// Receive and send timeouts (`SO_RCVTIMEO`, `SO_SNDTIMEO`); `None` for no limit.
    #[must_use]
    pub fn patience(&self) -> (Option<Duration>, Option<Duration>) {
        let bound = |time: Duration| Some(time).filter(|time| !time.is_zero());
        (
            bound(self.own.receive_timeout),
            bound(self.own.send_timeout),
        )
    }

    /// The state that `poll` sees.
    pub(crate) fn readiness(&self, system: System, associations: &Associations) -> Readiness {
        let readable = match (self.kind, self.backlog) {
            (Kind::OneToOne, Some(_)) => self.pending.len(),
            // A pending error counts: a read returns it.
            _ => {
                self.inbox.len()
                    + usize::from(self.has_end(system))
                    + usize::from(self.is_over(system))
                    + usize::from(self.error.is_some())
            }
        };
        let ended = !self.only_accepts(system) && self.has_end(system);
        Readiness {
            readable,
            writable: self.is_writable(system, associations),
            ended,
            hung_up: ended && (self.writing == Half::Shut || self.notices == Half::Shut),
            error: self.error.filter(|_| !self.only_accepts(system)),
        }
    }

    fn is_writable(&self, system: System, associations: &Associations) -> bool {
        match self.kind {
            Kind::OneToMany => self.full.is_empty(),
            _ if self.only_accepts(system) => false,
            _ if self.writing == Half::Shut || self.error.is_some() => true,
            _ if matches!(
                self.fate,
                Fate::Ended | Fate::EndedWaiting | Fate::Left | Fate::Lost
            ) || self.is_over(system) =>
            {
                true
            }
            _ => {
                let mut own = self.assocs.difference(&self.full);
                own.any(|number| associations.is_up(*number))
            }
        }
    }

    /// Whether a socket is only ready for `accept`, as a listening socket is on Linux.
    pub(crate) fn only_accepts(&self, system: System) -> bool {
        system == System::Linux && self.only_listens()
    }

    /// Whether the socket's association was lost or could not be set up; on FreeBSD both halves
    /// then stay ready.
    fn is_over(&self, system: System) -> bool {
        let failed = matches!(self.connect, ConnectState::Failed(_)) && self.assocs.is_empty();
        system == System::FreeBsd
            && self.kind != Kind::OneToMany
            && (self.fate == Fate::Lost || self.fate == Fate::None && failed)
    }

    /// Whether end of stream can be read.
    fn has_end(&self, system: System) -> bool {
        let ends = match (system, self.kind) {
            // Linux shows no end of stream if the program itself has ended the association, so that
            // `poll` waits without limit. Here it is an end, as on FreeBSD.
            (System::Linux, Kind::OneToOne) => matches!(
                self.fate,
                Fate::HalfClosed | Fate::Ended | Fate::EndedWaiting | Fate::Left
            ),
            // FreeBSD shows end of stream only once the association is gone.
            (System::FreeBsd, Kind::OneToOne | Kind::PeeledOff) => {
                matches!(self.fate, Fate::Ended | Fate::EndedWaiting | Fate::Left)
            }
            _ => false,
        };
        self.reading == Half::Shut || ends
    }

    /// The result of a read from an empty queue.
    pub(crate) fn nothing_to_read(&mut self, abi: Abi, limits: Limits) -> Result<Incoming, Errno> {
        let (flags, system) = (abi.message_flags(), abi.system());
        let waits = limits.flags & flags.dont_wait == 0;
        if let Some(error) = self.error {
            if system == System::Linux || limits.flags & flags.peek == 0 {
                self.error = None;
            }
            return Err(error);
        }
        // On Linux, a blocking read fails if the program itself has ended the association.
        let is_left = (self.fate, self.reading) == (Fate::Left, Half::Open);
        if system == System::Linux && is_left && waits {
            return Err(Errno::ENOTCONN);
        }
        if self.has_end(system) {
            let token = ReadToken {
                item: self.inbox.taken,
                offset: 0,
                length: 0,
                keep: Keep::Kept,
            };
            return Ok(Incoming {
                payload: Bytes::new(),
                name: None,
                control: Vec::new(),
                flags: 0,
                token,
            });
        }
        if system == System::FreeBsd {
            return Err(self.emptiness_of_free_bsd());
        }
        let hopeless = match self.kind {
            Kind::OneToMany => self.assocs.is_empty() && self.backlog.is_none(),
            Kind::OneToOne => matches!(self.fate, Fate::None | Fate::Lost),
            Kind::PeeledOff => matches!(self.fate, Fate::Ended | Fate::Left | Fate::Lost),
        };
        if hopeless && self.connect != ConnectState::InProgress && waits {
            return Err(Errno::ENOTCONN);
        }
        Err(Errno::EAGAIN)
    }

    /// FreeBSD's error for a read from an empty queue: without an association, even a non-blocking
    /// read reports that no data can come.
    const fn emptiness_of_free_bsd(&self) -> Errno {
        match (self.kind, self.fate, self.connect) {
            (Kind::OneToMany, ..) | (_, Fate::None, ConnectState::InProgress) => Errno::EAGAIN,
            (_, Fate::Lost, _) | (_, Fate::None, ConnectState::Failed(_)) => Errno::ECONNRESET,
            (_, Fate::None, _) => Errno::ENOTCONN,
            _ => Errno::EAGAIN,
        }
    }
}
