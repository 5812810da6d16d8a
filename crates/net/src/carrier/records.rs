//! The carrier's DTLS records and connections.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use sheave_engine::PeerAddress;

use super::dtls::{self, Connections, Failure};
use super::stranger::NO_DTLS;
use super::{Batch, Carrier, Socket};
use crate::dtls::DtlsError;

impl Carrier {
    /// Decrypts the records of a batch. At a port without DTLS, answers peers that try DTLS.
    pub(crate) fn open(&self, batch: &mut Batch) {
        let Some(dtls) = &self.dtls else {
            for (local, remote) in batch.hellos_of_dtls() {
                self.send_datagram(local, remote, &NO_DTLS);
            }
            return;
        };
        let now = self.system.now();
        let send = |local, remote, datagram: &[u8]| self.send_datagram(local, remote, datagram);
        batch.open(|arrival, opened| dtls.receive(now, arrival, &send, opened));
    }

    /// Runs the DTLS timers.
    pub(crate) fn handle_timeouts(&self) {
        if let Some(dtls) = &self.dtls {
            let send = |local, remote, datagram: &[u8]| self.send_datagram(local, remote, datagram);
            dtls.handle_timeouts(self.system.now(), &send);
        }
    }

    /// Time until the next DTLS timer, if any is set.
    pub(crate) fn until_timeout(&self) -> Option<Duration> {
        let next = self.dtls.as_ref()?.next_timeout()?;
        Some(next.saturating_duration_since(self.system.now()))
    }

    /// The DTLS connections that ended since the last call.
    pub(crate) fn take_failures(&self) -> Vec<Failure> {
        self.dtls
            .as_ref()
            .map_or_else(Vec::new, Connections::take_failures)
    }

    /// Closes long-idle DTLS connections, except those in `used`, which have associations.
    pub(crate) fn sweep(&self, used: impl FnOnce() -> HashSet<IpAddr>) {
        if let Some(dtls) = &self.dtls {
            let now = self.system.now();
            if dtls.is_sweep_due(now) {
                let send =
                    |local, remote, datagram: &[u8]| self.send_datagram(local, remote, datagram);
                dtls.sweep(now, &used(), &send);
            }
        }
    }

    /// Closes all DTLS connections.
    pub(crate) fn close_connections(&self) {
        if let Some(dtls) = &self.dtls {
            let send = |local, remote, datagram: &[u8]| self.send_datagram(local, remote, datagram);
            dtls.close_all(self.system.now(), &send);
        }
    }

    /// Fingerprint of the local certificate.
    #[cfg(feature = "dtls")]
    pub(crate) fn fingerprint(&self) -> Option<crate::dtls::Fingerprint> {
        self.dtls.as_ref()?.fingerprint()
    }

    /// Whether packets travel in DTLS records.
    pub(crate) fn has_dtls(&self) -> bool {
        self.dtls.is_some()
    }

    /// Finds or starts the DTLS connection with the first of these peer addresses that a local
    /// address (one of `wanted`, unless empty) can reach; returns the engine's name for it.
    pub(crate) fn open_connection(
        &self,
        remote: &[PeerAddress],
        wanted: &[IpAddr],
    ) -> Result<PeerAddress, DtlsError> {
        let dtls = self.dtls.as_ref().ok_or(DtlsError::NoAddress)?;
        let send = |local, remote, datagram: &[u8]| self.send_datagram(local, remote, datagram);
        for peer in remote {
            let target = SocketAddr::new(peer.ip, peer.encapsulation.unwrap_or(0));
            let fits = |ip: &IpAddr| {
                ip.is_ipv4() == peer.ip.is_ipv4() && (wanted.is_empty() || wanted.contains(ip))
            };
            let ours = || self.sockets().map(Socket::local).filter(fits);
            let preferred = dtls::source_towards(target);
            let local = ours().find(|ip| Some(*ip) == preferred).or(ours().next());
            if let Some(local) = local {
                let ip = dtls.open(self.system.now(), local, target, &send)?;
                return Ok(PeerAddress { ip, ..*peer });
            }
        }
        Err(DtlsError::NoAddress)
    }

    /// The reason why a DTLS connection recently ended, if it did.
    pub(crate) fn end_of_connection(&self, name: IpAddr) -> Option<DtlsError> {
        self.dtls.as_ref()?.end_of(name)
    }

    /// The real address of a peer by its engine name; they differ only over DTLS.
    pub(crate) fn real_peer(&self, name: PeerAddress) -> PeerAddress {
        match self.dtls.as_ref().and_then(|dtls| dtls.peer(name.ip)) {
            Some(peer) => PeerAddress::encapsulated(peer.ip(), peer.port()),
            None => name,
        }
    }

    /// The real local address of a path, given the engine's names of both ends.
    pub(crate) fn real_local(&self, local: IpAddr, peer: IpAddr) -> IpAddr {
        let dtls = self.dtls.as_ref();
        dtls.and_then(|dtls| dtls.local(peer)).unwrap_or(local)
    }
}
