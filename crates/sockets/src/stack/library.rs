//! Calls for libraries that run the stack inside the program's process.

use core::net::SocketAddr;
use std::collections::BTreeSet;

use sheave_engine::{Datagram, Integrity, Time};

use super::Stack;
use crate::{AssocId32, Errno, SocketId};

impl Stack {
    /// Handles a datagram whose checksum was already verified.
    pub fn handle_verified(&mut self, now: Time, datagram: Datagram<'_>, known: Integrity) {
        self.transport
            .endpoint
            .handle_verified(now, datagram, known);
        self.digest(now);
        self.note_arrivals(now);
    }

    /// The ports of all bound sockets; a bound socket that does not listen refuses associations.
    #[must_use]
    pub fn ports(&self) -> BTreeSet<u16> {
        let bound = self.sockets.bindings().map(|binding| binding.port);
        self.transport
            .endpoint
            .ports()
            .into_iter()
            .chain(bound)
            .collect()
    }

    /// The association of a socket with the peer at this address.
    #[must_use]
    pub fn assoc_at(&self, id: SocketId, peer: SocketAddr) -> Option<AssocId32> {
        self.lookup(id).ok()?.assoc_with(peer)
    }

    /// Bytes that a socket can send without blocking: the least over its associations, or the whole
    /// buffer without one.
    #[must_use]
    pub fn send_room(&self, id: SocketId) -> usize {
        let Ok(socket) = self.sockets.find(id) else {
            return 0;
        };
        let associations = socket
            .assocs
            .iter()
            .filter_map(|number| self.associations.get(*number));
        let buffered = associations.filter_map(|found| {
            let stats = self.transport.endpoint.stats_of(found.engine)?;
            Some(stats.send_buffered + found.kept())
        });
        let buffered = buffered.max().unwrap_or(0);
        self.profile.send_buffer(socket).saturating_sub(buffered)
    }

    /// Takes the error that `SO_ERROR` would return.
    pub fn take_error(&mut self, id: SocketId) -> Option<Errno> {
        self.sockets.find_mut(id).ok()?.error.take()
    }

    /// Stores an error for the next call or `SO_ERROR`.
    pub fn put_error(&mut self, id: SocketId, error: Errno) {
        if let Ok(socket) = self.sockets.find_mut(id) {
            socket.error = Some(error);
            self.changes.touch(id);
        }
    }
}
