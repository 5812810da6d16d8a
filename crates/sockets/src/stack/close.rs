//! The end of sockets and their associations (RFC 6458 §3.1.5, §4.1.6, §4.1.7).

use bytes::Bytes;
use core::time::Duration;
use sheave_engine::Time;

use super::Stack;
use crate::abi::System;
use crate::association::{Association, Farewell};
use crate::socket::{Half, Kind, Scope, Socket};
use crate::{AssocId32, Errno, How, SocketId};

/// The shortest limit: an association that is new or used meanwhile is due no earlier.
const SHORTEST: Duration = Duration::from_secs(1);

impl Stack {
    /// Closes halves of a one-to-one socket (RFC 6458 §4.1.7).
    ///
    /// # Errors
    /// The errors of `shutdown`.
    pub fn shutdown(&mut self, now: Time, id: SocketId, how: How) -> Result<(), Errno> {
        let (system, socket) = (self.profile.system(), self.sockets.find(id)?);
        let scope = socket.scope_of_shutdown(system, how)?;
        let outcome = match scope {
            Scope::Nothing => return Ok(()),
            Scope::Reading(outcome) => outcome,
            Scope::Halves => Ok(()),
        };
        // A half that is already shut stays shut without another report.
        let reads = matches!(how, How::Read | How::Both) && socket.reading != Half::Shut;
        let writes = scope == Scope::Halves
            && matches!(how, How::Write | How::Both)
            && socket.writing != Half::Shut;
        if reads {
            // Queued messages stay readable.
            while let Some(place) = self.sockets.find(id)?.inbox.first_mark() {
                self.load(now, id, place);
            }
            self.sockets.find_mut(id)?.reading = Half::Shut;
        }
        let socket = self.sockets.find_mut(id)?;
        if writes {
            socket.writing = Half::Shut;
            if let Some(number) = socket.only_assoc() {
                self.end(now, number, Farewell::Graceful, Bytes::new());
            }
        }
        let socket = self.sockets.find_mut(id)?;
        // Linux shows it to `poll`, though messages may still be sent.
        if socket.sends_on(system) && how == How::Write {
            socket.writing = Half::Shut;
        }
        let shut = socket.reading == Half::Shut && socket.writing == Half::Shut;
        if system == System::Linux && (shut || how == How::Both) {
            socket.notices = Half::Shut;
        }
        if socket.has_stopped() {
            self.listen_anew(id)?;
        }
        if reads || writes {
            self.changes.touch(id);
        }
        outcome
    }

    /// Closes a socket (RFC 6458 §3.1.5, §4.1.6). Its associations shut down gracefully in the
    /// background, or abort if `SO_LINGER` is 0 seconds or unread messages remain.
    pub fn close(&mut self, now: Time, id: SocketId) {
        let Some(mut socket) = self.sockets.remove(id) else {
            return;
        };
        self.transport.stop_listening(&mut socket);
        for waiting in socket.pending.drain(..) {
            self.close(now, waiting);
        }
        let abortive = socket.own.linger.0 != 0 && socket.own.linger.1 == 0;
        for number in core::mem::take(&mut socket.assocs) {
            if let Some(association) = self.associations.get_mut(number) {
                association.owner = None;
            }
            let farewell = if abortive || socket.inbox.has_messages_of(number) {
                Farewell::Abortive
            } else {
                Farewell::Graceful
            };
            self.end(now, number, farewell, Bytes::new());
        }
        self.changes.forget(id);
    }

    pub(super) fn end(&mut self, now: Time, number: AssocId32, farewell: Farewell, reason: Bytes) {
        if let Some(mut attached) = self.attached(number) {
            attached.end(now, farewell, reason);
            self.digest(now);
        }
    }

    /// Shuts down associations that were idle for their socket's limit (RFC 6458 §8.1.8).
    pub(super) fn close_idle(&mut self, now: Time) {
        if self.sockets.next_look.is_none_or(|at| now < at) {
            return;
        }
        let closes = |(_, socket): (_, &Socket)| socket.own.auto_close > 0;
        let is_used = self.sockets.all().any(closes);
        let (idle, busy): (Vec<_>, Vec<_>) = self.auto_closes().partition(|(_, due)| *due <= now);
        let dues = busy.iter().map(|(_, due)| *due);
        self.sockets.next_look = is_used.then(|| dues.fold(now + SHORTEST, Time::min));
        for (number, _) in idle {
            if let Some(association) = self.associations.get_mut(number) {
                association.used_at = now;
            }
            self.end(now, number, Farewell::Graceful, Bytes::new());
        }
    }

    /// The associations that their sockets close when idle, and when.
    fn auto_closes(&self) -> impl Iterator<Item = (AssocId32, Time)> {
        let due = |found: &Association| {
            let socket = self.sockets.find(found.owner?).ok()?;
            let open = found.is_up() && socket.kind == Kind::OneToMany;
            let seconds = Some(socket.own.auto_close).filter(|seconds| open && *seconds > 0)?;
            Some(found.used_at + Duration::from_secs(seconds.into()))
        };
        let all = self.associations.all();
        all.filter_map(move |(number, found)| Some((number, due(found)?)))
    }
}
