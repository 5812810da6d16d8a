//! Changes of an association's paths (RFC 6458 §6.1.2).

use core::net::{IpAddr, SocketAddr};

use sheave_engine::{PathChange, Time};

use crate::AssocId32;
use crate::notification;
use crate::settings::EventType;
use crate::socket::Kind;
use crate::stack::Stack;

impl Stack {
    pub(super) fn on_path(
        &mut self,
        now: Time,
        number: AssocId32,
        remote: IpAddr,
        change: PathChange,
    ) {
        if change == PathChange::Added {
            self.tune_paths(now, number);
        }
        if change == PathChange::Primary {
            self.refresh_peer(number);
        }
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        // RFC 7829 §7.3: potentially failed addresses are reported only on request, and so is the
        // recovery of an address that was never reported unreachable.
        let suspects = &mut association.suspects;
        let is_suspicion = match change {
            PathChange::PotentiallyFailed => suspects.insert(remote),
            PathChange::Up => suspects.remove(&remote),
            PathChange::Down | PathChange::Removed => {
                suspects.remove(&remote);
                false
            }
            PathChange::Confirmed | PathChange::Primary | PathChange::Added => false,
        };
        if is_suspicion && association.settings.expose_potentially_failed != 2 {
            return;
        }
        let address = SocketAddr::new(remote, association.peer.port());
        let shown = self
            .owner_of(number)
            .map_or(address, |socket| socket.present(address));
        self.notify(number, EventType::PeerAddrChange, |abi| {
            notification::address_change(abi, number, shown, change)
        });
    }

    /// Updates the peer's primary address from the engine.
    pub(super) fn refresh_peer(&mut self, number: AssocId32) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        let Some(assoc) = self.endpoint.assoc(association.engine) else {
            return;
        };
        if let Some(primary) = assoc.path_stats().iter().find(|path| path.primary) {
            association.peer.set_ip(primary.remote);
            let peer = association.peer;
            if let Some(socket) = self.owner_of(number)
                && socket.kind != Kind::OneToMany
            {
                socket.peer = Some(peer);
            }
        }
    }
}
