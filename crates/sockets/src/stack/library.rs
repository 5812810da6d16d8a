//! Calls for libraries that run the stack inside the program's process.

use core::net::SocketAddr;
use std::collections::BTreeSet;

use sheave_engine::{Datagram, Integrity, Options, Time};

use super::Stack;
use crate::socket::{Held, Kind};
use crate::{AssocId32, Errno, SocketId};

impl Stack {
    /// Sets the options of sockets created from now on; existing sockets keep the values that
    /// programs can set.
    pub fn set_defaults(&mut self, defaults: Options) {
        self.defaults = defaults;
    }

    /// Handles a datagram whose checksum was already verified.
    pub fn handle_verified(&mut self, now: Time, datagram: Datagram<'_>, known: Integrity) {
        self.endpoint.handle_verified(now, datagram, known);
        self.digest(now);
        self.note_arrivals(now);
    }

    /// The ports of all bound sockets; a bound socket that does not listen refuses associations.
    #[must_use]
    pub fn ports(&self) -> BTreeSet<u16> {
        let bindings = self.sockets.values().filter_map(|own| own.binding.as_ref());
        let bound = bindings.map(|binding| binding.port);
        self.endpoint.ports().into_iter().chain(bound).collect()
    }

    /// The association of a socket with the peer at this address.
    #[must_use]
    pub fn assoc_at(&self, id: SocketId, peer: SocketAddr) -> Option<AssocId32> {
        self.assoc_with(id, peer)
    }

    /// Bytes that a socket can send without blocking: the least over its associations, or the whole
    /// buffer without one.
    pub fn send_room(&mut self, id: SocketId) -> usize {
        let Ok(socket) = self.find(id) else {
            return 0;
        };
        let buffer = match socket.own.send_buffer {
            Some(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
            None => self.defaults.send_buffer,
        };
        let mut buffered = 0;
        for number in socket.assocs.clone() {
            let open = self.kept_of(number);
            if let Some(assoc) = self.engine_assoc(number) {
                buffered = buffered.max(assoc.stats().send_buffered + open);
            }
        }
        buffer.saturating_sub(buffered)
    }

    /// Whether the socket is one-to-one.
    #[must_use]
    pub fn is_one_to_one(&self, id: SocketId) -> bool {
        self.find(id)
            .is_ok_and(|socket| socket.kind == Kind::OneToOne)
    }

    /// Number of a socket's associations that ended gracefully.
    #[must_use]
    pub fn ended(&self, id: SocketId) -> u32 {
        self.find(id).map_or(0, |socket| socket.ended)
    }

    /// The association of the next message or notification.
    #[must_use]
    pub fn next_assoc(&self, id: SocketId) -> Option<AssocId32> {
        let first = self.find(id).ok()?.inbox.items.front()?;
        Some(first.assoc())
    }

    /// The listening socket in whose accept queue this socket waits.
    #[must_use]
    pub fn waits_at(&self, id: SocketId) -> Option<SocketId> {
        match self.find(id).ok()?.held {
            Held::Waiting(listener) => Some(listener),
            Held::ByProgram => None,
        }
    }

    /// Takes the error that `SO_ERROR` would return.
    pub fn take_error(&mut self, id: SocketId) -> Option<Errno> {
        self.find_mut(id).ok()?.error.take()
    }

    /// Stores an error for the next call or `SO_ERROR`.
    pub fn put_error(&mut self, id: SocketId, error: Errno) {
        if let Some(socket) = self.sockets.get_mut(&id) {
            socket.error = Some(error);
            self.touch(id);
        }
    }
}
