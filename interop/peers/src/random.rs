/// Numbers that look random and are the same for the same seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of that seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound`, exclusive.
    pub fn below(&mut self, bound: usize) -> usize {
        let wide = self.next() % u64::try_from(bound).unwrap_or(u64::MAX);
        usize::try_from(wide).unwrap_or(0)
    }

    /// True in `percent` of 100 cases.
    pub const fn percent(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
}
