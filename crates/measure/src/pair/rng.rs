/// Reproducible pseudo-random generator (high bits of a linear congruential generator).
#[derive(Debug)]
pub(super) struct Rng(pub(super) u64);

impl Rng {
    /// A number below `sides`.
    pub(super) fn below(&mut self, sides: u64) -> u64 {
        let step = 0x5851_f42d_4c95_7f2d;
        self.0 = self.0.wrapping_mul(step).wrapping_add(1);
        (self.0 >> 33) % sides
    }
}
