//! Our addresses, and those that each peer address can reach.
//!
//! A loopback address means the local host everywhere: announced to a peer elsewhere, it would mean
//! the peer itself, and packets sent from it are dropped on the way. A peer on loopback has no use
//! for interface addresses, since it is reachable as long as this host is up.

use alloc::sync::Arc;
use core::net::IpAddr;

/// Local addresses announced to a peer at a loopback address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WithLoopback {
    /// Loopback addresses only: one path, independent of any interface.
    #[default]
    LoopbackAddresses,
    /// Every address, as kernels and usrsctp do.
    AllAddresses,
}

/// The addresses of `local` from which packets can be sent to a peer at `remote`: loopback
/// addresses to loopback addresses (or all, if configured), others to others. If none fits, returns
/// all: the user has bound no others.
pub(crate) fn fitting(
    local: &Arc<[IpAddr]>,
    remote: &[IpAddr],
    with_loopback: WithLoopback,
) -> Arc<[IpAddr]> {
    let has_all = with_loopback == WithLoopback::AllAddresses;
    let fits = |ip: &IpAddr| {
        let mut remote = remote.iter();
        remote.any(|remote| is_same(*ip, *remote) || (has_all && remote.is_loopback()))
    };
    if local.iter().all(fits) || !local.iter().any(fits) {
        return local.clone();
    }
    local.iter().copied().filter(fits).collect()
}

/// Whether packets can be sent between the addresses: both are loopback, or neither is.
pub(crate) fn is_same(one: IpAddr, other: IpAddr) -> bool {
    one.is_loopback() == other.is_loopback()
}

/// The addresses of `local` from which packets to `remote` can be sent.
pub(crate) fn sources(local: &[IpAddr], remote: IpAddr) -> impl Iterator<Item = IpAddr> + Clone {
    let usable = move |ip: &IpAddr| ip.is_ipv4() == remote.is_ipv4() && is_same(*ip, remote);
    local.iter().copied().filter(usable)
}

#[cfg(test)]
mod tests;
