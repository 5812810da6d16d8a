use std::fmt;
use std::net::IpAddr;

use crate::doctor::here::addresses::{Interface, Reach};

/// The carrier of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// UDP to this port (RFC 6951).
    Udp(u16),
    /// IP protocol 132.
    Ip,
}

impl Over {
    /// The UDP port; 0 over plain IP.
    pub const fn port(self) -> u16 {
        match self {
            Self::Udp(port) => port,
            Self::Ip => 0,
        }
    }
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Udp(port) => write!(f, "UDP port {port}"),
            Self::Ip => f.write_str("IP protocol 132"),
        }
    }
}

/// A route to the peer: carrier, local and remote address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The carrier.
    pub over: Over,
    /// The local address.
    pub local: IpAddr,
    /// The remote address.
    pub remote: IpAddr,
}

impl Way {
    /// The name of the finding for this route.
    pub fn name(&self) -> String {
        match self.over {
            Over::Udp(_) => format!("UDP {} > {}", self.local, self.remote),
            Over::Ip => format!("IP {} > {}", self.local, self.remote),
        }
    }
}

/// Every route from local to remote addresses. `chosen` are the user's local addresses; if empty,
/// every usable one.
pub fn ways(
    interfaces: &[Interface],
    chosen: &[IpAddr],
    remotes: &[IpAddr],
    udp_port: u16,
) -> Vec<Way> {
    let usable = interfaces
        .iter()
        .filter(|one| !matches!(one.reach(), Reach::LinkLocal | Reach::Internal))
        .map(|one| one.ip);
    let mut locals: Vec<IpAddr> = match chosen.is_empty() {
        true => usable.collect(),
        false => chosen.to_vec(),
    };
    locals.sort_unstable();
    locals.dedup();
    let mut ways = Vec::new();
    for over in [Over::Udp(udp_port), Over::Ip] {
        for &remote in remotes {
            let fits = |local: &&IpAddr| {
                local.is_ipv4() == remote.is_ipv4()
                    && (!chosen.is_empty() || local.is_loopback() == remote.is_loopback())
            };
            let locals = locals.iter().filter(fits);
            ways.extend(locals.map(|&local| Way {
                over,
                local,
                remote,
            }));
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn interfaces() -> Vec<Interface> {
        let all = [
            ("lo", "127.0.0.1"),
            ("eth0", "192.0.2.1"),
            ("eth1", "198.51.100.1"),
            ("eth0", "2001:db8::1"),
            ("eth0", "fe80::1"),
            ("docker0", "172.17.0.1"),
        ];
        let one = |(name, address): (&str, &str)| Interface {
            name: name.to_owned(),
            ip: ip(address),
        };
        all.map(one).into()
    }

    fn locals(chosen: &[IpAddr], remote: &str) -> Vec<IpAddr> {
        let ways = ways(&interfaces(), chosen, &[ip(remote)], 9899);
        let udp = ways.iter().filter(|way| way.over == Over::Udp(9899));
        udp.map(|way| way.local).collect()
    }

    #[test]
    fn every_local_address_of_the_family_that_can_reach_the_peer_is_asked_from() {
        assert_eq!(
            locals(&[], "203.0.113.1"),
            [ip("192.0.2.1"), ip("198.51.100.1")]
        );
        assert_eq!(locals(&[], "2001:db8::2"), [ip("2001:db8::1")]);
        assert_eq!(locals(&[], "127.0.0.1"), [ip("127.0.0.1")]);
    }

    #[test]
    fn chosen_addresses_are_taken_as_they_are() {
        let chosen = [ip("172.17.0.1")];
        assert_eq!(locals(&chosen, "172.17.0.2"), chosen);
    }

    #[test]
    fn each_carrier_is_a_way_of_its_own() {
        let ways = ways(&interfaces(), &[ip("192.0.2.1")], &[ip("192.0.2.9")], 9);
        let overs: Vec<Over> = ways.iter().map(|way| way.over).collect();
        assert_eq!(overs, [Over::Udp(9), Over::Ip]);
    }
}
