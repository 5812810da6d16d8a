//! The machine's routes, as far as the choice of source addresses needs them.

use core::fmt;
use core::net::IpAddr;

/// Tells which of our addresses belong to the interface that leads to an address of the peer: a
/// policy that the driver brings, since only the system knows its routes.
///
/// Without one all addresses count as equal, and paths pair them in the order of the two lists.
pub trait Routes: fmt::Debug + Send + Sync {
    /// Whether packets from `local` to `remote` leave by the interface that has `local`. Others may be
    /// dropped on the way, by networks that check sources (RFC 3704 §2.2).
    fn lead(&self, local: IpAddr, remote: IpAddr) -> bool;
}
