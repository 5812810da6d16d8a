//! `AF_CONN` addresses: pointers that identify a program's connections.

use core::net::{IpAddr, Ipv6Addr, SocketAddr};

/// Bytes of `sockaddr_conn`: family, port, a gap, a pointer.
pub(super) const LENGTH: usize = 16;
/// The private IPv6 network (RFC 4193) whose addresses represent pointers; no packet is sent to it.
const NETWORK: u128 = 0xfd53_6865_6176_6500 << 64;

/// The address that represents a pointer; unspecified for NULL.
pub(super) const fn address(pointer: u64) -> Ipv6Addr {
    if pointer == 0 {
        Ipv6Addr::UNSPECIFIED
    } else {
        Ipv6Addr::from_bits(NETWORK | pointer as u128)
    }
}

/// The pointer that an address represents; `None` for other addresses.
pub(super) fn pointer(address: IpAddr) -> Option<u64> {
    let IpAddr::V6(address) = address else {
        return None;
    };
    let bits = address.to_bits();
    let pointer = u64::try_from(bits & u128::from(u64::MAX)).ok()?;
    (bits == 0 || bits ^ u128::from(pointer) == NETWORK).then_some(pointer)
}

/// Serializes a `sockaddr_conn`.
pub(super) fn bytes(family: u16, address: SocketAddr) -> Vec<u8> {
    let pointer = pointer(address.ip()).unwrap_or(0);
    [
        &family.to_ne_bytes()[..],
        &address.port().to_be_bytes(),
        &[0; 4],
        &pointer.to_ne_bytes(),
    ]
    .concat()
}
