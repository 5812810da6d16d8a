//! Names, kind and progress of a socket, as callers may ask for them.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::{Fate, Half, Held, Kind, Socket};
use crate::{AssocId32, ConnectState, Domain, Errno, SocketId};

impl Socket {
    /// The answer to `getsockname`: of several addresses the one bound last, as Linux and usrsctp answer.
    #[must_use]
    pub fn local_name(&self) -> SocketAddr {
        let binding = self.binding.as_ref();
        let port = binding.map_or(0, |binding| binding.port);
        let bound = binding.and_then(|binding| binding.addresses.last());
        match (bound.or(self.source.as_ref()), self.domain) {
            (Some(ip), _) => self.present(SocketAddr::new(*ip, port)),
            (None, Domain::V4) => (Ipv4Addr::UNSPECIFIED, port).into(),
            (None, Domain::V6) => (Ipv6Addr::UNSPECIFIED, port).into(),
        }
    }

    /// The answer to `getpeername`.
    ///
    /// # Errors
    /// The errors of `getpeername`.
    pub fn peer_name(&self) -> Result<SocketAddr, Errno> {
        // A one-to-one socket remembers its peer after the association is gone.
        let connected = self.fate != Fate::None && self.kind != Kind::OneToMany;
        let peer = self.peer.filter(|_| connected).ok_or(Errno::ENOTCONN)?;
        Ok(self.present(peer))
    }

    /// Progress of the association that the socket connects; the newest one of a one-to-many
    /// socket.
    #[must_use]
    pub const fn connect_state(&self) -> ConnectState {
        self.connect
    }

    /// Whether the program has shut down reading.
    #[must_use]
    pub fn has_shut_reading(&self) -> bool {
        self.reading == Half::Shut
    }

    /// Whether the socket is one-to-one.
    #[must_use]
    pub fn is_one_to_one(&self) -> bool {
        self.kind == Kind::OneToOne
    }

    /// Number of the socket's associations that ended gracefully.
    #[must_use]
    pub const fn ended(&self) -> u32 {
        self.ended
    }

    /// The association of the next message or notification.
    #[must_use]
    pub fn next_assoc(&self) -> Option<AssocId32> {
        Some(self.inbox.items.front()?.assoc())
    }

    /// The listening socket in whose accept queue this socket waits.
    #[must_use]
    pub const fn waits_at(&self) -> Option<SocketId> {
        match self.held {
            Held::Waiting(listener) => Some(listener),
            Held::ByProgram => None,
        }
    }

    /// An address in the form that the program expects (RFC 6458 §8.1.15).
    pub(crate) fn present(&self, address: SocketAddr) -> SocketAddr {
        match (self.domain, address.ip()) {
            (Domain::V6, IpAddr::V4(ip)) if self.own.mapped_v4 != 0 => {
                SocketAddr::new(ip.to_ipv6_mapped().into(), address.port())
            }
            _ => address,
        }
    }
}
