//! The BPF program that the kernel runs on each packet.

use std::io;
use std::os::fd::AsFd;

use libc::sock_filter;

use super::SPREAD;
use crate::sys;

/// Distributes packets over the sockets that share `group`'s address and port: by verification tag,
/// which names the shard; an INIT, whose tag is 0, by its source address and ports, so that all
/// INITs of one peer reach the same shard.
pub(in crate::carrier) fn attach(group: &impl AsFd, shards: u16) -> io::Result<()> {
    sys::steer(group, &mut program(shards))
}

/// `A = packet[k]`, 32 bits.
pub(super) const LDW: u16 = 0x20;
/// `A = packet[k]`, 8 bits.
pub(super) const LDB: u16 = 0x30;
/// `X = A`.
pub(super) const TAX: u16 = 0x07;
/// `A ^= X`.
pub(super) const XOR_X: u16 = 0xac;
/// `A *= k`.
pub(super) const MUL: u16 = 0x24;
/// `A >>= k`.
pub(super) const RSH: u16 = 0x74;
/// `A %= k`.
pub(super) const MOD: u16 = 0x94;
/// `A == k`?
pub(super) const JEQ: u16 = 0x15;
/// Skip `k` instructions.
pub(super) const JA: u16 = 0x05;
/// Return `A`.
pub(super) const RET_A: u16 = 0x16;

/// Offset of the SCTP header's words in the UDP payload.
pub(super) const PORTS: u32 = 0;
pub(super) const TAG: u32 = 4;
/// Offset of the IP header, for the kernel's programs (`SKF_NET_OFF`).
pub(super) const IP: u32 = 0xFFF0_0000;

pub(super) fn program(shards: u16) -> Vec<sock_filter> {
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
    // The low half of an IPv6 address distinguishes hosts.
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
