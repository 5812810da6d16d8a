//! Changes of an association's paths (RFC 6458 §6.1.2) and of the host's addresses (§8.1.23).

use core::net::{IpAddr, SocketAddr};

use sheave_engine::{PathChange, Time};

use super::Attached;
use crate::settings::EventType;
use crate::socket::Kind;

impl Attached<'_> {
    pub(super) fn on_path(&mut self, now: Time, remote: IpAddr, change: PathChange) {
        if change == PathChange::Added {
            (self.association).tune_paths(now, &mut self.transport.endpoint);
        }
        if change == PathChange::Primary {
            self.refresh_peer();
        }
        // RFC 7829 §7.3: potentially failed addresses are reported only on request, and so is the
        // recovery of an address that was never reported unreachable.
        let suspects = &mut self.association.suspects;
        let is_suspicion = match change {
            PathChange::PotentiallyFailed => suspects.insert(remote),
            PathChange::Up => suspects.remove(&remote),
            PathChange::Down | PathChange::Removed => {
                suspects.remove(&remote);
                false
            }
            PathChange::Confirmed | PathChange::Primary | PathChange::Added => false,
        };
        if is_suspicion && self.association.settings.expose_potentially_failed != 2 {
            return;
        }
        let address = SocketAddr::new(remote, self.association.peer.port());
        let socket = self.socket.as_ref();
        let shown = socket.map_or(address, |socket| socket.present(address));
        self.notify(EventType::PeerAddrChange, |notice| {
            notice.address_change(shown, change)
        });
    }

    /// Updates the peer's primary address from the engine.
    pub(super) fn refresh_peer(&mut self) {
        let paths = self.transport.endpoint.paths_of(self.association.engine);
        let Some(primary) = paths.iter().find(|path| path.primary) else {
            return;
        };
        self.association.peer.set_ip(primary.remote);
        if let Some(socket) = &mut self.socket
            && socket.kind != Kind::OneToMany
        {
            socket.peer = Some(self.association.peer);
        }
    }

    /// Announces the usable new addresses and the lost ones to the peer.
    pub(crate) fn follow_addresses(&mut self, now: Time, gained: &[IpAddr]) {
        let endpoint = &mut self.transport.endpoint;
        let peers = endpoint.paths_of(self.association.engine);
        let reaches = |ip: &IpAddr| {
            let fits = |peer: &IpAddr| {
                (peer.is_ipv4(), peer.is_loopback()) == (ip.is_ipv4(), ip.is_loopback())
            };
            (self.socket.as_ref()).is_some_and(|socket| socket.takes(ip))
                && peers.iter().any(|path| fits(&path.remote))
        };
        let owned = endpoint.local_addresses().to_vec();
        let Some(mut assoc) = endpoint.assoc(self.association.engine) else {
            return;
        };
        // Fails without RFC 5061; the peer then does not learn the address.
        for ip in gained.iter().copied().filter(reaches) {
            let _ = assoc.add_address(now, ip);
        }
        for ip in assoc.local_addresses() {
            if !owned.contains(&ip) {
                let _ = assoc.delete_address(now, ip);
            }
        }
    }
}
