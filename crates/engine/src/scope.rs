//! Our addresses, and those of a peer that each can talk to.
//!
//! A loopback address means this machine wherever it stands: told to a peer elsewhere it would name
//! the peer itself, and a packet that leaves from it is dropped on the way. The addresses of
//! interfaces are of no use to a peer on loopback, which is here for as long as this machine is up.

use alloc::sync::Arc;
use core::net::IpAddr;

/// The addresses of ours that a peer at a loopback address is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WithLoopback {
    /// Loopback addresses alone: one path, which no interface can cut.
    #[default]
    LoopbackAddresses,
    /// All, as kernels and usrsctp do it.
    AllAddresses,
}

/// The addresses of `local` that packets can leave from to a peer at `remote`: loopback addresses
/// for a loopback address (or all, where that is asked for), the others for the others. All where none fits: then
/// the user has bound nothing else, and knows why.
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

/// Whether packets go from one to the other: both are of this machine alone, or neither is.
pub(crate) fn is_same(one: IpAddr, other: IpAddr) -> bool {
    one.is_loopback() == other.is_loopback()
}

/// The addresses of `local` that packets to `remote` can leave from.
pub(crate) fn sources(local: &[IpAddr], remote: IpAddr) -> impl Iterator<Item = IpAddr> + Clone {
    let usable = move |ip: &IpAddr| ip.is_ipv4() == remote.is_ipv4() && is_same(*ip, remote);
    local.iter().copied().filter(usable)
}

#[cfg(test)]
mod tests;
