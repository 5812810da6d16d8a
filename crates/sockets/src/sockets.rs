//! The table of sockets.

use core::net::IpAddr;
use std::collections::BTreeMap;

use sheave_engine::Time;

use crate::socket::{Binding, Kind, Socket};
use crate::{Errno, SocketId};

#[derive(Debug)]
pub(crate) struct Sockets {
    table: BTreeMap<SocketId, Socket>,
    next: u64,
    /// When associations are next looked through for idle ones; `None` if no socket closes any.
    pub(crate) next_look: Option<Time>,
}

impl Sockets {
    pub(crate) const fn new() -> Self {
        Self {
            table: BTreeMap::new(),
            next: 1,
            next_look: None,
        }
    }

    pub(crate) fn enter(&mut self, socket: Socket) -> SocketId {
        let id = SocketId(self.next);
        self.next += 1;
        self.table.insert(id, socket);
        id
    }

    pub(crate) fn remove(&mut self, id: SocketId) -> Option<Socket> {
        self.table.remove(&id)
    }

    pub(crate) fn find(&self, id: SocketId) -> Result<&Socket, Errno> {
        self.table.get(&id).ok_or(Errno::EBADF)
    }

    pub(crate) fn find_mut(&mut self, id: SocketId) -> Result<&mut Socket, Errno> {
        self.table.get_mut(&id).ok_or(Errno::EBADF)
    }

    /// The socket that owns an association, if it is not closed.
    pub(crate) fn owner(&mut self, id: Option<SocketId>) -> Option<&mut Socket> {
        self.table.get_mut(&id?)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (SocketId, &Socket)> {
        self.table.iter().map(|(id, socket)| (*id, socket))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The ports and addresses of all bound sockets.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.table.values().filter_map(|own| own.binding.as_ref())
    }

    /// Whether a socket is bound to this address and port.
    pub(crate) fn has_at(&self, ip: IpAddr, port: u16) -> bool {
        let there = Binding {
            port,
            addresses: vec![ip],
        };
        let mut bindings = self.bindings();
        bindings.any(|own| own.port == port && own.overlaps(&there))
    }

    /// Whether another socket has the port at one of these addresses and does not share it.
    pub(crate) fn is_taken(&self, id: SocketId, binding: &Binding) -> Result<bool, Errno> {
        let own = self.find(id)?;
        let shares = own.own.reuse_address != 0;
        // RFC 6458 §8.1.27
        let reuses = own.own.reuse_port != 0;
        Ok(self.all().any(|(other, socket)| {
            let clash = socket.binding.as_ref().is_some_and(|theirs| {
                theirs.port == binding.port && socket.clashes(theirs, own, binding)
            });
            let shared = shares && socket.own.reuse_address != 0 && socket.backlog.is_none()
                || reuses && socket.own.reuse_port != 0;
            other != id && clash && !shared
        }))
    }

    /// The socket that listens at an address, if its backlog has room.
    pub(crate) fn listener_at(&self, port: u16, ip: IpAddr) -> Option<(SocketId, &Socket)> {
        let (id, socket) = self.all().find(|(_, socket)| {
            socket.listens_at.as_ref().is_some_and(|(own, addresses)| {
                *own == port && (addresses.is_empty() || addresses.contains(&ip))
            })
        })?;
        let limit = socket.backlog.map_or(0, |backlog| backlog as usize);
        // Like Linux, allows one more than the backlog.
        let full = socket.kind == Kind::OneToOne && socket.pending.len() > limit;
        (!full).then_some((id, socket))
    }
}
