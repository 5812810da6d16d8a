//! Sockets for incoming associations and peeled-off ones.

use core::net::SocketAddr;

use sheave_engine::Time;

use super::Stack;
use crate::abi::{Refusal, System};
use crate::socket::{Fate, Half, Held, Kind};
use crate::{AssocId32, Errno, SocketId};

impl Stack {
    /// The socket that [`accept`](Self::accept) would return next, and its peer's address.
    ///
    /// # Errors
    /// `EAGAIN` if none is waiting; otherwise as `accept`.
    pub fn pending(&self, id: SocketId) -> Result<(SocketId, SocketAddr), Errno> {
        let socket = self.sockets.find(id)?;
        match (socket.kind, socket.backlog) {
            (Kind::OneToOne, Some(_)) if socket.reading == Half::Open => {}
            (Kind::OneToOne, _) => return Err(Errno::EINVAL),
            _ => return Err(self.profile.abi.refusal(Refusal::AcceptFromMany)),
        }
        let first = *socket.pending.front().ok_or(Errno::EAGAIN)?;
        let accepted = self.sockets.find(first)?;
        let peer = accepted.peer.ok_or(Errno::EAGAIN)?;
        Ok((first, accepted.present(peer)))
    }

    /// Accepts the first waiting association (RFC 6458 §4.1.4), the one that
    /// [`pending`](Self::pending) returned.
    ///
    /// # Errors
    /// `EAGAIN` if none is waiting; otherwise as `accept`.
    pub fn accept(&mut self, id: SocketId) -> Result<SocketId, Errno> {
        let (first, _) = self.pending(id)?;
        self.sockets.find_mut(id)?.pending.pop_front();
        self.sockets.find_mut(first)?.held = Held::ByProgram;
        self.changes.touch(id);
        self.changes.touch(first);
        Ok(first)
    }

    /// Moves an association of a one-to-many socket to a new socket (RFC 6458 §9.2).
    ///
    /// # Errors
    /// The errors of `sctp_peeloff`.
    pub fn peel_off(
        &mut self,
        _now: Time,
        id: SocketId,
        assoc: AssocId32,
    ) -> Result<SocketId, Errno> {
        let (abi, system) = (self.profile.abi, self.profile.system());
        let socket = self.sockets.find_mut(id)?;
        if socket.kind != Kind::OneToMany {
            return Err(abi.refusal(Refusal::PeelOffFromOne));
        }
        if !socket.assocs.remove(&assoc) {
            return Err(abi.refusal(Refusal::PeelOffOfNothing));
        }
        let mut peeled = socket.offspring(Kind::PeeledOff);
        peeled.inbox = socket.inbox.split(assoc);
        peeled.assocs.insert(assoc);
        peeled.full.extend(socket.full.take(&assoc));
        peeled.fate = Fate::Alive;
        if system == System::Linux {
            (peeled.reading, peeled.writing) = (socket.reading, socket.writing);
            peeled.notices = socket.notices;
        }
        let found = self.associations.find_mut(assoc)?;
        peeled.peer = Some(found.peer);
        peeled.defaults = found.settings.clone();
        let new = self.sockets.enter(peeled);
        found.owner = Some(new);
        self.changes.touch(id);
        self.changes.touch(new);
        Ok(new)
    }
}
