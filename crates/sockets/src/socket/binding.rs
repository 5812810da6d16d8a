//! The port and addresses of a socket (RFC 6458 §3.1.2, §4.1.2, §9.1).

use core::net::{IpAddr, SocketAddr};

use super::Socket;
use crate::abi::System;
use crate::{Domain, Errno};

/// A port and its addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) port: u16,
    /// Empty: all addresses of the socket's families.
    pub(crate) addresses: Vec<IpAddr>,
}

impl Binding {
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.addresses.is_empty()
            || other.addresses.is_empty()
            || self.addresses.iter().any(|ip| other.addresses.contains(ip))
    }
}

/// The error of a bind that fails for an address.
pub(crate) enum Unbound {
    /// The host does not have this address.
    Missing(IpAddr),
    Other(Errno),
}

impl From<Errno> for Unbound {
    fn from(error: Errno) -> Self {
        Self::Other(error)
    }
}

impl Socket {
    /// Whether the socket is bound to all addresses.
    pub(crate) fn is_bound_to_all(&self) -> bool {
        let binding = self.binding.as_ref();
        binding.is_some_and(|binding| binding.addresses.is_empty())
    }

    /// Whether the socket can use addresses of this family.
    pub(crate) const fn takes(&self, ip: &IpAddr) -> bool {
        match (self.domain, ip) {
            (Domain::V4, ip) => ip.is_ipv4(),
            (Domain::V6, IpAddr::V4(_)) => self.own.v6_only == 0,
            (Domain::V6, IpAddr::V6(_)) => true,
        }
    }

    /// Whether a peer can have this address.
    pub(crate) fn reaches(&self, ip: &IpAddr) -> bool {
        let ip = ip.to_canonical();
        let is_broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
        self.takes(&ip) && !ip.is_unspecified() && !ip.is_multicast() && !is_broadcast
    }

    /// Whether `other`, which wants `wanted`, conflicts with this socket's `held` at the same port.
    /// As in Linux, the wildcard overlaps every address, but an IPv6-only socket does not conflict
    /// with IPv4 addresses.
    pub(crate) fn clashes(&self, held: &Binding, other: &Self, wanted: &Binding) -> bool {
        // Linux checks the holder's flag, unless only the other socket is IPv6.
        let asked = match self.domain {
            Domain::V6 => self,
            Domain::V4 => other,
        };
        if asked.domain == Domain::V4 || asked.own.v6_only == 0 {
            return held.overlaps(wanted);
        }
        let mut v6 = wanted.clone();
        v6.addresses.retain(IpAddr::is_ipv6);
        let has_v6 = wanted.addresses.is_empty() || !v6.addresses.is_empty();
        self.domain == other.domain && has_v6 && held.overlaps(&v6)
    }

    /// The binding with more addresses, and those that are new, on a host that has `local`. Its
    /// port is 0 until one is chosen.
    pub(crate) fn bound_with(
        &self,
        system: System,
        addresses: &[SocketAddr],
        local: &[IpAddr],
    ) -> Result<(Binding, Vec<IpAddr>), Unbound> {
        let (mut port, mut ips) = match self.binding.clone() {
            Some(binding) => (binding.port, Some(binding.addresses)),
            None => (0, None),
        };
        if addresses.is_empty() {
            return Err(Errno::EINVAL.into());
        }
        let mut added = Vec::new();
        for address in addresses {
            let ip = self.bindable(address, local)?;
            match (port, address.port()) {
                (_, 0) => {}
                (0, wanted) => port = wanted,
                (port, wanted) if port != wanted => return Err(Errno::EINVAL.into()),
                _ => {}
            }
            // The socket has this address already, or has all addresses.
            let by_name = ips.as_ref().is_some_and(|known| known.contains(&ip));
            let is_known = by_name
                || (ips.as_ref()).is_some_and(|known| known.is_empty() || ip.is_unspecified());
            if by_name && system == System::FreeBsd {
                continue;
            }
            if is_known {
                return Err(Errno::EINVAL.into());
            }
            let known = ips.get_or_insert_default();
            if !ip.is_unspecified() {
                known.push(ip);
                added.push(ip);
            }
        }
        let addresses = ips.unwrap_or_default();
        Ok((Binding { port, addresses }, added))
    }

    fn bindable(&self, address: &SocketAddr, local: &[IpAddr]) -> Result<IpAddr, Unbound> {
        let ip = address.ip().to_canonical();
        if self.domain == Domain::V4 && address.is_ipv6() || !self.takes(&ip) {
            return Err(Errno::EINVAL.into());
        }
        match ip.is_unspecified() || local.contains(&ip) {
            true => Ok(ip),
            false => Err(Unbound::Missing(ip)),
        }
    }

    /// The binding without some addresses, and those that were removed.
    pub(crate) fn bound_without(
        &self,
        system: System,
        addresses: &[SocketAddr],
    ) -> Result<(Binding, Vec<IpAddr>), Errno> {
        // The last address cannot be removed (RFC 6458 §9.1).
        let last = system.pick(Errno::EBUSY, Errno::EINVAL);
        let mut binding = self.binding.clone().ok_or(last)?;
        if binding.addresses.len() < 2 {
            return Err(last);
        }
        let mut removed = Vec::new();
        for address in addresses {
            let ip = address.ip().to_canonical();
            if !self.reaches(&ip) {
                return Err(Errno::EADDRNOTAVAIL);
            }
            let is_ours = [0, binding.port].contains(&address.port());
            let at = binding.addresses.iter().position(|other| *other == ip);
            let at = at.filter(|_| is_ours).ok_or(Errno::EINVAL)?;
            if binding.addresses.len() == 1 {
                return Err(last);
            }
            binding.addresses.remove(at);
            removed.push(ip);
        }
        Ok((binding, removed))
    }
}
