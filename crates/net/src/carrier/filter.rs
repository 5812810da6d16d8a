use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use socket2::SockFilter;

/// Ranges beyond this number are merged across their smallest gaps.
const MAX_RANGES: usize = 500;

/// SCTP ports in use, each with the number of its users.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    users: BTreeMap<u16, usize>,
    revision: u64,
}

impl Ports {
    /// Counts one more user of `port`.
    pub(crate) fn add(&mut self, port: u16) {
        let users = self.users.entry(port).or_insert(0);
        *users += 1;
        if *users == 1 {
            self.revision += 1;
        }
    }

    /// Counts one user of `port` less.
    pub(crate) fn remove(&mut self, port: u16) {
        match self.users.get_mut(&port) {
            Some(1) => {
                self.users.remove(&port);
                self.revision += 1;
            }
            Some(users) => *users -= 1,
            None => {}
        }
    }

    /// Whether anyone uses `port`.
    pub(crate) fn contains(&self, port: u16) -> bool {
        self.users.contains_key(&port)
    }

    /// Changes whenever the set of used ports does.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The used ports as ascending ranges, at most [`MAX_RANGES`]; where there would be more, the
    /// ranges cover unused ports too.
    pub(crate) fn ranges(&self) -> Vec<RangeInclusive<u16>> {
        let mut ranges: Vec<RangeInclusive<u16>> = Vec::new();
        for &port in self.users.keys() {
            match ranges.last_mut() {
                Some(last) if last.end().checked_add(1) == Some(port) => {
                    *last = *last.start()..=port;
                }
                _ => ranges.push(port..=port),
            }
        }
        merge_closest(ranges)
    }
}

/// Merges neighbours across the smallest gaps until at most [`MAX_RANGES`] ranges are left.
fn merge_closest(ranges: Vec<RangeInclusive<u16>>) -> Vec<RangeInclusive<u16>> {
    let Some(surplus) = ranges.len().checked_sub(MAX_RANGES).filter(|&n| n > 0) else {
        return ranges;
    };
    let mut gaps: Vec<u16> = ranges
        .windows(2)
        .map(|pair| pair[1].start() - pair[0].end())
        .collect();
    gaps.sort_unstable();
    let widest = gaps[surplus - 1];
    let mut merged: Vec<RangeInclusive<u16>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start() - last.end() <= widest => {
                *last = *last.start()..=*range.end();
            }
            _ => merged.push(range),
        }
    }
    merged
}

/// Where the SCTP header begins in what the filter sees of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderAt {
    /// Behind an IPv4 header.
    AfterIpv4,
    /// At the start (IPv6 raw sockets do not show the IP header).
    Start,
}

/// A classic BPF program that accepts packets to an SCTP port within `ranges` alone.
pub(crate) fn program(at: HeaderAt, ranges: &[RangeInclusive<u16>]) -> Vec<SockFilter> {
    instructions(at, ranges)
        .into_iter()
        .map(|Instruction { code, jt, jf, k }| SockFilter::new(code, jt, jf, k))
        .collect()
}

/// One classic BPF instruction.
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
/// `A >= k`?
const JGE: u16 = 0x35;
/// `A > k`?
const JGT: u16 = 0x25;
/// Accept `k` bytes; 0 refuses.
const RET: u16 = 0x06;

/// The destination port's offset in the SCTP common header.
const DESTINATION_PORT: u32 = 2;

fn instructions(at: HeaderAt, ranges: &[RangeInclusive<u16>]) -> Vec<Instruction> {
    let plain = |code, k| Instruction {
        code,
        jt: 0,
        jf: 0,
        k,
    };
    let mut program = match at {
        HeaderAt::AfterIpv4 => vec![plain(LDX_MSH, 0), plain(LDH_IND, DESTINATION_PORT)],
        HeaderAt::Start => vec![plain(LDH_ABS, DESTINATION_PORT)],
    };
    // The ranges ascend: a port below the start of one is in none of those that follow.
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
