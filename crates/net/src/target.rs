use std::net::IpAddr;

use sheave_engine::{Options, PeerAddress};

/// The peer of a new association, and the options for it.
#[derive(Clone, Debug)]
pub struct Target {
    /// Known addresses of the peer, in the order to try; the peer announces its others.
    pub remote: Vec<PeerAddress>,
    /// The peer's SCTP port.
    pub port: u16,
    /// Our SCTP port; `None` picks a free one.
    pub local_port: Option<u16>,
    /// Local addresses to use and announce to the peer; empty means all that fit the peer.
    pub local: Vec<IpAddr>,
    /// The protocol options.
    pub options: Options,
    #[cfg(feature = "secure")]
    pub(crate) names: Option<crate::secure::Names>,
}

impl Target {
    /// Targets SCTP port `port` at `remote`, over UDP port `udp_port`.
    #[must_use]
    pub fn over_udp(remote: impl IntoIterator<Item = IpAddr>, udp_port: u16, port: u16) -> Self {
        let encapsulated = |ip| PeerAddress::encapsulated(ip, udp_port);
        Self::new(remote.into_iter().map(encapsulated), port)
    }

    /// Targets SCTP port `port` at `remote`, over raw IP (protocol 132).
    #[must_use]
    pub fn over_ip(remote: impl IntoIterator<Item = IpAddr>, port: u16) -> Self {
        Self::new(remote.into_iter().map(PeerAddress::native), port)
    }

    /// Targets SCTP port `port` at `remote`.
    #[must_use]
    pub fn new(remote: impl IntoIterator<Item = PeerAddress>, port: u16) -> Self {
        Self {
            remote: remote.into_iter().collect(),
            port,
            local_port: None,
            local: Vec::new(),
            options: Options::default(),
            #[cfg(feature = "secure")]
            names: None,
        }
    }

    /// Expects one of these names, DNS names or IP addresses, in the certificate of a
    /// [protected](crate::secure) peer, unless its fingerprint is trusted.
    ///
    /// # Errors
    /// A name is neither.
    #[cfg(feature = "secure")]
    pub fn expecting<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, crate::secure::BadName> {
        self.names = Some(crate::secure::Names::new(names)?);
        Ok(self)
    }

    /// Sets the protocol options.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Restricts the association to these local addresses.
    #[must_use]
    pub fn from_local(mut self, local: impl IntoIterator<Item = IpAddr>) -> Self {
        self.local = local.into_iter().collect();
        self
    }

    /// Sets the local SCTP port.
    #[must_use]
    pub fn from_port(mut self, local_port: u16) -> Self {
        self.local_port = Some(local_port);
        self
    }
}
