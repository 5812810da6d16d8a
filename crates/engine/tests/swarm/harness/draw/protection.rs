//! Protected packets: both ends, one end alone, ends that cannot agree; keys that change, and restarts.

use super::super::plan::End;
use super::super::random::Random;
use super::Draw;

/// Runs per thousand with protection.
const PROTECTED: u16 = 70;
/// Among those, runs per thousand in which one end is without, or cannot agree.
const AT_ONE_END: u16 = 80;
const DISAGREEING: u16 = 60;

impl Draw {
    /// Draws from a separate generator, so that existing runs stay unchanged.
    pub(super) fn protection(&mut self, seed: u64) {
        self.random = Random::new(seed ^ 0x0d71_5c0d);
        if !self.random.chance(PROTECTED) {
            return;
        }
        // They exclude each other, and INITs from signalling have no parameter.
        let excluded = ["authentication", "snap"];
        self.items
            .retain(|item| !excluded.contains(&item.verb().name));
        let lone = self.random.chance(AT_ONE_END).then(|| self.end());
        let changes = self.has("address_changes");
        let restarts = self.random.chance(400);
        for end in End::BOTH {
            if lone.is_none_or(|lone| lone == end) {
                let mode = self.pick(&[0, 1, 1, 1]);
                self.put(end, "protection", &[mode]);
            }
            if self.random.chance(DISAGREEING) {
                let option = ["key_roles", "key_methods"][self.random.index(2)];
                let value = self.below(2);
                self.put(end, option, &[value]);
            }
            if self.random.chance(300) {
                let width = self.pick(&[64, 128, 4096]);
                self.put(end, "replay_window", &[width]);
            }
            if restarts {
                self.put(end, "protected_restart", &[1]);
            }
            if changes {
                // Refused before there was protection.
                self.put(end, "address_changes", &[1]);
            }
        }
        self.changes_of_keys();
        if restarts {
            self.restarts();
        }
    }

    fn changes_of_keys(&mut self) {
        let most = self.pick(&[0, 2, 6, 40]);
        for _ in 0..self.below(most + 1) {
            let (end, at) = (self.end(), self.below(self.span + self.span / 2));
            let hasty = self.below(2);
            self.put(end, "rekey", &[at, hasty]);
            if self.random.chance(300) {
                let later = at + self.pick(&[0, 0, 1, 20]);
                self.put(end.other(), "rekey", &[later, hasty]);
            }
        }
    }

    fn restarts(&mut self) {
        for end in End::BOTH {
            if self.random.chance(150) {
                self.put(end, "forgets", &[1]);
            }
        }
        for _ in 0..self.below(4) {
            let (end, at) = (self.end(), self.below(self.span * 2));
            self.put(end, "restart", &[at, 1]);
            if self.random.chance(300) {
                let end = self.end();
                let again = at + self.below(500);
                self.put(end, "restart", &[again, 1]);
            }
        }
    }
}
