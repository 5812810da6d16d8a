//! Tracks addresses that this machine gains and loses, for an endpoint that uses all of them.

use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Config;
use crate::carrier::Carrier;
use crate::options::Shard;

/// Addresses gained and lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AddressChange {
    pub(crate) gained: Vec<IpAddr>,
    pub(crate) lost: Vec<IpAddr>,
}

/// A socket that becomes readable when addresses may have changed, and the addresses last in use.
#[derive(Debug)]
pub(crate) struct AddressNews {
    socket: OwnedFd,
    known: Mutex<Vec<IpAddr>>,
}

impl AddressNews {
    /// Starts to watch, if the configuration names no addresses and the system reports changes. A
    /// shard keeps the addresses that it started with.
    pub(crate) fn open(config: &Config) -> Option<Self> {
        let follows = config.local.is_empty() && config.endpoint.shard == Shard::ONLY;
        let socket = follows.then(netlink::open).flatten()?;
        let known = Mutex::default();
        Some(Self { socket, known })
    }

    /// Sets the initial addresses.
    pub(crate) fn begin_with(&self, known: &[IpAddr]) {
        *self.known() = known.to_vec();
    }

    fn known(&self) -> MutexGuard<'_, Vec<IpAddr>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens sockets at new addresses and returns the changes since the last call. An address that
    /// cannot be bound yet is retried at the next change. While the machine has no address, the old
    /// ones stay in use, and the next address replaces them.
    pub(crate) fn look(&self, carrier: &Carrier) -> AddressChange {
        netlink::drain(&self.socket);
        let Ok(mut usable) = carrier.usable_addresses() else {
            return AddressChange::default();
        };
        usable.retain(|ip| carrier.add(*ip).is_ok());
        if usable.is_empty() {
            return AddressChange::default();
        }
        let without = |all: &[IpAddr], those: &[IpAddr]| {
            let others = all.iter().copied().filter(|ip| !those.contains(ip));
            others.collect::<Vec<_>>()
        };
        let mut known = self.known();
        let gained = without(&usable, &known);
        let lost = without(&known, &usable);
        *known = usable;
        AddressChange { gained, lost }
    }
}

impl AsFd for AddressNews {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[cfg(linux)]
mod netlink {
    use std::os::fd::OwnedFd;

    use rustix::net::netlink::SocketAddrNetlink;
    use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, recv, socket_with};

    /// Netlink multicast groups for IPv4 and IPv6 address changes (`RTMGRP_IPV4_IFADDR`,
    /// `RTMGRP_IPV6_IFADDR`).
    const GROUPS: u32 = 0x10 | 0x100;
    /// Bytes read per message; the contents are ignored.
    const MESSAGE: usize = 64;

    pub(super) fn open() -> Option<OwnedFd> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        // Protocol 0 is NETLINK_ROUTE.
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None).ok()?;
        bind(&socket, &SocketAddrNetlink::new(0, GROUPS)).ok()?;
        Some(socket)
    }

    /// Drains the socket; an overrun also counts as a change.
    pub(super) fn drain(socket: &OwnedFd) {
        let mut room = [0; MESSAGE];
        while matches!(
            recv(socket, &mut room, RecvFlags::DONTWAIT),
            Ok(_) | Err(rustix::io::Errno::NOBUFS | rustix::io::Errno::INTR)
        ) {}
    }
}

#[cfg(not(linux))]
mod netlink {
    use std::os::fd::OwnedFd;

    /// Address changes are reported on Linux only.
    pub(super) fn open() -> Option<OwnedFd> {
        None
    }

    pub(super) fn drain(_socket: &OwnedFd) {}
}
