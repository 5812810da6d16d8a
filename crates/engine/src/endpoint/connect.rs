//! Associations started by this endpoint.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;

use super::Endpoint;
use super::registry::Registry;
use crate::assoc::{Opener, Tcb};
use crate::{AssocId, scope};
use crate::{ConnectError, Options, PeerAddress, Time};

/// First port tried if the user names none (RFC 6335 §6).
const FIRST_EPHEMERAL: u16 = 49_152;

/// The parameters of a new association (RFC 9260 §11.1.2, ASSOCIATE).
#[derive(Clone, Debug)]
pub struct Connect {
    /// Our SCTP port; `None` picks a free one, starting at 49152.
    pub local_port: Option<u16>,
    /// Local addresses to use and list to the peer; empty means all of the endpoint's.
    pub local: Vec<IpAddr>,
    /// The peer's SCTP port.
    pub remote_port: u16,
    /// Known addresses of the peer, in the order to try them. The INIT ACK then lists the peer's
    /// addresses: new ones are added, unlisted ones dropped, except the INIT ACK's source (RFC 9260
    /// §5.1.2).
    pub remote: Vec<PeerAddress>,
    /// The protocol parameters.
    pub options: Options,
}

/// The addresses and the local port of a new association.
pub(super) struct Ends {
    /// Our addresses: those the user named, or all of the endpoint's.
    pub(super) local: Arc<[IpAddr]>,
    /// The peer's addresses reachable from ours; at least one.
    pub(super) remote: Vec<PeerAddress>,
    pub(super) local_port: u16,
}

impl Endpoint {
    /// Starts an association; [`Event::Established`](crate::Event::Established) or
    /// [`Event::Closed`](crate::Event::Closed) reports the outcome.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub fn connect(&mut self, now: Time, to: Connect) -> Result<AssocId, ConnectError> {
        let Ends {
            local,
            remote,
            local_port,
        } = self.choose_ends(&to)?;
        let ips: Vec<IpAddr> = remote.iter().map(|address| address.ip).collect();
        let local = scope::fitting(&local, &ips, self.options.with_loopback);
        let index = self.registry.vacancy();
        let opener = Opener {
            id: self.registry.id(index),
            options: self.shared(to.options),
            ports: (local_port, to.remote_port),
            local_tag: self.fresh_tag(None),
            local,
            remote,
        };
        let id = opener.id;
        self.enroll(now, index, |cx| Tcb::connect(cx, opener));
        self.settle(now, index);
        Ok(id)
    }

    /// Checks that another association is allowed, and determines its addresses and local port.
    pub(super) fn choose_ends(&mut self, to: &Connect) -> Result<Ends, ConnectError> {
        to.options.validate().map_err(ConnectError::Option)?;
        if to.remote_port == 0 {
            return Err(ConnectError::PortZero);
        }
        if self.registry.len() >= self.options.max_associations {
            return Err(ConnectError::TooManyAssociations);
        }
        let local = self.local_subset(&to.local)?;
        let remote = reachable(&to.remote, &local)?;
        let local_port = self.pick_port(to.local_port, to.remote_port, &local, &remote)?;
        Ok(Ends {
            local,
            remote,
            local_port,
        })
    }

    fn local_subset(&self, wanted: &[IpAddr]) -> Result<Arc<[IpAddr]>, ConnectError> {
        if wanted.is_empty() {
            return Ok(self.local.all().clone());
        }
        match wanted.iter().find(|ip| !self.local.contains(**ip)) {
            Some(stranger) => Err(ConnectError::NotLocal(*stranger)),
            None => Ok(wanted.into()),
        }
    }

    fn pick_port(
        &mut self,
        wanted: Option<u16>,
        remote_port: u16,
        local: &[IpAddr],
        remote: &[PeerAddress],
    ) -> Result<u16, ConnectError> {
        // Sockets on other local addresses are separate SCTP endpoints (RFC 9260 §1.3).
        let free = |registry: &Registry, port: u16| {
            remote.iter().all(|to| {
                let place = (port, remote_port, to.ip);
                let met = registry.by_peer(place, |tcb| tcb.is_at_any(local));
                met.is_none()
            })
        };
        if let Some(port) = wanted {
            return if port != 0 && free(&self.registry, port) {
                Ok(port)
            } else {
                Err(ConnectError::PortInUse)
            };
        }
        let count = u64::from(u16::MAX - FIRST_EPHEMERAL);
        let start = self.rng.below(count);
        let rest = FIRST_EPHEMERAL + u16::try_from(start).unwrap_or(0)..=u16::MAX;
        let shard = self.options.shard;
        (rest.chain(FIRST_EPHEMERAL..=u16::MAX))
            .filter(|port| shard.has_port(*port))
            .find(|port| !self.listeners.has_port(*port) && free(&self.registry, *port))
            .ok_or(ConnectError::PortInUse)
    }
}

/// The peer addresses reachable from `local`.
fn reachable(remote: &[PeerAddress], local: &[IpAddr]) -> Result<Vec<PeerAddress>, ConnectError> {
    let mut usable: Vec<PeerAddress> = Vec::with_capacity(remote.len());
    for address in remote {
        let address = PeerAddress {
            ip: address.ip.to_canonical(),
            ..*address
        };
        let broadcast = matches!(address.ip, IpAddr::V4(ip) if ip.is_broadcast());
        if address.ip.is_unspecified() || address.ip.is_multicast() || broadcast {
            return Err(ConnectError::UnusableAddress(address.ip));
        }
        let reachable = local.iter().any(|ip| ip.is_ipv4() == address.ip.is_ipv4());
        let known = usable.iter().any(|other| other.ip == address.ip);
        if reachable && !known && usable.len() < crate::peer_parameters::MAX_LISTED {
            usable.push(address);
        }
    }
    if usable.is_empty() {
        Err(ConnectError::NoAddress)
    } else {
        Ok(usable)
    }
}
