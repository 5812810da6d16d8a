use core::fmt;
use core::net::IpAddr;

/// The transport address of a peer: its IP address and, with UDP encapsulation, its UDP port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PeerAddress {
    /// The peer's IP address. The SCTP port belongs to the association.
    pub ip: IpAddr,
    /// The peer's UDP encapsulation port (RFC 6951), `None` for plain IP protocol 132.
    pub encapsulation: Option<u16>,
}

impl PeerAddress {
    /// An address reached over plain IP protocol 132.
    #[must_use]
    pub const fn native(ip: IpAddr) -> Self {
        Self {
            ip,
            encapsulation: None,
        }
    }

    /// An address reached through UDP encapsulation at `port` (RFC 6951; the usual port is 9899).
    #[must_use]
    pub const fn encapsulated(ip: IpAddr, port: u16) -> Self {
        Self {
            ip,
            encapsulation: Some(port),
        }
    }
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.encapsulation {
            None => write!(f, "{}", self.ip),
            Some(port) => write!(f, "{} over UDP port {port}", self.ip),
        }
    }
}

/// The two ECN bits of an IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ecn {
    /// Not ECN-capable (00).
    #[default]
    NotEct,
    /// ECN-capable, ECT(1) (01).
    Ect1,
    /// ECN-capable, ECT(0) (10).
    Ect0,
    /// Congestion experienced (11).
    Ce,
}
