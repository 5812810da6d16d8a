use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;

use crate::{Time, WithLoopback, scope};

/// An endpoint's local addresses, and which of these a peer with a cookie knows.
#[derive(Clone, Debug)]
pub(super) struct LocalAddresses {
    all: Arc<[IpAddr]>,
    with_loopback: WithLoopback,
    /// Time of the last INIT ACK that listed addresses.
    listed_at: Option<Time>,
    /// Addresses added after that INIT ACK.
    added: Vec<(IpAddr, Time)>,
}

impl LocalAddresses {
    pub(super) fn new(all: Vec<IpAddr>, with_loopback: WithLoopback) -> Self {
        Self {
            all: all.into(),
            with_loopback,
            listed_at: None,
            added: Vec::new(),
        }
    }

    pub(super) const fn all(&self) -> &Arc<[IpAddr]> {
        &self.all
    }

    pub(super) fn contains(&self, ip: IpAddr) -> bool {
        self.all.contains(&ip)
    }

    pub(super) fn add(&mut self, ip: IpAddr) {
        if self.contains(ip) {
            return;
        }
        self.all = self.all.iter().copied().chain([ip]).collect();
        self.added.retain(|(other, _)| *other != ip);
        self.added
            .extend(self.listed_at.map(|listed_at| (ip, listed_at)));
    }

    /// Removes an address, except the last one.
    pub(super) fn remove(&mut self, ip: IpAddr) {
        if self.all.iter().any(|other| *other != ip) {
            let others = self.all.iter().copied().filter(|other| *other != ip);
            self.all = others.collect();
            self.added.retain(|(other, _)| *other != ip);
        }
    }

    /// The addresses to list in an INIT ACK sent now to a peer that used `to`.
    pub(super) fn list(&mut self, now: Time, to: IpAddr) -> Arc<[IpAddr]> {
        self.listed_at = Some(now);
        scope::fitting(&self.all, &[to], self.with_loopback)
    }

    /// The addresses known to the peer of a cookie made at that time: those added later are left
    /// out, unless none would remain.
    pub(super) fn listed(&self, created: Time, to: IpAddr) -> Arc<[IpAddr]> {
        let fitting = scope::fitting(&self.all, &[to], self.with_loopback);
        if self.added.is_empty() {
            return fitting;
        }
        let newer = |ip: &IpAddr| {
            let mut added = self.added.iter();
            added.any(|(other, listed_at)| other == ip && created <= *listed_at)
        };
        let known: Arc<[IpAddr]> = fitting.iter().copied().filter(|ip| !newer(ip)).collect();
        if known.is_empty() { fitting } else { known }
    }
}

#[cfg(test)]
mod tests;
