use core::fmt;
use core::net::{IpAddr, Ipv4Addr};

use sheave_engine::wire::Packet;

/// Either of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    A,
    Z,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::A, Self::Z];

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::A => Self::Z,
            Self::Z => Self::A,
        }
    }

    /// The `n`th address of this end.
    pub(crate) const fn address(self, n: u8) -> IpAddr {
        let host = match self {
            Self::A => 1,
            Self::Z => 2,
        };
        IpAddr::V4(Ipv4Addr::new(10, n, 0, host))
    }

    /// The owner of an address.
    pub(crate) fn of(ip: IpAddr) -> Self {
        match ip {
            IpAddr::V4(ip) if ip.octets()[3] == 1 => Self::A,
            _ => Self::Z,
        }
    }
}

/// A packet in flight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Parcel {
    pub(crate) from: IpAddr,
    pub(crate) to: IpAddr,
    pub(crate) bytes: Vec<u8>,
}

impl fmt::Display for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} > {} ", self.from, self.to)?;
        match Packet::parse(&self.bytes) {
            Ok(packet) => write!(f, "{packet}"),
            Err(malformed) => write!(f, "{malformed}"),
        }
    }
}
