//! How the kernel spreads packets over the shards of a UDP port.

#[cfg(target_os = "linux")]
use std::io;
use std::net::IpAddr;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;

#[cfg(target_os = "linux")]
use libc::sock_filter;

#[cfg(target_os = "linux")]
use crate::sys;

/// Spreads what comes to the group of sockets that share `group`'s address and port: by the
/// verification tag, which says whose it is; an INIT, which has none, by its source address and
/// ports, so that one peer's INITs meet the same shard.
#[cfg(target_os = "linux")]
pub(super) fn attach(group: &impl AsFd, shards: u16) -> io::Result<()> {
    sys::steer(group, &mut program(shards))
}

/// `A = packet[k]`, 32 bits.
const LDW: u16 = 0x20;
/// `A = packet[k]`, 8 bits.
const LDB: u16 = 0x30;
/// `X = A`.
const TAX: u16 = 0x07;
/// `A ^= X`.
const XOR_X: u16 = 0xac;
/// `A *= k`.
const MUL: u16 = 0x24;
/// `A >>= k`.
const RSH: u16 = 0x74;
/// `A %= k`.
const MOD: u16 = 0x94;
/// `A == k`?
const JEQ: u16 = 0x15;
/// Skip `k` instructions.
const JA: u16 = 0x05;
/// Return `A`.
const RET_A: u16 = 0x16;

/// Where the SCTP header's words stand in the UDP payload.
const PORTS: u32 = 0;
const TAG: u32 = 4;
/// Where the IP header begins, for the kernel's programs (`SKF_NET_OFF`).
const IP: u32 = 0xFFF0_0000;
/// Fibonacci hashing: an odd number near 2^32 divided by the golden ratio.
const SPREAD: u32 = 0x9E37_79B1;

/// The shard that an INIT from there comes to, of so many.
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

#[cfg(target_os = "linux")]
fn program(shards: u16) -> Vec<sock_filter> {
    let step = |code, k| sock_filter {
        code,
        jt: 0,
        jf: 0,
        k,
    };
    let branch = |k, jt, jf| sock_filter {
        code: JEQ,
        jt,
        jf,
        k,
    };
    // The low halves of IPv6 addresses tell hosts apart.
    vec![
        step(LDW, TAG),
        branch(0, 2, 0),
        step(MOD, shards.into()),
        step(RET_A, 0),
        step(LDW, PORTS),
        step(TAX, 0),
        step(LDB, IP),
        step(RSH, 4),
        branch(6, 0, 5),
        step(LDW, IP + 16),
        step(XOR_X, 0),
        step(TAX, 0),
        step(LDW, IP + 20),
        step(JA, 1),
        step(LDW, IP + 12),
        step(XOR_X, 0),
        step(MUL, SPREAD),
        step(RSH, 16),
        step(MOD, shards.into()),
        step(RET_A, 0),
    ]
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
