use std::net::IpAddr;

use sheave_engine::{Options, PeerAddress};

/// The peer of a new association, and the options for it.
#[derive(Clone, Debug)]
pub struct Target {
    /// Known addresses of the peer, the one to try first in front. The peer tells the others.
    pub remote: Vec<PeerAddress>,
    /// The peer's SCTP port.
    pub port: u16,
    /// Our SCTP port; `None` picks a free one.
    pub local_port: Option<u16>,
    /// The local addresses to use and to tell the peer; empty means all that fit the peer.
    pub local: Vec<IpAddr>,
    /// The protocol parameters; the default ones unless chosen otherwise.
    pub options: Options,
}

impl Target {
    /// SCTP port `port` of the peer at `remote`, reached over UDP at `udp_port`.
    #[must_use]
    pub fn over_udp(remote: impl IntoIterator<Item = IpAddr>, udp_port: u16, port: u16) -> Self {
        let encapsulated = |ip| PeerAddress::encapsulated(ip, udp_port);
        Self::new(remote.into_iter().map(encapsulated), port)
    }

    /// SCTP port `port` of the peer at `remote`, reached over plain IP, protocol 132.
    #[must_use]
    pub fn over_ip(remote: impl IntoIterator<Item = IpAddr>, port: u16) -> Self {
        Self::new(remote.into_iter().map(PeerAddress::native), port)
    }

    /// SCTP port `port` of the peer at `remote`.
    #[must_use]
    pub fn new(remote: impl IntoIterator<Item = PeerAddress>, port: u16) -> Self {
        Self {
            remote: remote.into_iter().collect(),
            port,
            local_port: None,
            local: Vec::new(),
            options: Options::default(),
        }
    }

    /// The same target with these protocol parameters.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The same target, from these local addresses alone.
    #[must_use]
    pub fn from_local(mut self, local: impl IntoIterator<Item = IpAddr>) -> Self {
        self.local = local.into_iter().collect();
        self
    }

    /// The same target, from this local SCTP port.
    #[must_use]
    pub fn from_port(mut self, local_port: u16) -> Self {
        self.local_port = Some(local_port);
        self
    }
}
