//! Adverse conditions beside those of each run: delays of seconds, late drivers,
//! middleboxes, numbers that wrap, and paths that do not recover.

use super::super::net::Ailments;
use super::super::plan::End;
use super::super::random::Random;
use super::Draw;

/// Runs per thousand in which delays vary by seconds.
const SLOW: u16 = 60;
/// Runs per thousand in which a driver is late, and in which drivers compute checksums.
const NEGLECTED: u16 = 80;
const VERIFIED: u16 = 200;
/// Runs per thousand in which middleboxes edit packets.
const EDITED: u16 = 100;
/// Runs per thousand in which numbers wrap.
const WRAPPED: u16 = 80;
/// Runs per thousand, among those in which one network recovers first, in which others are not
/// simply dead.
const AILING: u16 = 700;

impl Draw {
    /// Draws from a separate generator, so that existing runs stay unchanged.
    pub(super) fn adverse(&mut self, seed: u64) {
        self.random = Random::new(seed ^ 0x0ad4_e65e);
        if self.random.chance(SLOW) {
            self.slow();
        }
        if self.random.chance(NEGLECTED) {
            self.neglect();
        }
        if self.random.chance(VERIFIED) {
            self.put(End::A, "verified", &[1]);
        }
        if self.random.chance(EDITED) {
            self.edit();
        }
        if self.random.chance(WRAPPED) {
            for _ in 0..=self.random.below(2) {
                let (at, tsns) = (self.below(self.span), self.pick(&[0, 1, 3, 10, 40]));
                self.put(End::A, "wrap", &[at, tsns]);
            }
        }
        if self.has("heal_one") && self.random.chance(AILING) {
            let ailments = self.below(Ailments::COUNT);
            self.put(End::A, "ailments", &[ailments]);
        }
    }

    fn neglect(&mut self) {
        for _ in 0..=self.random.below(4) {
            let (end, at) = (self.end(), self.below(self.span + self.span / 2));
            let verb = ["neglect_timers", "neglect_transmits"][self.random.index(2)];
            let most = self.pick(&[20, 300, 3000, 10_000]);
            let millis = 1 + self.below(most);
            self.put(end, verb, &[at, millis]);
        }
    }

    fn edit(&mut self) {
        for path in 0..self.paths {
            for end in End::BOTH {
                let (at, span) = (self.below(self.span), self.pick(&[30, 300, 3000]));
                let some = self.pick(&[30, 300, 1000]);
                match self.random.below(8) {
                    0 => self.put(end, "bleach", &[path, some]),
                    1 | 2 => self.put(end, "thin", &[path, some]),
                    3 => self.put(end, "distinct", &[path, some]),
                    4 => self.put(end, "shut", &[path, at, span]),
                    _ => {}
                }
            }
        }
    }

    fn slow(&mut self) {
        let most = self.pick(&[200_000, 1_000_000, 4_000_000]);
        for path in 0..self.paths {
            for end in End::BOTH {
                if self.random.chance(600) {
                    let jitter = self.below(most);
                    self.put(end, "jitter", &[path, jitter]);
                }
            }
        }
    }
}
