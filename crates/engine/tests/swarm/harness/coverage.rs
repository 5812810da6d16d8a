//! Coverage: how often features, and pairs of features, occurred in runs.

use super::plan::Plan;
use super::verbs::{COUNT, VERBS};

/// Runs whose plan contained each pair of verbs; the diagonal counts single verbs.
pub(crate) struct Coverage {
    pairs: Vec<u32>,
}

impl Default for Coverage {
    fn default() -> Self {
        let pairs = vec![0; COUNT * COUNT];
        Self { pairs }
    }
}

impl Coverage {
    pub(crate) fn note(&mut self, plan: &Plan) {
        let mut rows: Vec<usize> = plan.items.iter().map(|item| item.row).collect();
        rows.sort_unstable();
        rows.dedup();
        for (at, one) in rows.iter().enumerate() {
            for other in &rows[at..] {
                self.pairs[one * COUNT + other] += 1;
            }
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.pairs.iter_mut().zip(&other.pairs) {
            *mine += theirs;
        }
    }

    /// Number of pairs that occurred in at least `runs` runs, and of all pairs.
    pub(crate) fn met(&self, runs: u32) -> (usize, usize) {
        let met = self.all().filter(|(_, _, count)| *count >= runs).count();
        (met, COUNT * (COUNT - 1) / 2)
    }

    /// The least frequent pairs, by name.
    pub(crate) fn rarest(&self, count: usize) -> Vec<(&'static str, &'static str, u32)> {
        let mut all: Vec<_> = self.all().collect();
        all.sort_by_key(|(_, _, count)| *count);
        let named = all.into_iter().take(count);
        let named = named.map(|(one, other, count)| (VERBS[one].name, VERBS[other].name, count));
        named.collect()
    }

    fn all(&self) -> impl Iterator<Item = (usize, usize, u32)> + '_ {
        (0..COUNT).flat_map(move |one| {
            (one + 1..COUNT).map(move |other| (one, other, self.pairs[one * COUNT + other]))
        })
    }
}
