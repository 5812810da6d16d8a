//! Ports and addresses of sockets (RFC 6458 §3.1.2, §4.1.2, §9.1).

use core::net::SocketAddr;

use sheave_engine::{Assoc, Time};

use super::Stack;
use crate::abi::System;
use crate::socket::{Binding, Fate, Kind, Unbound};
use crate::{Errno, SocketId};

impl Stack {
    /// Binds to a port and addresses (RFC 6458 §3.1.2, §4.1.2). The unspecified address means all
    /// local addresses; port 0 picks a port. Several addresses act as `sctp_bindx` (§9.1), which
    /// also works on a bound socket.
    ///
    /// # Errors
    /// The errors of `bind` and `sctp_bindx`.
    pub fn bind(&mut self, now: Time, id: SocketId, addresses: &[SocketAddr]) -> Result<(), Errno> {
        if addresses.len() < 2 && self.sockets.find(id)?.binding.is_some() {
            return Err(Errno::EINVAL);
        }
        self.add_addresses(now, id, addresses)
    }

    /// Adds addresses to a bound socket (`sctp_bindx` with `SCTP_BINDX_ADD_ADDR`, RFC 6458 §9.1);
    /// its associations announce them to peers that support RFC 5061.
    ///
    /// # Errors
    /// The errors of `sctp_bindx`.
    pub fn add_addresses(
        &mut self,
        now: Time,
        id: SocketId,
        addresses: &[SocketAddr],
    ) -> Result<(), Errno> {
        let local = self.transport.endpoint.local_addresses();
        let socket = self.sockets.find(id)?;
        let bound = socket.bound_with(self.profile.system(), addresses, local);
        let (mut binding, added) = bound.map_err(|error| match error {
            Unbound::Missing(ip) => {
                self.missing = Some(ip);
                Errno::EADDRNOTAVAIL
            }
            Unbound::Other(error) => error,
        })?;
        if binding.port == 0 {
            binding.port = self.free_port().ok_or(Errno::EADDRINUSE)?;
        }
        // Accepted sockets share the addresses that the listener had before.
        let new = Binding {
            port: binding.port,
            addresses: added.clone(),
        };
        if self.sockets.is_taken(id, &new)? {
            return Err(Errno::EADDRINUSE);
        }
        // Fails without RFC 5061; the peer then does not learn the address.
        self.rebind(now, id, binding, |assoc| {
            for ip in &added {
                let _ = assoc.add_address(now, *ip);
            }
        })
    }

    /// Removes addresses from a socket (`sctp_bindx` with `SCTP_BINDX_REM_ADDR`, RFC 6458 §9.1).
    ///
    /// # Errors
    /// The errors of `sctp_bindx`.
    pub fn remove_addresses(
        &mut self,
        now: Time,
        id: SocketId,
        addresses: &[SocketAddr],
    ) -> Result<(), Errno> {
        let socket = self.sockets.find(id)?;
        let (binding, removed) = socket.bound_without(self.profile.system(), addresses)?;
        self.rebind(now, id, binding, |assoc| {
            for ip in &removed {
                let _ = assoc.delete_address(now, *ip);
            }
        })
    }

    /// Changes the addresses of a socket, and of its associations by `announce`.
    fn rebind(
        &mut self,
        now: Time,
        id: SocketId,
        binding: Binding,
        announce: impl Fn(&mut Assoc<'_>),
    ) -> Result<(), Errno> {
        let socket = self.sockets.find_mut(id)?;
        socket.binding = Some(binding);
        let transport = &mut self.transport;
        transport.listen_anew(&self.profile.defaults, socket)?;
        for number in &socket.assocs {
            let association = self.associations.get(*number);
            let mut engine = association.and_then(|found| transport.endpoint.assoc(found.engine));
            engine.iter_mut().for_each(&announce);
        }
        self.digest(now);
        Ok(())
    }

    fn free_port(&mut self) -> Option<u16> {
        let (endpoint, sockets) = (&self.transport.endpoint, &self.sockets);
        self.ports.pick(|port| {
            !endpoint.owns_port(port) && sockets.bindings().all(|own| own.port != port)
        })
    }

    /// Binds a socket to an automatic port, unless it is bound.
    pub(super) fn bind_somewhere(&mut self, id: SocketId) -> Result<Binding, Errno> {
        if let Some(binding) = &self.sockets.find(id)?.binding {
            return Ok(binding.clone());
        }
        let binding = Binding {
            port: self.free_port().ok_or(Errno::EAGAIN)?,
            addresses: Vec::new(),
        };
        self.sockets.find_mut(id)?.binding = Some(binding.clone());
        Ok(binding)
    }

    /// Accepts associations from now on (RFC 6458 §3.1.3, §4.1.3); a backlog of 0 stops. An unbound
    /// socket gets an automatic port.
    ///
    /// # Errors
    /// The errors of `listen`.
    pub fn listen(&mut self, _now: Time, id: SocketId, backlog: u32) -> Result<(), Errno> {
        let socket = self.sockets.find(id)?;
        let (system, before) = (self.profile.system(), socket.backlog);
        let idle = match socket.kind {
            Kind::OneToOne => socket.fate == Fate::None,
            Kind::OneToMany => true,
            Kind::PeeledOff => false,
        };
        if !idle || backlog == 0 && before.is_none() && system == System::Linux {
            return Err(Errno::EINVAL);
        }
        if backlog > 0 || system == System::FreeBsd {
            self.bind_somewhere(id)?;
        }
        self.sockets.find_mut(id)?.backlog = Some(backlog).filter(|backlog| *backlog > 0);
        let outcome = self.listen_anew(id);
        if outcome.is_err() {
            self.sockets.find_mut(id)?.backlog = before;
        }
        self.changes.touch(id);
        outcome
    }
}
