//! Distribution of a UDP port's packets over shards by the kernel.

#[cfg(linux)]
mod program;

use std::net::IpAddr;

#[cfg(linux)]
pub(super) use program::attach;

/// Fibonacci hashing: an odd number near 2^32 divided by the golden ratio.
const SPREAD: u32 = 0x9E37_79B1;

/// The shard that receives an INIT from this address and ports.
pub(crate) fn shard_of_init(source: IpAddr, ports: (u16, u16), shards: u16) -> u16 {
    let address = match source {
        IpAddr::V4(ip) => ip.to_bits(),
        IpAddr::V6(ip) => {
            let [.., a, b, c, d] = ip.segments().map(u32::from);
            ((a << 16) | b) ^ ((c << 16) | d)
        }
    };
    let ports = (u32::from(ports.0) << 16) | u32::from(ports.1);
    let spread = ((ports ^ address).wrapping_mul(SPREAD) >> 16) % u32::from(shards);
    u16::try_from(spread).unwrap_or_default()
}

#[cfg(all(test, linux))]
mod tests;
