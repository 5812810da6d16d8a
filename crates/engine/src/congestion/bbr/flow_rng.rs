/// A fast, non-cryptographic random generator, seeded per flow, so that probing cycles of different
/// flows drift apart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlowRng(Option<u64>);

impl FlowRng {
    /// Seeds the generator unless it is seeded already.
    pub(super) fn seed(&mut self, seed: u32) {
        self.0.get_or_insert(seed.into());
    }

    /// The next number (SplitMix64).
    pub(super) fn draw(&mut self) -> u64 {
        let state = self.0.unwrap_or(0).wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0 = Some(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
