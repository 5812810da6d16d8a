//! The machine's routes, for the selection of source addresses.

use core::fmt;
use core::net::IpAddr;

/// Reports which local addresses belong to the interface on the route to a peer address. Supplied
/// by the driver, since only the system knows the routes.
///
/// Without routes, all addresses rank equally, and paths pair them in list order.
pub trait Routes: fmt::Debug + Send + Sync {
    /// Whether packets from `local` to `remote` leave through the interface that has `local`.
    /// Networks that validate source addresses may drop other packets (RFC 3704 §2.2).
    fn lead(&self, local: IpAddr, remote: IpAddr) -> bool;
}
