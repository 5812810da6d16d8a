//! Sending on an association, and ending it.

use bytes::Bytes;
use sheave_engine::{Message, SendError, SendOptions, Time};

use super::Attached;
use crate::abi::{Refusal, System};
use crate::association::Farewell;
use crate::request::Request;
use crate::{Abi, Errno};

/// FreeBSD's limit for the reason in an ABORT, bytes.
const LONGEST_REASON: usize = 1448;

impl Attached<'_> {
    pub(crate) fn check(
        &mut self,
        now: Time,
        message: &Message,
        options: &SendOptions,
    ) -> Result<(), Errno> {
        let abi = self.profile.abi;
        let mut assoc = self.engine().ok_or(Errno::EPIPE)?;
        let outcome = assoc.check_send(now, message, options);
        // A message refused again does not change readiness, which would make the caller retry
        // endlessly.
        if let Err(SendError::BufferFull(_)) = outcome
            && self.fill()
        {
            self.touch();
        }
        outcome.map_err(|error| errno(abi, &error))
    }

    pub(crate) fn send(
        &mut self,
        now: Time,
        message: Message,
        options: SendOptions,
    ) -> Result<(), Errno> {
        let (abi, length) = (self.profile.abi, message.payload.len());
        self.association.used_at = now;
        let mut assoc = self.engine().ok_or(Errno::EPIPE)?;
        let sent = assoc.send(now, message, options);
        sent.map_err(|error| errno(abi, &error))?;
        // On Linux, a socket is writable if the next message is accepted, whatever its size.
        if abi.system() == System::Linux && !assoc.has_room(length) && self.fill() {
            self.touch();
        }
        Ok(())
    }

    /// The send buffer has no room. Returns whether it had.
    fn fill(&mut self) -> bool {
        let socket = self.socket.as_mut();
        socket.is_some_and(|socket| socket.full.insert(self.number))
    }

    /// The send buffer has room again.
    pub(super) fn empty(&mut self) {
        if let Some(socket) = &mut self.socket {
            socket.full.remove(&self.number);
        }
    }

    /// Whether FreeBSD lets a message of this length end the association.
    pub(crate) fn check_end(
        &mut self,
        now: Time,
        farewell: Farewell,
        request: &Request,
        length: usize,
    ) -> Result<(), Errno> {
        let abi = self.profile.abi;
        if abi.system() != System::FreeBsd {
            return Ok(());
        }
        if farewell == Farewell::Abortive {
            return match (length > LONGEST_REASON, self.association.is_up()) {
                (true, _) => Err(Errno::EMSGSIZE),
                (_, false) => Err(Errno::EINVAL),
                (_, true) => Ok(()),
            };
        }
        let message = request.message(abi, Bytes::from_static(&[0]));
        let late = Err(abi.refusal(Refusal::SendWhileShuttingDown));
        match self.check(now, &message, &SendOptions::default()) {
            refused if refused == late => refused,
            _ => Ok(()),
        }
    }

    pub(crate) fn end(&mut self, now: Time, farewell: Farewell, reason: Bytes) {
        let Some(mut assoc) = self.engine() else {
            return;
        };
        match farewell {
            Farewell::Abortive => assoc.abort(now, reason),
            // Does nothing if a shutdown is already in progress.
            Farewell::Graceful => {
                let _ = assoc.shutdown(now);
            }
        }
    }
}

fn errno(abi: Abi, error: &SendError) -> Errno {
    match error {
        SendError::BufferFull(_) => Errno::EAGAIN,
        SendError::InvalidStream | SendError::Empty | SendError::Key(_) => Errno::EINVAL,
        SendError::TooLarge => Errno::EMSGSIZE,
        SendError::ShuttingDown => abi.refusal(Refusal::SendWhileShuttingDown),
    }
}
