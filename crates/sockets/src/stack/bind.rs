//! Ports and addresses of sockets (RFC 6458 §3.1.2, §4.1.2, §9.1).

use core::net::{IpAddr, SocketAddr};

use sheave_engine::Time;

use super::{Stack, fit};
use crate::abi::System;
use crate::socket::{Binding, Fate, Kind, Socket};
use crate::{Domain, Errno, SocketId};

/// Range of automatic ports, as in Linux.
const EPHEMERAL: core::ops::RangeInclusive<u16> = 32_768..=60_999;

impl Stack {
    /// Binds to a port and addresses (RFC 6458 §3.1.2, §4.1.2). The unspecified address means all
    /// local addresses; port 0 picks a port. Several addresses act as `sctp_bindx` (§9.1), which
    /// also works on a bound socket.
    ///
    /// # Errors
    /// The errors of `bind` and `sctp_bindx`.
    pub fn bind(&mut self, now: Time, id: SocketId, addresses: &[SocketAddr]) -> Result<(), Errno> {
        if addresses.len() < 2 && self.find(id)?.binding.is_some() {
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
        let socket = self.find(id)?;
        let (mut port, mut ips) = socket
            .binding
            .clone()
            .map_or((0, None), |binding| (binding.port, Some(binding.addresses)));
        if addresses.is_empty() {
            return Err(Errno::EINVAL);
        }
        let mut added = Vec::new();
        for address in addresses {
            let ip = match self.bindable(socket, address) {
                Err(Errno::EADDRNOTAVAIL) => {
                    self.missing = Some(address.ip().to_canonical());
                    return Err(Errno::EADDRNOTAVAIL);
                }
                bindable => bindable?,
            };
            match (port, address.port()) {
                (_, 0) => {}
                (0, wanted) => port = wanted,
                (port, wanted) if port != wanted => return Err(Errno::EINVAL),
                _ => {}
            }
            // The socket has this address already, or has all addresses.
            let is_known = ips.as_ref().is_some_and(|known| {
                known.is_empty() || known.contains(&ip) || ip.is_unspecified()
            });
            let by_name = ips.as_ref().is_some_and(|known| known.contains(&ip));
            if is_known && by_name && self.abi.system() == System::FreeBsd {
                continue;
            }
            if is_known {
                return Err(Errno::EINVAL);
            }
            let known = ips.get_or_insert_default();
            if !ip.is_unspecified() {
                known.push(ip);
                added.push(ip);
            }
        }
        let addresses = ips.unwrap_or_default();
        let port = if port == 0 { self.free_port()? } else { port };
        // Accepted sockets share the addresses that the listener had before.
        let new = Binding {
            port,
            addresses: added.clone(),
        };
        if self.is_taken(id, &new)? {
            return Err(Errno::EADDRINUSE);
        }
        self.rebind(id, Binding { port, addresses })?;
        for ip in added {
            self.each_assoc(id, |mut assoc| {
                // Fails without RFC 5061; the peer then does not learn the address.
                let _ = assoc.add_address(now, ip);
            });
        }
        self.digest(now);
        Ok(())
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
        let socket = self.find(id)?;
        // The last address cannot be removed (RFC 6458 §9.1).
        let last = match self.abi.system() {
            System::Linux => Errno::EBUSY,
            System::FreeBsd => Errno::EINVAL,
        };
        let mut binding = socket.binding.clone().ok_or(last)?;
        if binding.addresses.len() < 2 {
            return Err(last);
        }
        let mut removed = Vec::new();
        for address in addresses {
            let ip = address.ip().to_canonical();
            if !socket.reaches(&ip) {
                return Err(Errno::EADDRNOTAVAIL);
            }
            if address.port() != 0 && address.port() != binding.port {
                return Err(Errno::EINVAL);
            }
            let Some(at) = binding.addresses.iter().position(|other| *other == ip) else {
                return Err(Errno::EINVAL);
            };
            if binding.addresses.len() == 1 {
                return Err(last);
            }
            binding.addresses.remove(at);
            removed.push(ip);
        }
        self.rebind(id, binding)?;
        for ip in removed {
            self.each_assoc(id, |mut assoc| {
                let _ = assoc.delete_address(now, ip);
            });
        }
        self.digest(now);
        Ok(())
    }

    fn each_assoc(&mut self, id: SocketId, act: impl Fn(sheave_engine::Assoc<'_>)) {
        let Some(socket) = self.sockets.get(&id) else {
            return;
        };
        for number in &socket.assocs {
            let engine = self
                .assocs
                .get(number)
                .map(|association| association.engine);
            if let Some(assoc) = engine.and_then(|engine| self.endpoint.assoc(engine)) {
                act(assoc);
            }
        }
    }

    fn bindable(&self, socket: &Socket, address: &SocketAddr) -> Result<IpAddr, Errno> {
        let ip = address.ip().to_canonical();
        if socket.domain == Domain::V4 && address.is_ipv6() {
            return Err(Errno::EINVAL);
        }
        if !socket.takes(&ip) {
            return Err(Errno::EINVAL);
        }
        if ip.is_unspecified() {
            return Ok(ip);
        }
        if !self.endpoint.local_addresses().contains(&ip) {
            return Err(Errno::EADDRNOTAVAIL);
        }
        Ok(ip)
    }

    fn rebind(&mut self, id: SocketId, binding: Binding) -> Result<(), Errno> {
        self.find_mut(id)?.binding = Some(binding);
        self.listen_anew(id)
    }

    /// Whether another socket has the port at one of these addresses and does not share it.
    fn is_taken(&self, id: SocketId, binding: &Binding) -> Result<bool, Errno> {
        let own = self.find(id)?;
        let shares = own.own.reuse_address != 0;
        // RFC 6458 §8.1.27
        let reuses = own.own.reuse_port != 0;
        Ok(self.sockets.iter().any(|(other, socket)| {
            let clash = socket.binding.as_ref().is_some_and(|theirs| {
                theirs.port == binding.port && socket.clashes(theirs, own, binding)
            });
            let shared = shares && socket.own.reuse_address != 0 && socket.backlog.is_none()
                || reuses && socket.own.reuse_port != 0;
            *other != id && clash && !shared
        }))
    }

    pub(super) fn free_port(&mut self) -> Result<u16, Errno> {
        let count = EPHEMERAL.end() - EPHEMERAL.start() + 1;
        // xorshift64: port numbers are visible in every packet, so a fast generator suffices.
        self.draws ^= self.draws << 13;
        self.draws ^= self.draws >> 7;
        self.draws ^= self.draws << 17;
        let start = u16::try_from(self.draws % u64::from(count)).unwrap_or(0);
        (0..count)
            .map(|step| {
                EPHEMERAL.start()
                    + u16::try_from((u32::from(start) + u32::from(step)) % u32::from(count))
                        .unwrap_or(0)
            })
            .find(|port| !self.endpoint.owns_port(*port) && !self.has_port(*port))
            .ok_or(Errno::EADDRINUSE)
    }

    fn has_port(&self, port: u16) -> bool {
        let mut sockets = self.sockets.values();
        sockets.any(|socket| socket.binding.as_ref().is_some_and(|own| own.port == port))
    }

    /// Whether a socket is bound to this address and port.
    pub(super) fn is_bound(&self, ip: IpAddr, port: u16) -> bool {
        let there = Binding {
            port,
            addresses: vec![ip],
        };
        let mut bindings = self.sockets.values().filter_map(|own| own.binding.as_ref());
        self.endpoint.local_addresses().contains(&ip)
            && bindings.any(|own| own.port == port && own.overlaps(&there))
    }

    /// Binds a socket to an automatic port, unless it is bound.
    pub(super) fn bind_somewhere(&mut self, id: SocketId) -> Result<Binding, Errno> {
        if let Some(binding) = &self.find(id)?.binding {
            return Ok(binding.clone());
        }
        let port = self.free_port().map_err(|_| Errno::EAGAIN)?;
        let binding = Binding {
            port,
            addresses: Vec::new(),
        };
        self.find_mut(id)?.binding = Some(binding.clone());
        Ok(binding)
    }

    /// Accepts associations from now on (RFC 6458 §3.1.3, §4.1.3); a backlog of 0 stops. An unbound
    /// socket gets an automatic port.
    ///
    /// # Errors
    /// The errors of `listen`.
    pub fn listen(&mut self, _now: Time, id: SocketId, backlog: u32) -> Result<(), Errno> {
        let socket = self.find(id)?;
        let idle = match socket.kind {
            Kind::OneToOne => socket.fate == Fate::None,
            Kind::OneToMany => true,
            Kind::PeeledOff => false,
        };
        let system = self.abi.system();
        if !idle {
            return Err(Errno::EINVAL);
        }
        if backlog == 0 && socket.backlog.is_none() && system == System::Linux {
            return Err(Errno::EINVAL);
        }
        if backlog > 0 || system == System::FreeBsd {
            self.bind_somewhere(id)?;
        }
        let before = self.find(id)?.backlog;
        self.find_mut(id)?.backlog = Some(backlog).filter(|backlog| *backlog > 0);
        let outcome = self.listen_anew(id);
        if outcome.is_err() {
            self.find_mut(id)?.backlog = before;
        }
        self.touch(id);
        outcome
    }

    /// Updates the engine's listener: its addresses and options.
    pub(super) fn listen_anew(&mut self, id: SocketId) -> Result<(), Errno> {
        let Some(socket) = self.sockets.get_mut(&id) else {
            return Err(Errno::EBADF);
        };
        if let Some((port, addresses)) = socket.listens_at.take() {
            self.endpoint.stop_listening_on(port, &addresses);
        }
        let socket = self.find(id)?;
        let listens = socket.backlog.is_some() && !socket.has_stopped();
        let Some(binding) = socket.binding.clone().filter(|_| listens) else {
            return Ok(());
        };
        let local = self.usable_addresses(socket, &binding);
        let options = socket.defaults.options(&self.defaults, &socket.own);
        let options = fit(self.keys.as_deref(), options);
        match self.endpoint.listen_on(binding.port, &local, options) {
            Ok(()) => {
                self.find_mut(id)?.listens_at = Some((binding.port, local));
                Ok(())
            }
            Err(sheave_engine::ListenError::InUse) => Err(Errno::EADDRINUSE),
            Err(_) => Err(Errno::EINVAL),
        }
    }

    /// The addresses that a socket uses; empty for all of the endpoint's.
    pub(super) fn usable_addresses(&self, socket: &Socket, binding: &Binding) -> Vec<IpAddr> {
        if !binding.addresses.is_empty() {
            return binding.addresses.clone();
        }
        let all = self.endpoint.local_addresses();
        let is_usable = |ip: &IpAddr| socket.takes(ip) && !self.named.contains(ip);
        if all.iter().all(is_usable) {
            return Vec::new();
        }
        all.iter().copied().filter(is_usable).collect()
    }
}
