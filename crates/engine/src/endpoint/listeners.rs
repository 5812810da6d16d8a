use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;

use crate::{ListenError, Options};

/// The ports and addresses at which associations are accepted.
#[derive(Clone, Debug, Default)]
pub(super) struct Listeners(BTreeMap<u16, Vec<Listener>>);

/// The conditions for accepting associations.
#[derive(Clone, Debug)]
pub(super) struct Listener {
    /// Addresses of the listener; empty means all of the endpoint's.
    local: Arc<[IpAddr]>,
    pub(super) options: Arc<Options>,
}

impl Listener {
    fn is_at(&self, ip: IpAddr) -> bool {
        self.local.is_empty() || self.local.contains(&ip)
    }

    pub(super) fn overlaps(&self, other: &[IpAddr]) -> bool {
        self.local.is_empty() || other.is_empty() || other.iter().any(|ip| self.is_at(*ip))
    }

    /// Selects the addresses of `all` that belong to the listener.
    pub(super) fn restrict(&self, all: Arc<[IpAddr]>) -> Arc<[IpAddr]> {
        if self.local.is_empty() {
            return all;
        }
        all.iter().copied().filter(|ip| self.is_at(*ip)).collect()
    }
}

impl Listeners {
    pub(super) fn add(
        &mut self,
        port: u16,
        local: Arc<[IpAddr]>,
        options: Options,
    ) -> Result<(), ListenError> {
        let there = self.0.entry(port).or_default();
        if there.iter().any(|other| other.overlaps(&local)) {
            return Err(ListenError::InUse);
        }
        there.push(Listener {
            local,
            options: Arc::new(options),
        });
        Ok(())
    }

    pub(super) fn remove(&mut self, port: u16, local: &[IpAddr]) {
        if let Some(there) = self.0.get_mut(&port) {
            there.retain(|listener| *listener.local != *local);
            if there.is_empty() {
                self.0.remove(&port);
            }
        }
    }

    pub(super) fn has_port(&self, port: u16) -> bool {
        self.0.contains_key(&port)
    }

    pub(super) fn ports(&self) -> impl Iterator<Item = u16> + '_ {
        self.0.keys().copied()
    }

    /// The listener for a port and address.
    pub(super) fn find(&self, port: u16, ip: IpAddr) -> Option<&Listener> {
        let mut there = self.0.get(&port)?.iter();
        there.find(|listener| listener.is_at(ip))
    }
}
