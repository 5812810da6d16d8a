//! The state of a socket as `poll` sees it.

use core::time::Duration;

use super::Stack;
use crate::abi::System;
use crate::socket::{Fate, Half, Kind, Room, Socket, Stage};
use crate::{ConnectState, Readiness, SocketId};

impl Stack {
    /// The state that `poll` sees.
    #[must_use]
    pub fn readiness(&self, id: SocketId) -> Readiness {
        let Ok(socket) = self.find(id) else {
            return Readiness::default();
        };
        let readable = match (socket.kind, socket.backlog) {
            (Kind::OneToOne, Some(_)) => socket.pending.len(),
            // A pending error counts: a read returns it.
            _ => {
                socket.inbox.len()
                    + usize::from(has_end(self.abi.system(), socket))
                    + usize::from(self.is_over(socket))
                    + usize::from(socket.error.is_some())
            }
        };
        let ended = !self.only_accepts(socket) && has_end(self.abi.system(), socket);
        Readiness {
            readable,
            writable: self.is_writable(socket),
            // A one-to-many socket can send to its other associations.
            connecting: socket.kind == Kind::OneToOne && socket.connect == ConnectState::InProgress,
            ended,
            hung_up: ended && (socket.writing == Half::Shut || socket.notices == Half::Shut),
            error: socket.error.filter(|_| !self.only_accepts(socket)),
        }
    }

    fn is_writable(&self, socket: &Socket) -> bool {
        let mut own = socket
            .assocs
            .iter()
            .filter_map(|number| self.assocs.get(number));
        match socket.kind {
            Kind::OneToMany => own.all(|assoc| assoc.room == Room::Free),
            _ if self.only_accepts(socket) => false,
            _ if socket.writing == Half::Shut || socket.error.is_some() => true,
            _ if matches!(
                socket.fate,
                Fate::Ended | Fate::EndedWaiting | Fate::Left | Fate::Lost
            ) || self.is_over(socket) =>
            {
                true
            }
            _ => own.any(|assoc| assoc.stage == Stage::Up && assoc.room == Room::Free),
        }
    }

    /// Whether a socket is only ready for `accept`, as a listening socket is on Linux.
    fn only_accepts(&self, socket: &Socket) -> bool {
        self.abi.system() == System::Linux && socket.only_listens()
    }

    /// Whether the socket's association was lost or could not be set up; on FreeBSD both halves
    /// then stay ready.
    fn is_over(&self, socket: &Socket) -> bool {
        let failed = matches!(socket.connect, ConnectState::Failed(_)) && socket.assocs.is_empty();
        self.abi.system() == System::FreeBsd
            && socket.kind != Kind::OneToMany
            && (socket.fate == Fate::Lost || socket.fate == Fate::None && failed)
    }

    /// The longest time that `close` may wait for pending data (`SO_LINGER`); `None` for no
    /// waiting.
    #[must_use]
    pub fn linger(&self, id: SocketId) -> Option<Duration> {
        let (on, seconds) = self.find(id).ok()?.own.linger;
        (on != 0 && seconds > 0).then(|| Duration::from_secs(seconds.into()))
    }

    /// Receive and send timeouts (`SO_RCVTIMEO`, `SO_SNDTIMEO`); `None` for no limit.
    #[must_use]
    pub fn patience(&self, id: SocketId) -> (Option<Duration>, Option<Duration>) {
        let Ok(socket) = self.find(id) else {
            return (None, None);
        };
        let bound = |time: Duration| Some(time).filter(|time| !time.is_zero());
        (
            bound(socket.own.receive_timeout),
            bound(socket.own.send_timeout),
        )
    }
}

/// Whether end of stream can be read.
pub(super) fn has_end(system: System, socket: &Socket) -> bool {
    let ends = match (system, socket.kind) {
        // Linux shows no end of stream if the program itself has ended the association, so that
        // `poll` waits without limit. Here it is an end, as on FreeBSD.
        (System::Linux, Kind::OneToOne) => matches!(
            socket.fate,
            Fate::HalfClosed | Fate::Ended | Fate::EndedWaiting | Fate::Left
        ),
        // FreeBSD shows end of stream only once the association is gone.
        (System::FreeBsd, Kind::OneToOne | Kind::PeeledOff) => {
            matches!(socket.fate, Fate::Ended | Fate::EndedWaiting | Fate::Left)
        }
        _ => false,
    };
    socket.reading == Half::Shut || ends
}
