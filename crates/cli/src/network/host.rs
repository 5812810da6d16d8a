use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs, UdpSocket};
use std::str::FromStr;

use super::UDP_PORT;
use crate::failure::Failure;

/// A host and a port from `HOST[:PORT]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort {
    /// Name or address.
    pub host: String,
    /// The port, if one was given.
    pub port: Option<u16>,
}

impl FromStr for HostPort {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let port = |text: &str| match text.parse() {
            Ok(port) if port != 0 => Ok(Some(port)),
            _ => Err(format!("\"{text}\" is no port; give 1 to 65535")),
        };
        let (host, port) = if let Some(rest) = text.strip_prefix('[') {
            match rest.split_once(']') {
                Some((host, "")) => (host, None),
                Some((host, rest)) if rest.starts_with(':') => (host, port(&rest[1..])?),
                _ => return Err("expected [IPV6]:PORT".to_owned()),
            }
        } else {
            match text.split_once(':') {
                // More than one colon is a bare IPv6 address.
                Some((host, rest)) if !rest.contains(':') => (host, port(rest)?),
                _ => (text, None),
            }
        };
        if host.is_empty() {
            return Err("the host is missing; give HOST or HOST:PORT".to_owned());
        }
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }
}

/// A family of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

impl Family {
    /// Whether the address belongs to this family.
    pub fn has(self, ip: IpAddr) -> bool {
        ip.is_ipv4() == (self == Self::V4)
    }
}

/// The first address of a host name.
pub fn resolve(host: &str) -> Result<IpAddr, Failure> {
    let addresses = resolve_all(host, None)?;
    addresses
        .first()
        .copied()
        .ok_or_else(|| no_address(host, None))
}

/// The addresses of a host in the resolver's order, restricted to the family; several, since the
/// first may be unreachable.
/// Errors: the name is unknown, or has no address of the family.
pub fn resolve_all(host: &str, family: Option<Family>) -> Result<Vec<IpAddr>, Failure> {
    match (host, 0).to_socket_addrs() {
        Ok(found) => {
            let found: Vec<IpAddr> = found.map(|address| address.ip()).collect();
            let addresses = choose(found.iter().copied(), family);
            match addresses.is_empty() {
                true if found.iter().any(is_link_local) => Err(link_local(host)),
                true => Err(no_address(host, family)),
                false => Ok(addresses),
            }
        }
        Err(error) => Err(Failure::new(format!("{host}: {error}"))
            .fix("give a name that resolves, or an IP address")),
    }
}

/// Deduplicates the addresses of the family. Loopback and other addresses are not mixed: the first
/// one decides. Link-local addresses are dropped, since a path has no interface.
fn choose(found: impl Iterator<Item = IpAddr>, family: Option<Family>) -> Vec<IpAddr> {
    let mut chosen: Vec<IpAddr> = Vec::new();
    let is_usable = |ip: &IpAddr| family.is_none_or(|family| family.has(*ip)) && !is_link_local(ip);
    for ip in found.filter(is_usable) {
        let is_alike = |first: &IpAddr| first.is_loopback() == ip.is_loopback();
        if chosen.first().is_none_or(is_alike) && !chosen.contains(&ip) {
            chosen.push(ip);
        }
    }
    chosen
}

fn is_link_local(ip: &IpAddr) -> bool {
    matches!(ip, IpAddr::V6(ip) if ip.is_unicast_link_local())
}

fn link_local(host: &str) -> Failure {
    Failure::new(format!("{host}: link-local addresses cannot be used"))
        .fix("give an address that is valid beyond one link")
}

/// The system's error for sending if no address is reachable.
pub fn obstacle(addresses: &[IpAddr]) -> Option<io::Error> {
    let mut last = None;
    for &ip in addresses {
        let any: IpAddr = match ip {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        // Sends nothing: `connect` only looks up a route.
        let connected = UdpSocket::bind((any, 0)).and_then(|socket| socket.connect((ip, UDP_PORT)));
        last = Some(connected.err()?);
    }
    last
}

fn no_address(host: &str, family: Option<Family>) -> Failure {
    Failure::new(match family {
        None => format!("{host}: no address"),
        Some(Family::V4) => format!("{host}: no IPv4 address"),
        Some(Family::V6) => format!("{host}: no IPv6 address"),
    })
}

#[cfg(test)]
mod tests;
