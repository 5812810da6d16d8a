//! Addresses that this machine gets and loses while an endpoint uses all of them.

use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Config;
use crate::carrier::Carrier;
use crate::options::Shard;

/// Addresses that came and went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AddressChange {
    pub(crate) gained: Vec<IpAddr>,
    pub(crate) lost: Vec<IpAddr>,
}

/// A socket that is readable when addresses may have changed, and those that were in use last.
#[derive(Debug)]
pub(crate) struct AddressNews {
    socket: OwnedFd,
    known: Mutex<Vec<IpAddr>>,
}

impl AddressNews {
    /// Begins to watch, where the configuration names no addresses and the system tells. The addresses of an
    /// endpoint that shares them with others are those that it began with.
    pub(crate) fn open(config: &Config) -> Option<Self> {
        let follows = config.local.is_empty() && config.endpoint.shard == Shard::ONLY;
        let socket = follows.then(netlink::open).flatten()?;
        let known = Mutex::default();
        Some(Self { socket, known })
    }

    /// Notes which addresses are in use at first.
    pub(crate) fn begin_with(&self, known: &[IpAddr]) {
        *self.known() = known.to_vec();
    }

    fn known(&self) -> MutexGuard<'_, Vec<IpAddr>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens sockets at addresses that are new, and says what has changed since the last look. An address
    /// that cannot be bound yet is tried again with the next news. While there is none at all, those before
    /// stay: one that comes then takes their place.
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

#[cfg(target_os = "linux")]
mod netlink {
    use std::os::fd::OwnedFd;

    use rustix::net::netlink::SocketAddrNetlink;
    use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, recv, socket_with};

    /// The groups of messages about addresses of IPv4 and IPv6 (`RTMGRP_IPV4_IFADDR`,
    /// `RTMGRP_IPV6_IFADDR`).
    const GROUPS: u32 = 0x10 | 0x100;
    /// Bytes read of a message: its contents do not matter.
    const MESSAGE: usize = 64;

    pub(super) fn open() -> Option<OwnedFd> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        // Protocol 0 is NETLINK_ROUTE.
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None).ok()?;
        bind(&socket, &SocketAddrNetlink::new(0, GROUPS)).ok()?;
        Some(socket)
    }

    /// Reads all that waits. An overrun is news, too.
    pub(super) fn drain(socket: &OwnedFd) {
        let mut room = [0; MESSAGE];
        while matches!(
            recv(socket, &mut room, RecvFlags::DONTWAIT),
            Ok(_) | Err(rustix::io::Errno::NOBUFS | rustix::io::Errno::INTR)
        ) {}
    }
}

#[cfg(not(target_os = "linux"))]
mod netlink {
    use std::os::fd::OwnedFd;

    /// Only Linux tells.
    pub(super) fn open() -> Option<OwnedFd> {
        None
    }

    pub(super) fn drain(_socket: &OwnedFd) {}
}
