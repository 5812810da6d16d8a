//! The end of sockets and their associations (RFC 6458 §3.1.5, §4.1.6, §4.1.7).

use bytes::Bytes;
use core::time::Duration;
use sheave_engine::Time;

use super::Stack;
use crate::abi::System;
use crate::socket::{Fate, Half, Kind, Socket, Stage};
use crate::{AssocId32, Errno, How, SocketId};

/// The kind of end of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Farewell {
    Graceful,
    Abortive,
}

/// The effect of `shutdown` on a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Halves,
    /// Shuts only the reading half, or accepting on a listening socket, and returns this result.
    Reading(Result<(), Errno>),
    Nothing,
}

impl Stack {
    /// Closes halves of a one-to-one socket (RFC 6458 §4.1.7).
    ///
    /// # Errors
    /// The errors of `shutdown`.
    pub fn shutdown(&mut self, now: Time, id: SocketId, how: How) -> Result<(), Errno> {
        let scope = self.scope_of_shutdown(self.find(id)?, how)?;
        let outcome = match scope {
            Scope::Nothing => return Ok(()),
            Scope::Reading(outcome) => outcome,
            Scope::Halves => Ok(()),
        };
        let is_linux = self.abi.system() == System::Linux;
        let socket = self.find(id)?;
        // A half that is already shut stays shut without another report.
        let reads = matches!(how, How::Read | How::Both) && socket.reading != Half::Shut;
        let writes = scope == Scope::Halves
            && matches!(how, How::Write | How::Both)
            && socket.writing != Half::Shut;
        if reads {
            // Queued messages stay readable.
            self.load_all(now, id);
            self.find_mut(id)?.reading = Half::Shut;
        }
        let socket = self.find_mut(id)?;
        if writes {
            socket.writing = Half::Shut;
            if let Some(number) = socket.only_assoc() {
                self.end(now, number, Farewell::Graceful, Bytes::new());
            }
        }
        let socket = self.find_mut(id)?;
        let shut = socket.reading == Half::Shut && socket.writing == Half::Shut;
        if is_linux && (shut || how == How::Both) {
            socket.notices = Half::Shut;
        }
        if socket.has_stopped() {
            self.listen_anew(id)?;
        }
        if reads || writes {
            self.touch(id);
        }
        outcome
    }

    fn scope_of_shutdown(&self, socket: &Socket, how: How) -> Result<Scope, Errno> {
        let listens = socket.backlog.is_some();
        match (self.abi.system(), socket.kind, socket.fate) {
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
            (System::FreeBsd, ..) if !socket.assocs.is_empty() => Ok(Scope::Halves),
            (System::FreeBsd, ..) if how == How::Read => Ok(Scope::Nothing),
            (System::FreeBsd, ..) => Err(Errno::ENOTCONN),
        }
    }

    /// Closes a socket (RFC 6458 §3.1.5, §4.1.6). Its associations shut down gracefully in the
    /// background, or abort if `SO_LINGER` is 0 seconds or unread messages remain.
    pub fn close(&mut self, now: Time, id: SocketId) {
        let Some(mut socket) = self.sockets.remove(&id) else {
            return;
        };
        if let Some((port, addresses)) = socket.listens_at.take() {
            self.endpoint.stop_listening_on(port, &addresses);
        }
        for waiting in socket.pending.drain(..) {
            self.close(now, waiting);
        }
        let abortive = socket.own.linger.0 != 0 && socket.own.linger.1 == 0;
        for number in core::mem::take(&mut socket.assocs) {
            if let Some(association) = self.assocs.get_mut(&number) {
                association.owner = None;
            }
            let farewell = if abortive || socket.inbox.has_messages_of(number) {
                Farewell::Abortive
            } else {
                Farewell::Graceful
            };
            self.end(now, number, farewell, Bytes::new());
        }
        self.is_changed.remove(&id);
        self.changed.retain(|other| *other != id);
    }

    pub(super) fn end(&mut self, now: Time, number: AssocId32, farewell: Farewell, reason: Bytes) {
        let Some(association) = self.assocs.get(&number) else {
            return;
        };
        if let Some(mut assoc) = self.endpoint.assoc(association.engine) {
            match (farewell, association.stage) {
                (Farewell::Abortive, _) => assoc.abort(now, reason),
                // Does nothing if a shutdown is already in progress.
                (Farewell::Graceful, _) => {
                    let _ = assoc.shutdown(now);
                }
            }
        }
        self.digest(now);
    }

    /// Shuts down associations that were idle for their socket's limit (RFC 6458 §8.1.8).
    pub(super) fn close_idle(&mut self, now: Time) {
        let due = |number: &AssocId32| self.auto_close_of(*number).is_some_and(|due| due <= now);
        let idle: Vec<AssocId32> = self.assocs.keys().copied().filter(due).collect();
        for number in idle {
            if let Some(association) = self.assocs.get_mut(&number) {
                association.used_at = now;
            }
            self.end(now, number, Farewell::Graceful, Bytes::new());
        }
    }

    pub(super) fn next_auto_close(&self) -> Option<Time> {
        let mut sockets = self.sockets.values();
        if !sockets.any(|socket| socket.own.auto_close > 0) {
            return None;
        }
        self.assocs
            .keys()
            .filter_map(|number| self.auto_close_of(*number))
            .min()
    }

    fn auto_close_of(&self, number: AssocId32) -> Option<Time> {
        let association = self.assocs.get(&number)?;
        let socket = self.sockets.get(&association.owner?)?;
        let open = association.stage == Stage::Up && socket.kind == Kind::OneToMany;
        let seconds = Some(socket.own.auto_close).filter(|seconds| open && *seconds > 0)?;
        Some(association.used_at + Duration::from_secs(seconds.into()))
    }
}
