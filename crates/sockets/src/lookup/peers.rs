//! Peers that a socket has, or can connect to (RFC 6458 §4.1.5, §9.9).

use core::net::{IpAddr, SocketAddr};

use super::Lookup;
use crate::abi::{Refusal, System};
use crate::association::Stage;
use crate::socket::{Fate, Kind};
use crate::{AssocId32, ConnectState, Domain, Errno};

impl Lookup<'_> {
    /// The association of the socket with the peer that has this address.
    pub(crate) fn assoc_with(&self, peer: SocketAddr) -> Option<AssocId32> {
        let first = self.socket.assocs.first()?;
        let port = self.associations.get(*first)?.local_port;
        let mut numbers = self.with_peer(port, peer);
        numbers.find(|number| self.socket.assocs.contains(number))
    }

    /// Checks whether the socket can start an association with a peer at these addresses.
    pub(crate) fn check_connect(&self, addresses: &[SocketAddr]) -> Result<(), Errno> {
        self.is_connectable()?;
        for (place, address) in addresses.iter().enumerate() {
            let before = addresses.get(..place).unwrap_or_default();
            self.can_be_peer(*address)?;
            if before.iter().any(|other| other.port() != address.port()) {
                return Err(Errno::EINVAL);
            }
            let ip = address.ip().to_canonical();
            if before.iter().any(|other| other.ip().to_canonical() == ip) {
                return Err(Errno::EADDRNOTAVAIL);
            }
        }
        Ok(())
    }

    /// Checks whether the socket's state allows a new association.
    fn is_connectable(&self) -> Result<(), Errno> {
        let socket = self.socket;
        let reason = match (socket.kind, socket.fate, socket.connect) {
            (Kind::PeeledOff, ..) => Refusal::ConnectWherePeeledOff,
            (Kind::OneToOne, ..) if socket.backlog.is_some() => Refusal::ConnectWhereListening,
            (Kind::OneToOne, Fate::None, ConnectState::InProgress) => {
                Refusal::ConnectWhileConnecting
            }
            (Kind::OneToOne, Fate::None, _) | (Kind::OneToMany, ..) => return Ok(()),
            // Linux also refuses to connect such a socket again.
            (Kind::OneToOne, ..) => return Err(Errno::EISCONN),
        };
        Err(self.abi.refusal(reason))
    }

    /// Checks whether a new peer can have this address.
    fn can_be_peer(&self, address: SocketAddr) -> Result<(), Errno> {
        let mixed = self.socket.domain == Domain::V4 && address.is_ipv6();
        // Interfaces have no scopes here.
        let scoped = matches!(address.ip(), IpAddr::V6(ip) if ip.is_unicast_link_local());
        if mixed || scoped || !self.socket.reaches(&address.ip()) {
            return Err(Errno::EINVAL);
        }
        let known = self.assoc_with(address);
        match known.and_then(|number| self.associations.get(number)) {
            Some(found) if found.stage == Stage::Opening => Err(Errno::EALREADY),
            Some(_) => Err(self.abi.refusal(Refusal::ConnectToKnownPeer)),
            // The peeled-off socket holds this association now.
            None if self.abi.system() == System::Linux && self.is_known_at_port(address) => {
                Err(Errno::EADDRNOTAVAIL)
            }
            None => Ok(()),
        }
    }

    /// Whether the socket's port and addresses already have an association with this peer.
    fn is_known_at_port(&self, peer: SocketAddr) -> bool {
        let Some(binding) = &self.socket.binding else {
            return false;
        };
        let ours = &binding.addresses;
        self.with_peer(binding.port, peer).any(|number| {
            let found = self.associations.get(number);
            let paths = found.map_or_else(Vec::new, |found| self.endpoint.paths_of(found.engine));
            ours.is_empty() || paths.iter().any(|path| ours.contains(&path.local))
        })
    }

    /// The associations between a local port and an address of a peer.
    fn with_peer(&self, port: u16, peer: SocketAddr) -> impl Iterator<Item = AssocId32> {
        let engines = self.endpoint.associations_with(port, peer);
        engines.filter_map(|engine| self.associations.number_of(engine))
    }
}
