//! `getsockname` and `getpeername`.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::Stack;
use crate::socket::{Fate, Kind, Socket};
use crate::{Domain, Errno, SocketId};

impl Stack {
    /// The answer to `getsockname`.
    ///
    /// # Errors
    /// The errors of `getsockname`.
    pub fn local_name(&self, id: SocketId) -> Result<SocketAddr, Errno> {
        let socket = self.find(id)?;
        let binding = socket.binding.as_ref();
        let port = binding.map_or(0, |binding| binding.port);
        let bound = binding.and_then(|binding| binding.addresses.first());
        let first = bound.or(socket.source.as_ref());
        Ok(first.map_or_else(
            || unspecified(socket, port),
            |ip| socket.present(SocketAddr::new(*ip, port)),
        ))
    }

    /// The answer to `getpeername`.
    ///
    /// # Errors
    /// The errors of `getpeername`.
    pub fn peer_name(&self, id: SocketId) -> Result<SocketAddr, Errno> {
        let socket = self.find(id)?;
        // A one-to-one socket remembers its peer after the association is gone.
        let connected = socket.fate != Fate::None;
        match socket.peer {
            Some(peer) if connected && socket.kind != Kind::OneToMany => Ok(socket.present(peer)),
            _ => Err(Errno::ENOTCONN),
        }
    }
}

pub(super) const fn unspecified(socket: &Socket, port: u16) -> SocketAddr {
    let ip = match socket.domain {
        Domain::V4 => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        Domain::V6 => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    SocketAddr::new(ip, port)
}
