//! Addresses that this machine gets and loses while programs run (`SCTP_AUTO_ASCONF`).

use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::epoll;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, recv, socket_with};

use sheave::poll_loop::Time;
use sheave_sockets::{Errno, Stack};

use super::{Host, Source, watch};

/// The groups of messages about addresses of IPv4 and IPv6 (`RTMGRP_IPV4_IFADDR`,
/// `RTMGRP_IPV6_IFADDR`).
const GROUPS: u32 = 0x10 | 0x100;
/// Bytes read of a message: its contents do not matter.
const MESSAGE: usize = 64;

/// A socket that is readable when addresses have changed.
#[derive(Debug)]
pub(super) struct AddressNews(OwnedFd);

impl AddressNews {
    fn open() -> rustix::io::Result<Self> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        // Protocol 0 is NETLINK_ROUTE.
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
        bind(&socket, &SocketAddrNetlink::new(0, GROUPS))?;
        Ok(Self(socket))
    }

    /// Reads all that waits. An overrun is news, too.
    fn drain(&self) {
        let mut room = [0; MESSAGE];
        while matches!(
            recv(&self.0, &mut room, RecvFlags::DONTWAIT),
            Ok(_) | Err(rustix::io::Errno::NOBUFS | rustix::io::Errno::INTR)
        ) {}
    }
}

impl AsFd for AddressNews {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The addresses of 127.0.0.0/8, all of which are this machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loopback {
    /// Programs may bind to any.
    Whole,
    /// The user has said which addresses there are.
    AsSaid,
}

/// The way in which the host hears of addresses.
#[derive(Debug)]
pub(super) enum AddressWatch {
    /// No program has asked for it yet.
    Unwanted,
    On(AddressNews),
    /// The system does not tell.
    Impossible,
}

impl Host {
    /// Binds, by that call, and once more where it was to an address of 127.0.0.0/8 that no socket had:
    /// as by the kernel, any of them can be had.
    pub(super) fn bind_by(
        &mut self,
        mut call: impl FnMut(&mut Stack, Time) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        loop {
            let bound = call(&mut self.stack, self.carrier.now());
            if bound != Err(Errno::EADDRNOTAVAIL) || !self.lend_loopback() {
                return bound;
            }
        }
    }

    fn lend_loopback(&mut self) -> bool {
        let missing = self.stack.take_missing_address();
        let Some(ip @ IpAddr::V4(v4)) = missing else {
            return false;
        };
        let may = v4.is_loopback() && self.loopback == Loopback::Whole;
        if !may || self.carrier.add_address(ip).is_err() {
            return false;
        }
        self.stack.add_named_address(ip);
        true
    }

    /// Begins to watch the machine's addresses once a program asks for it.
    pub(super) fn watch_addresses(&mut self) {
        if !self.stack.follows_addresses() || !matches!(self.address_watch, AddressWatch::Unwanted)
        {
            return;
        }
        let news = AddressNews::open().ok().filter(|news| {
            let input = epoll::EventFlags::IN;
            watch(&self.epoll, news, Source::Addresses, input).is_ok()
        });
        self.address_watch = news.map_or(AddressWatch::Impossible, AddressWatch::On);
        self.follow_addresses();
    }

    pub(super) fn on_address_news(&mut self) {
        if let AddressWatch::On(news) = &self.address_watch {
            news.drain();
        }
        self.follow_addresses();
    }

    /// Goes on with the addresses that the machine has now, as far as packets can leave from them. An
    /// address that cannot be bound yet is tried again with the next news.
    fn follow_addresses(&mut self) {
        let Ok(mut usable) = self.carrier.usable_addresses() else {
            return;
        };
        let known = self.stack.endpoint().local_addresses().to_vec();
        let carrier = &self.carrier;
        usable.retain(|ip: &IpAddr| known.contains(ip) || carrier.add_address(*ip).is_ok());
        self.stack.set_local_addresses(carrier.now(), &usable);
    }
}
