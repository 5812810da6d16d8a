//! Automatic port numbers.

use core::ops::RangeInclusive;

/// Range of automatic ports, as in Linux.
const RANGE: RangeInclusive<u16> = 32_768..=60_999;

/// A fast, non-cryptographic generator (xorshift64): port numbers are visible in every packet.
#[derive(Debug)]
pub(crate) struct Ephemeral(u64);

impl Ephemeral {
    pub(crate) fn new(seed: &[u8; 32]) -> Self {
        let (first, _) = seed.split_at(8);
        Self(u64::from_le_bytes(first.try_into().unwrap_or_default()) | 1)
    }

    /// The first free port from a random one on.
    pub(crate) fn pick(&mut self, is_free: impl Fn(u16) -> bool) -> Option<u16> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let count = RANGE.end() - RANGE.start() + 1;
        let start = u16::try_from(self.0 % u64::from(count)).unwrap_or(0);
        let (before, after) = (0..start, start..count);
        let mut ports = after.chain(before).map(|step| RANGE.start() + step);
        ports.find(|port| is_free(*port))
    }
}
