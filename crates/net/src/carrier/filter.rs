use std::io;
use std::ops::RangeInclusive;

use socket2::{SockFilter, Socket};

/// Position of the SCTP header in the filter's view of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderAt {
    /// After an IPv4 header.
    AfterIpv4,
    /// At the start (IPv6 raw sockets do not show the IP header).
    Start,
}

/// Attaches a filter that accepts only packets to an SCTP port within the ascending `ranges`, and
/// packets that begin with an INIT.
pub(super) fn attach(
    socket: &Socket,
    at: HeaderAt,
    ranges: &[RangeInclusive<u16>],
) -> io::Result<()> {
    let filter = |Instruction { code, jt, jf, k }| SockFilter::new(code, jt, jf, k);
    let program: Vec<SockFilter> = instructions(at, ranges).into_iter().map(filter).collect();
    socket.attach_filter(&program)
}

/// An instruction of classic BPF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Instruction {
    code: u16,
    jt: u8,
    jf: u8,
    k: u32,
}

/// `X = 4 * (packet[k] & 15)`, the length of an IPv4 header.
const LDX_MSH: u16 = 0xb1;
/// `A = packet[X + k]`, 16 bits.
const LDH_IND: u16 = 0x48;
/// `A = packet[k]`, 16 bits.
const LDH_ABS: u16 = 0x28;
/// `A = packet[X + k]`, 8 bits.
const LDB_IND: u16 = 0x50;
/// `A = packet[k]`, 8 bits.
const LDB_ABS: u16 = 0x30;
/// `A == k`?
const JEQ: u16 = 0x15;
/// `A >= k`?
const JGE: u16 = 0x35;
/// `A > k`?
const JGT: u16 = 0x25;
/// Accept `k` bytes; 0 refuses.
const RET: u16 = 0x06;

/// The destination port's offset in the SCTP common header.
const DESTINATION_PORT: u32 = 2;

/// Offset of the first chunk's type, after the common header.
const CHUNK_TYPE: u32 = 12;
const INIT: u32 = 1;

/// A classic BPF program that accepts packets to an SCTP port within `ranges`, and INITs.
fn instructions(at: HeaderAt, ranges: &[RangeInclusive<u16>]) -> Vec<Instruction> {
    let plain = |code, k| Instruction {
        code,
        jt: 0,
        jf: 0,
        k,
    };
    let (mut program, byte, half) = match at {
        HeaderAt::AfterIpv4 => (vec![plain(LDX_MSH, 0)], LDB_IND, LDH_IND),
        HeaderAt::Start => (Vec::new(), LDB_ABS, LDH_ABS),
    };
    program.push(plain(byte, CHUNK_TYPE));
    program.push(Instruction {
        code: JEQ,
        jt: 0,
        jf: 1,
        k: INIT,
    });
    program.push(plain(RET, u32::MAX));
    program.push(plain(half, DESTINATION_PORT));
    // The ranges ascend: a port below a range's start is in no later range.
    for range in ranges {
        let (start, end) = (u32::from(*range.start()), u32::from(*range.end()));
        program.push(Instruction {
            code: JGE,
            jt: 1,
            jf: 0,
            k: start,
        });
        program.push(plain(RET, 0));
        program.push(Instruction {
            code: JGT,
            jt: 1,
            jf: 0,
            k: end,
        });
        program.push(plain(RET, u32::MAX));
    }
    program.push(plain(RET, 0));
    program
}

#[cfg(test)]
mod tests;
