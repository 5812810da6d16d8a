//! Addresses of the family `AF_CONN`: pointers that name connections of a program.

use core::net::{IpAddr, Ipv6Addr, SocketAddr};

/// Bytes of `sockaddr_conn`: family, port, a gap, a pointer.
pub(super) const LENGTH: usize = 16;
/// The network of the addresses by which the stack knows pointers: a private one (RFC 4193), which
/// no packet leaves to.
const NETWORK: u128 = 0xfd53_6865_6176_6500 << 64;

/// The address that stands for a pointer; the unspecified one for NULL.
pub(super) const fn address(pointer: u64) -> Ipv6Addr {
    if pointer == 0 {
        Ipv6Addr::UNSPECIFIED
    } else {
        Ipv6Addr::from_bits(NETWORK | pointer as u128)
    }
}

/// The pointer behind an address; `None` for one that stands for none.
pub(super) fn pointer(address: IpAddr) -> Option<u64> {
    let IpAddr::V6(address) = address else {
        return None;
    };
    let bits = address.to_bits();
    let pointer = u64::try_from(bits & u128::from(u64::MAX)).ok()?;
    (bits == 0 || bits ^ u128::from(pointer) == NETWORK).then_some(pointer)
}

/// An address as `sockaddr_conn` has it.
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
