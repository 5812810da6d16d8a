use std::fs;
use std::io;
use std::net::IpAddr;

use sheave_engine::PeerAddress;

/// Interface addresses of this machine usable as the end of a path: all but link-local ones, which
/// need an interface to be meaningful.
pub(crate) fn usable() -> io::Result<Vec<IpAddr>> {
    let mut addresses: Vec<IpAddr> = if_addrs::get_if_addrs()?
        .into_iter()
        .filter(|interface| !interface.is_link_local())
        .map(|interface| interface.ip())
        .filter(|ip| !ip.is_unspecified() && !ip.is_multicast())
        .collect();
    addresses.sort_unstable();
    addresses.dedup();
    Ok(addresses)
}

/// MTU of the interface that has this address, bytes; `None` if unknown, as on all systems but
/// Linux.
pub(crate) fn interface_mtu(ip: IpAddr) -> Option<u16> {
    let interfaces = if_addrs::get_if_addrs().ok()?;
    // The loopback interface owns all of 127.0.0.0/8.
    let owns = |candidate: IpAddr| candidate == ip || (candidate.is_loopback() && ip.is_loopback());
    let interface = interfaces.iter().find(|entry| owns(entry.ip()))?;
    let text = fs::read_to_string(format!("/sys/class/net/{}/mtu", interface.name)).ok()?;
    let mtu: u32 = text.trim().parse().ok()?;
    Some(u16::try_from(mtu).unwrap_or(u16::MAX))
}

/// Returns those addresses of `local` that can reach a peer of which `remote` is known: loopback
/// addresses of its address families for a peer on loopback, all others for one elsewhere, which may
/// have addresses of both families. If none qualifies, returns all.
pub(crate) fn in_scope(local: &[IpAddr], remote: &[PeerAddress]) -> Vec<IpAddr> {
    let loopback = remote.iter().any(|peer| peer.ip.is_loopback());
    let fits = |ip: &IpAddr| {
        let family = || remote.iter().any(|peer| peer.ip.is_ipv4() == ip.is_ipv4());
        ip.is_loopback() == loopback && (!loopback || family())
    };
    let fitting: Vec<IpAddr> = local.iter().copied().filter(fits).collect();
    match fitting.is_empty() {
        true => local.to_vec(),
        false => fitting,
    }
}

#[cfg(test)]
mod tests;
